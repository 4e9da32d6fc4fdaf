/** Durations as people write them on a command line: `500ms`, `30s`, `5m`, `2h`. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Whole milliseconds, or undefined when the text is not a duration or too long to count exactly. A bare number
 * counts as seconds.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (match === null) return undefined;
  const ms = Math.round(Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000));
  return Number.isSafeInteger(ms) ? ms : undefined;
}
