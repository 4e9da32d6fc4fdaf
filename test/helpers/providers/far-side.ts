/**
 * What a loopback server that speaks a provider's wire protocol tells a test, and what it can be told to do: the same
 * for every wire, so that one far side, which computes its answers from what it was sent, serves all of them.
 */

import type { Releases } from '../../../src/shared/releases.js';

/** The protocols; `openai` is the Responses API, `openai-compatible` the Chat Completions API. */
export type Wire = 'anthropic' | 'openai' | 'openai-compatible' | 'amazon-bedrock' | 'google';

/** One request as it was received. */
export interface Seen {
  readonly wire: Wire;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the body, untouched. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The text of each system block, in order. */
  readonly system: readonly string[];
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly SeenTool[];
  readonly streaming: boolean;
}

export interface SeenTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** Neighbouring parts of one role may stand in one message or in several, as the wire has it; here each is one. */
export type SeenMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly SeenCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly text: string };

export interface SeenCall {
  /** As it was sent to the provider. */
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** What the far side does with a request. */
export type Deed =
  | {
      readonly kind: 'reply';
      readonly text: string;
      /** Text as `arguments` is sent as it stands, JSON or not; `id` as the provider would give it, may repeat. */
      readonly calls?: readonly {
        readonly tool: string;
        readonly arguments: Record<string, unknown> | string;
        readonly id?: string;
      }[];
      readonly usage?: {
        readonly input: number;
        readonly cached?: number;
        readonly cacheWrite?: number;
        readonly output: number;
      };
      /** The wire's own word; the natural one where absent. */
      readonly stop?: string;
      readonly delayMs?: number;
    }
  /** An error of the provider, in the form of its wire. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      /** Error type or code of the wire, e.g. `insufficient_quota`. */
      readonly type?: string;
    }
  /** The connection is cut: before any byte of an answer, or in the middle of its body. */
  | { readonly kind: 'cut'; readonly when: 'before' | 'within' }
  /** Nothing comes any more, and the connection stays open: before any byte, or in the middle of the body. */
  | { readonly kind: 'silent'; readonly when: 'before' | 'within' }
  /** The body ends as if it were whole, without what every answer ends with. */
  | { readonly kind: 'short'; readonly text: string }
  /** An error after the beginning of an answer, as events of a stream can hold it. */
  | {
      readonly kind: 'error-within';
      readonly text: string;
      readonly type: string;
      readonly message: string;
    }
  /** Anything else, byte for byte: pages of proxies, broken JSON, redirects. */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    };

/** Computes what to do from what was sent; `count` is 1 for the first request of this server. */
export type Respond = (seen: Seen, count: number) => Deed | Promise<Deed>;

export interface FarSide {
  /** What a base URL of the provider has to be, without a slash at the end. */
  readonly url: string;
  readonly seen: readonly Seen[];
}

/** Starts a server on a free port of 127.0.0.1; it is closed by `releases`. */
export type StartFarSide = (wire: Wire, respond: Respond, releases: Releases) => Promise<FarSide>;
