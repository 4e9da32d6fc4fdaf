/**
 * The model port: one question, one answer. Implementations: scripted, replayed, the AI SDK's providers. This is the
 * map of the folder.
 *
 *   choice/      which model a role speaks with: names, aliases, keys and addresses, what is known of each
 *   open-model   from what was chosen to models;  script/, providers/   the two kinds there are
 *   replay/      models that are recorded, and models that are played again
 *   pacing, pacing-gates    who may ask a provider when
 *   check-request, estimate-tokens, counted-bytes, reservation, cost    one question each about a call
 *
 * Promises of every implementation, held by `test/contracts/model.ts`:
 *  M1 a model keeps nothing between calls: the same request gives an answer from the request alone, so a run
 *     can be taken up by another process at any point;
 *  M2 failures are values of `ModelFailure`, never exceptions; an abort gives `cancelled`;
 *  M3 tool calls come back in the order asked, with arguments parsed to an object or kept as raw text.
 */

import type { ModelFacts } from './settings.js';

/** One block of the system prompt; providers that have blocks send one each (spec/skills.md §5). */
export interface PromptPart {
  /** `preamble`, `role`, `process`, `rule:<name>`, `skill:<name>`, `contract`, `roster`, `working-rules`. */
  readonly name: string;
  readonly text: string;
}

export interface ModelCall {
  /** Unique within the conversation; ours, never the provider's (those repeat). */
  readonly id: string;
  readonly tool: string;
  /** An object when the model's arguments parsed as JSON, else the raw text. */
  readonly arguments: unknown;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  | {
      readonly role: 'tool';
      readonly call: string;
      readonly tool: string;
      readonly text: string;
      readonly failed: boolean;
    };

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** Who asks: scripted models choose their part by it, providers ignore it. */
  readonly member: string;
  readonly role: string;
  readonly system: readonly PromptPart[];
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number;
}

/** Tokens as the provider counted them. */
export interface Usage {
  /** All input, whatever it cost: fresh, read from a cache, written to one. */
  readonly inputTokens: number;
  /** The part of it that was read from the provider's cache. */
  readonly cachedTokens: number;
  /** The part of it that was written to the provider's cache; absent where none is. */
  readonly cacheWriteTokens?: number;
  readonly outputTokens: number;
}

export interface ModelReply {
  readonly kind: 'reply';
  readonly text: string;
  readonly calls: readonly Omit<ModelCall, 'id'>[];
  readonly usage: Usage;
  /** Why the model stopped: `end`, `tool_calls`, `length`, `refusal`, or the provider's own word. */
  readonly stop: string;
  /** What a model that is recorded was sent; absent for every other. */
  readonly sent?: Sent;
}

/** The proof of what a model was sent: with the record of its team it is enough to play the answer again. */
export interface Sent {
  readonly systemSha256: string;
  readonly messagesSha256: string;
  /** The definitions of the tools as JSON, to be kept under `toolsSha256`. */
  readonly tools: string;
  readonly toolsSha256: string;
  readonly maxOutputTokens: number;
  /** Of the model: what decides when a memory is compacted and how long an answer may be. */
  readonly contextTokens: number | null;
  readonly longestAnswer: number | null;
}

/** The provider may have read the question, or written part of an answer; absent: it has refused before it did. */
type PerhapsUsed = true;

/** Failures by what the caller can do. */
export type ModelFailure =
  /** Ask again later, all members of this provider and key (429, 529). */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number | null; readonly message: string }
  /** Ask again soon (5xx, connection cut). */
  | {
      readonly kind: 'unavailable';
      readonly retryAfterMs: number | null;
      readonly message: string;
      readonly perhapsUsed?: PerhapsUsed;
    }
  /** The same request will fail again (bad key, bad request, script at an end). `code` is stable kebab-case. */
  | {
      readonly kind: 'fatal';
      readonly code: string;
      readonly message: string;
      readonly perhapsUsed?: PerhapsUsed;
    }
  | { readonly kind: 'cancelled' };

export type ModelOutcome = ModelReply | ModelFailure;

export interface Model {
  /** `provider/name` as chosen, e.g. `script/quickstart`. */
  readonly id: string;
  /** What is known of it before it is asked; a script costs nothing and has no window. */
  readonly facts: ModelFacts;
  /**
   * Opaque, the same for every model of one provider and key: they are slowed down together (`pacing-gates.ts`).
   * Absent: it shares its provider's patience with nobody.
   */
  readonly gate?: string;
  /** Its answers say what was sent, and are to be recorded with it. */
  readonly records?: true;
  /**
   * Answers one request. Never rejects (M2).
   * @param watch given where somebody looks on: told of each fragment of text as it comes. Fragments are a show; the
   *     answer is the outcome, and fragments of an answer that fails are worth nothing.
   */
  generate(
    request: ModelRequest,
    signal: AbortSignal,
    watch?: (fragment: string) => void,
  ): Promise<ModelOutcome>;
  /**
   * What is left unsaid of a script once its team has ended: one line per step that was never used. Providers
   * answer with an empty list. Given the conversation of one member as last sent.
   */
  leftover(member: string, role: string, messages: readonly ModelMessage[]): readonly string[];
}
