/**
 * A line of another program, read as JSON that may hold anything: each field is asked for by the type that it should have,
 * and one that has another is as if it were not there. Never throws; texts are well formed, numbers are finite and not
 * negative, so that whatever is read can stand in a signed result.
 */

import { isObject } from '../../shared/is-object.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { EngineerUsage } from './engineer.js';

/** The longest text kept, in UTF-16 units: what a result may hold as an engineer's last message. */
const TEXT_LIMIT = 256 << 10;

export class Said {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** A text, cut where it is longer than a result can hold; null: there is none. */
  text(key: string): string | null {
    return asText(this.#get(key));
  }

  /** A text that is a name or a word: in one line of at most 200 characters; null: there is none. */
  word(key: string): string | null {
    const text = this.text(key);
    return text === null ? null : oneLine(text);
  }

  /** The texts of a list; what is none is left out. */
  texts(key: string): readonly string[] {
    return this.#list(key).flatMap((item) => asText(item) ?? []);
  }

  /** A count; null: there is none. */
  count(key: string): number | null {
    const value = this.#get(key);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
  }

  /** An amount, whole or not; null: there is none. */
  amount(key: string): number | null {
    const value = this.#get(key);
    return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
  }

  /** Whether the field is there and says neither false nor null. */
  holds(key: string): boolean {
    const value = this.#get(key);
    return value !== undefined && value !== null && value !== false;
  }

  /** The object in a field; without any field where there is none. */
  inner(key: string): Said {
    return saidOf(this.#get(key));
  }

  /** The objects of a list. */
  inners(key: string): readonly Said[] {
    return this.#list(key).flatMap((item) => (isObject(item) ? [new Said(item)] : []));
  }

  /** The objects that are the values of an object. */
  values(key: string): readonly Said[] {
    const value = this.#get(key);
    return isObject(value)
      ? Object.values(value).flatMap((item) => (isObject(item) ? [new Said(item)] : []))
      : [];
  }

  #list(key: string): readonly unknown[] {
    const value = this.#get(key);
    return Array.isArray(value) ? value : [];
  }

  #get(key: string): unknown {
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }
}

/** The fields of any value; without any where it is no object. */
export function saidOf(value: unknown): Said {
  return new Said(isObject(value) ? value : {});
}

/** What a line says; null: it is no object of JSON that names its type. */
export function readSaid(line: string): { readonly type: string; readonly said: Said } | null {
  const said = readObject(line);
  const type = said?.text('type') ?? null;
  return said === null || type === null ? null : { type, said };
}

function readObject(line: string): Said | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null; // a log line, a warning, half of something: the caller counts it
  }
  return isObject(value) ? new Said(value) : null;
}

function asText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  // Half of a pair is no text that UTF-8 can carry: encoding writes it as U+FFFD.
  return Buffer.from(value.slice(0, TEXT_LIMIT)).toString();
}

/** A sentence for people out of words of another program: one line, bounded. */
export function sentence(text: string): string {
  return oneLine(text.trim(), 2_000);
}

/** What the last line of a program says of its end; null: it is no such line. */
export function readEnvelope(line: string): {
  readonly status: 'success' | 'failure';
  readonly message: string | null;
  readonly usage: EngineerUsage;
} | null {
  const said = readObject(line);
  const status = said?.text('status');
  if (said === null || (status !== 'success' && status !== 'failure')) return null;
  const usage = said.inner('usage');
  return {
    status,
    message: said.text('message'),
    usage: {
      inputTokens: usage.count('input_tokens') ?? 0,
      cachedTokens: usage.count('cached_tokens') ?? 0,
      outputTokens: usage.count('output_tokens') ?? 0,
      turns: usage.count('turns') ?? 0,
      costUsd: usage.amount('cost_usd'),
    },
  };
}
