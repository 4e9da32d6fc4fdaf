/**
 * Takes the values of known secrets out of texts and puts their placeholders there (invariant 8). Made once, from what
 * the configuration knows; pure from then on. The map of the folder:
 *
 *   redactor         one text, one value, a text in pieces
 *   find-secrets     where secrets stand; form-search  the search for all of them in one pass
 *   secret-forms     hexadecimal, base64; encoded-views  JSON and addresses, undone
 *   placeholder      what stands there instead
 *
 *  S1 neither as it is nor JSON-, URL-, base64- or hex-encoded, in whole or in part, does a value stand in what comes out;
 *  S2 redacting twice gives what redacting once gives; a text without secrets is given back as it is;
 *  S3 a text in pieces gives what it gives as a whole, wherever it is cut; only a value that ends in the beginning of an
 *     escape (`…%`) may leave an encoded one behind it to the next who redacts.
 */

import { type Place, SecretFinder, type SecretPattern } from './find-secrets.js';
import type { Secret } from './secret-forms.js';

export interface Redactor {
  /** A text without secrets. */
  text(text: string): string;
  /** A JSON value whose strings, keys included, hold none; the value itself where there were none. */
  value<Value>(value: Value): Value;
  /** For a text that comes in pieces. */
  stream(): RedactedStream;
  /**
   * The same of what is shown to people, and may have been cut before: the beginning of a secret in front of an ellipsis
   * is one as well. Not for what is stored under its digest or sent to a model, where the beginning of a key may stand as
   * an example.
   */
  shown<Value>(value: Value): Value;
}

export interface RedactedStream {
  /** Takes a piece; gives what is certain by now, which may be nothing. */
  push(piece: string): string;
  /** Gives the rest. */
  end(): string;
}

/** For who knows no secret. */
export const NO_SECRETS: Redactor = {
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ push: (piece) => piece, end: () => '' }),
  shown: (value) => value,
};

/** The redactor of these secrets; values of less than 8 bytes are none. */
export function redactorOf(secrets: readonly Secret[], patterns: readonly SecretPattern[] = []): Redactor {
  const finder = new SecretFinder(secrets, patterns);
  if (finder.knowsNone) return NO_SECRETS;
  const text = (whole: string): string => {
    const clean = replaced(whole, finder.find(whole), 0, whole.length);
    // A value that ends in the beginning of an escape hides what follows it until it is gone.
    return clean === whole ? whole : text(clean);
  };
  const shown = (whole: string): string => {
    const clean = text(whole);
    return replaced(clean, finder.findCut(clean), 0, clean.length);
  };
  return {
    text,
    value: <Value>(value: Value): Value => inside(value, text) as Value,
    stream: () => new Stream(finder),
    shown: <Value>(value: Value): Value => inside(value, shown) as Value,
  };
}

/** What somebody is told whose words held a secret, as the end of a sentence; '' when they held none. */
export function redactionNote(secrets: Redactor, said: unknown): string {
  return secrets.value(said) === said
    ? ''
    : '; what is secret in it was not passed on, its placeholder stands there';
}

function replaced(text: string, places: readonly Place[], from: number, to: number): string {
  let out = '';
  let done = from;
  for (const { start, end, placeholder } of places) {
    if (end <= from || start >= to) continue;
    out += text.slice(done, start) + placeholder;
    done = end;
  }
  return done === 0 && to === text.length ? text : out + text.slice(done, to);
}

function inside(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => inside(item, text));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  const entries = Object.entries(value);
  const clean = entries.map(([key, inner]): [string, unknown] => [text(key), inside(inner, text)]);
  if (clean.every(([key, inner], at) => key === entries[at]?.[0] && inner === entries[at]?.[1])) return value;
  return Object.fromEntries(withoutTwins(clean));
}

/** Two keys that have become one: both values are kept. */
function withoutTwins(entries: readonly [string, unknown][]): [string, unknown][] {
  const taken = new Set<string>();
  return entries.map(([key, inner]) => {
    let free = key;
    for (let count = 2; taken.has(free); count++) free = `${key} ${count}`;
    taken.add(free);
    return [free, inner];
  });
}

/** What was given out stays in front of the rest for a while: whether a line end belongs to base64 is told by it. */
const CONTEXT = 128;

class Stream implements RedactedStream {
  readonly #finder: SecretFinder;
  #text = '';
  /** How much of the text was given out. */
  #done = 0;

  constructor(finder: SecretFinder) {
    this.#finder = finder;
  }

  push(piece: string): string {
    if (piece === '') return '';
    this.#text += piece;
    const { places, upTo } = this.#finder.findSoFar(this.#text);
    if (upTo <= this.#done) return '';
    const out = replaced(this.#text, places, this.#done, upTo);
    const kept = this.#finder.cutBefore(this.#text, Math.max(0, upTo - CONTEXT));
    this.#text = this.#text.slice(kept);
    this.#done = upTo - kept;
    return out;
  }

  end(): string {
    const out = replaced(this.#text, this.#finder.find(this.#text), this.#done, this.#text.length);
    this.#text = '';
    this.#done = 0;
    return out;
  }
}
