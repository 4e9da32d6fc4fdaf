/**
 * The stored text of an entry, read back into its fields (spec/skills.md §4 "Integrity"). What is stored is the very text
 * that the digest is over (`digest.ts`), so bytes that give the digest say exactly what was approved and composed.
 *
 * Always true: a text is read only when the fields that were read give that text again, byte for byte; there is no second
 * way to write the same entry, and nothing in a text is passed over.
 */

import { isUtf8 } from 'node:buffer';
import { isObject } from '../shared/is-object.js';
import { ABSENT, DIGEST_HEAD, type DigestFields, digestText } from './digest.js';
import { CAPABILITIES, type Capability, type ToolDefinition } from './entry.js';

/** The hex of an entry's digest: the name that its text is stored under. */
export function storedName(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}

/** The fields of a stored text; undefined when it is none of this format. */
export function readStoredText(text: string): DigestFields | undefined {
  if (!text.startsWith(DIGEST_HEAD)) return undefined;
  try {
    const fields = entryIn(new Reader(Buffer.from(text.slice(DIGEST_HEAD.length), 'utf8')));
    return digestText(fields) === text ? fields : undefined;
  } catch (error) {
    if (error instanceof NoStoredText) return undefined;
    throw error;
  }
}

/** Thrown inside this file only. */
class NoStoredText extends Error {}

function entryIn(reader: Reader): DigestFields {
  const fields: DigestFields = {
    kind: oneOf(['rule', 'skill'], reader.field()),
    name: reader.field(),
    version: reader.orAbsent(() => reader.field()),
    description: reader.field(),
    body: reader.field(),
    support: oneOf(['full', 'partial'], reader.field()),
    allowedTools: reader.orAbsent(() => reader.list()),
    process: oneOf(['true', 'false'], reader.field()) === 'true',
    alwaysOn: oneOf(['true', 'false'], reader.field()) === 'true',
    keywords: reader.list(),
    appliesTo: reader.orAbsent(() => reader.list()),
    requires: reader.list().map((name): Capability => oneOf(CAPABILITIES, name)),
    tools: reader.list().map((item) => toolIn(new Reader(Buffer.from(item, 'utf8')))),
  };
  reader.end();
  return fields;
}

function toolIn(reader: Reader): ToolDefinition {
  const tool: ToolDefinition = {
    name: reader.field(),
    description: reader.field(),
    parameters: objectIn(reader.field()),
    run: reader.list(),
    class: oneOf(['read', 'write', 'destructive'], reader.field()),
  };
  reader.end();
  return tool;
}

function objectIn(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // No JSON: as little a stored text as another value would be.
  }
  throw new NoStoredText();
}

function oneOf<Word extends string>(words: readonly Word[], found: string): Word {
  const word = words.find((each) => each === found);
  if (word === undefined) throw new NoStoredText();
  return word;
}

const COLON = ':'.charCodeAt(0);

/** No text of an entry is as long as a length of ten digits says. */
const LENGTH_DIGITS = 10;

/** Takes fields off a text, by bytes: lengths count those. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  field(): string {
    const colon = this.#bytes.indexOf(COLON, this.#at);
    if (colon === -1 || colon - this.#at > LENGTH_DIGITS) throw new NoStoredText();
    const digits = this.#bytes.toString('latin1', this.#at, colon);
    const begin = colon + 1;
    const end = begin + Number(digits);
    if (!/^\d+$/.test(digits) || end > this.#bytes.length) throw new NoStoredText();
    const bytes = this.#bytes.subarray(begin, end);
    if (!isUtf8(bytes)) throw new NoStoredText(); // A length that cuts a character in two.
    this.#at = end;
    return bytes.toString('utf8');
  }

  list(): string[] {
    const inner = new Reader(Buffer.from(this.field(), 'utf8'));
    const items: string[] = [];
    while (inner.#at < inner.#bytes.length) items.push(inner.field());
    return items;
  }

  orAbsent<Value>(read: () => Value): Value | null {
    if (this.#bytes[this.#at] !== ABSENT.charCodeAt(0)) return read();
    this.#at++;
    return null;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new NoStoredText();
  }
}
