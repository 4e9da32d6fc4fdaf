/** What a provider says about a fault, read from the many forms in which providers say it. Total. */

export interface ProviderError {
  /** Its sentence; empty when it has none. */
  readonly message: string;
  /** Its words for the kind of fault, in lower case: types, codes, states, names of exceptions. */
  readonly words: readonly string[];
  /** How long it asks to wait, where that stands in the body. */
  readonly retryDelayMs: number | null;
}

/** Keys under which providers keep a word for the kind of fault. */
const WORDS = ['type', 'code', 'status', 'reason', '__type'] as const;

/** An error answer: the body as it came, and its headers. */
export function readErrorBody(body: string, headers: Readonly<Record<string, string>> = {}): ProviderError {
  const parsed = parse(body);
  const read = parsed === undefined ? readErrorValue(textOf(body)) : readErrorValue(parsed);
  // One provider names its exception in a header, with an address behind it.
  const named = headers['x-amzn-errortype']?.split(':')[0];
  return named === undefined ? read : { ...read, words: [...read.words, named.toLowerCase()] };
}

/** An error as a value: of a body, of an event in a stream, or thrown by a package. */
export function readErrorValue(value: unknown): ProviderError {
  const found = { message: '', words: new Set<string>(), retryDelayMs: null as number | null };
  collect(value, found, 0);
  return { message: found.message, words: [...found.words], retryDelayMs: found.retryDelayMs };
}

interface Found {
  message: string;
  readonly words: Set<string>;
  retryDelayMs: number | null;
}

/** Outer before inner; the innermost sentence wins, since wrappers say less. */
function collect(value: unknown, found: Found, depth: number): void {
  if (depth > 5) return;
  if (typeof value === 'string') {
    if (value.trim() !== '') found.message = value.trim();
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value.slice(0, 8)) collect(item, found, depth + 1);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of WORDS) {
    const word = fields[key];
    if (typeof word === 'string' && word !== 'error') found.words.add(word.toLowerCase());
  }
  const message = fields['message'] ?? fields['Message'] ?? fields['msg'];
  if (typeof message === 'string') collect(message, found, depth);
  const delay = fields['retryDelay'];
  if (typeof delay === 'string' && /^\d+(\.\d+)?s$/.test(delay))
    found.retryDelayMs = Number.parseFloat(delay) * 1000;
  for (const [key, inner] of Object.entries(fields)) {
    if (key === 'error' || key === 'response' || (key === 'detail' && found.message === '')) {
      collect(inner, found, depth + 1);
    } else if (key === 'details' && Array.isArray(inner)) {
      for (const item of inner.slice(0, 8)) collectWords(item, found);
    } else if (/exception$/i.test(key) && typeof inner === 'object') {
      found.words.add(key.toLowerCase());
      collect(inner, found, depth + 1);
    }
  }
}

/** Details add words and a delay, never the sentence. */
function collectWords(value: unknown, found: Found): void {
  const { message } = found;
  collect(value, found, 5);
  found.message = message;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** What a person would read of a body that is no JSON. */
function textOf(body: string): string {
  return body
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}
