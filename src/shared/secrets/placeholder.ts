/**
 * What stands in a text in the place of a secret: `[secret:NAME]`. Pure.
 *
 * Always true: a name has letters, digits, `_`, `.` and `-` only, so that a placeholder reads the same in JSON, in an
 * address and on a terminal.
 */

const BEGIN = '[secret:';
const LONGEST_NAME = 128;
const PLACEHOLDER = /\[secret:[A-Za-z0-9_.-]{1,128}\]/;

/** The placeholder of a secret. What of its name may not stand there becomes `_`. */
export function placeholder(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, LONGEST_NAME);
  return `${BEGIN}${safe === '' ? 'unnamed' : safe}]`;
}

/** The first placeholder in a text, of whatever name: that of another process's secret counts as well. */
function placeholderIn(text: string): string | undefined {
  return text.includes(BEGIN) ? PLACEHOLDER.exec(text)?.[0] : undefined;
}

/** The first placeholder in the strings of a JSON value, keys included. */
export function placeholderWithin(value: unknown): string | undefined {
  if (typeof value === 'string') return placeholderIn(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = placeholderIn(key) ?? placeholderWithin(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface Span {
  readonly start: number;
  /** Behind the last character. */
  readonly end: number;
}

/** Where placeholders of these names stand, in order. */
export function placeholderSpans(text: string, known: ReadonlySet<string>): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(BEGIN); start !== -1; start = text.indexOf(BEGIN, start + 1)) {
    const end = text.indexOf(']', start) + 1;
    if (end > 0 && known.has(text.slice(start, end))) spans.push({ start, end });
  }
  return spans;
}
