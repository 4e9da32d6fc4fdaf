/** How one provider's protocol is spoken: what each wire's file gives to the loopback server. */

import type { Deed, Seen } from './far-side.js';

export type Reply = Extract<Deed, { kind: 'reply' }>;

export interface Incoming {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Everything of a request but what the server knows itself. */
export type Parsed = Pick<Seen, 'model' | 'system' | 'messages' | 'tools' | 'streaming'>;

/** A call as it goes out. */
export interface OutgoingCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: Record<string, unknown> | string;
}

/** A reply with every default set. */
export interface Outgoing {
  /** Of the message, where a program looks at it; always the same unless given. */
  readonly id?: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly OutgoingCall[];
  readonly usage: {
    readonly input: number;
    readonly cached: number;
    readonly cacheWrite: number;
    readonly output: number;
  };
  readonly stop: string;
}

export interface WireError {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface WireSpeech {
  /** What stands behind host and port in a base URL of this provider. */
  readonly basePath: string;
  readonly streamType: string;
  /** Checks what the provider checks; throws a `Refusal`. */
  parse(incoming: Incoming): Parsed;
  /** The wire's words for why it stopped. */
  readonly stops: { readonly end: string; readonly calls: string };
  /** The id of the n-th call of a reply: every reply begins anew, as some providers do. */
  callId(index: number): string;
  whole(reply: Outgoing): unknown;
  /** The events of a stream, in order; the last ones say that it is whole. */
  events(reply: Outgoing): readonly Uint8Array[];
  error(status: number, message: string, type: string | undefined): WireError;
  /** An error as an event of a stream. */
  errorEvent(type: string, message: string): Uint8Array;
}

/** A request that the real provider would refuse, and how. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string | undefined;

  constructor(message: string, status = 400, type?: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

export function refuse(message: string): never {
  throw new Refusal(message);
}

export function object(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`${where}: an object is required, not ${JSON.stringify(value)}`);
  }
  return value as Readonly<Record<string, unknown>>;
}

export function list(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(`${where}: a list is required, not ${JSON.stringify(value)}`);
}

export function string(value: unknown, where: string): string {
  return typeof value === 'string'
    ? value
    : refuse(`${where}: a text is required, not ${JSON.stringify(value)}`);
}

/** A text that says something. */
export function words(value: unknown, where: string): string {
  const text = string(value, where);
  return text.trim() === '' ? refuse(`${where}: text content blocks must be non-empty`) : text;
}

export function name(value: unknown, where: string, pattern = /^[a-zA-Z0-9_-]{1,64}$/): string {
  const text = string(value, where);
  return pattern.test(text) ? text : refuse(`${where}: "${text}" does not match ${pattern.source}`);
}

export function tokens(value: unknown, where: string, least = 1): void {
  if (!Number.isInteger(value) || (value as number) < least)
    refuse(`${where}: an integer from ${least} is required`);
}

/** JSON Schema of an object, as every provider wants it for the arguments of a tool. */
export function schema(value: unknown, where: string): unknown {
  const given = object(value, where);
  return given['type'] === 'object' ? given : refuse(`${where}: "type": "object" is required`);
}

export function bearer(headers: Readonly<Record<string, string>>): boolean {
  return /^Bearer \S+$/.test(headers['authorization'] ?? '');
}

/** A text in pieces as they come over a line, surrogate pairs whole. */
export function pieces(text: string, size = 7): readonly string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}

export function argumentText(args: OutgoingCall['arguments']): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

export function sse(data: unknown, event?: string): Uint8Array {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
}
