/** Takes the breakers out of a rendered value; written from the head of `src/skills/render/defuse.ts` alone. */
export function undone(rendered: string): string {
  return rendered.replace(/⧵(?:\{([0-9a-f]+)\}|(⧵))?/gu, (_all, hex?: string, doubled?: string) =>
    hex === undefined ? (doubled ?? '') : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
