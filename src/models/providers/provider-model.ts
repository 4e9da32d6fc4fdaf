/**
 * The model port over a vendor's package: one question, one answer, no retry. The packages are asked for one answer
 * each; whoever asks decides what to do about a failure.
 */

import type { Clock } from '../../shared/clock.js';
import { BugError, errorText } from '../../shared/errors.js';
import { requestFault } from '../check-request.js';
import type { Model, ModelOutcome, ModelRequest } from '../model.js';
import type { ModelFacts } from '../settings.js';
import { wholeAnswer } from './answer.js';
import { callOptions } from './convert-request.js';
import type { Credential } from './door.js';
import { type Bounds, Exchange } from './exchange.js';
import { replyOf } from './map-answer.js';
import { type FailureContext, fatal, lineFailure, perhapsUsed, refusal, unavailable } from './map-failure.js';
import { readErrorValue } from './provider-error.js';
import { readStream, type Streamed } from './read-stream.js';
import { told } from './told.js';
import type { Vendor } from './vendor.js';

type Language = ReturnType<Vendor['language']>;

export interface ProviderModelParts {
  readonly id: string;
  readonly facts: ModelFacts;
  readonly vendor: Vendor;
  readonly credential: Credential;
  readonly bounds: Bounds;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/** Keeps nothing between calls (M1); every failure is a value (M2). */
export function providerModel(parts: ProviderModelParts): Model {
  const lines = new Lines(parts.vendor);
  return {
    id: parts.id,
    facts: parts.facts,
    leftover: () => [],
    async generate(request, signal, watch): Promise<ModelOutcome> {
      if (signal.aborted) return { kind: 'cancelled' };
      const fault = requestFault(request);
      if (fault !== null) return fatal('bad-request', `${parts.id}: ${request.member}: ${fault}`);
      const exchange = new Exchange(signal, parts.bounds, { streamed: watch !== undefined });
      try {
        const streamed = await question(parts.vendor, lines, request, signal, exchange, watch);
        if (signal.aborted) return { kind: 'cancelled' };
        return outcomeOf(streamed, request, exchange, parts);
      } catch (error) {
        if (signal.aborted) return { kind: 'cancelled' };
        return failureOf(error, undefined, exchange, parts);
      } finally {
        exchange.close();
      }
    },
  };
}

/** A vendor's model, bound to the exchange of the question that uses it. */
interface Line {
  readonly language: Language;
  exchange: Exchange | null;
}

/**
 * The vendor's models that are there, each for one question at a time. Making one builds the schemas of its answers,
 * which costs more than everything else that a question does here.
 */
class Lines {
  readonly #vendor: Vendor;
  readonly #free: Line[] = [];

  constructor(vendor: Vendor) {
    this.#vendor = vendor;
  }

  take(exchange: Exchange): Line {
    const line = this.#free.pop() ?? this.#make();
    line.exchange = exchange;
    return line;
  }

  giveBack(line: Line): void {
    line.exchange = null;
    this.#free.push(line);
  }

  #make(): Line {
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (line.exchange === null)
        throw new BugError('late-question', 'a package asks when its question is over');
      return line.exchange.fetch(url, init);
    };
    const line: Line = { language: this.#vendor.language(fetch), exchange: null };
    return line;
  }
}

async function question(
  vendor: Vendor,
  lines: Lines,
  request: ModelRequest,
  signal: AbortSignal,
  exchange: Exchange,
  watch: ((fragment: string) => void) | undefined,
): Promise<Streamed> {
  const options = callOptions(request, vendor.dialect, signal);
  const line = lines.take(exchange);
  const streamed = await asked(line.language, options, watch);
  // One that failed or was called off may still be at work for this question: it is not used again.
  if (!signal.aborted) lines.giveBack(line);
  return streamed;
}

async function asked(
  language: Language,
  options: ReturnType<typeof callOptions>,
  watch: ((fragment: string) => void) | undefined,
): Promise<Streamed> {
  if (watch === undefined) {
    return { kind: 'answer', answer: wholeAnswer(await language.doGenerate(options)) };
  }
  // The wire's own words of an error in a stream are lost by some packages.
  const { stream } = await language.doStream({ ...options, includeRawChunks: true });
  return readStream(stream, watch);
}

function outcomeOf(
  streamed: Streamed,
  request: ModelRequest,
  exchange: Exchange,
  parts: ProviderModelParts,
): ModelOutcome {
  switch (streamed.kind) {
    case 'answer': {
      const reply = replyOf(streamed.answer, request);
      return typeof reply === 'string' ? perhapsUsed(unavailable(`${parts.id}: ${reply}`)) : reply;
    }
    case 'error':
      return failureOf(streamed.error, streamed.frame, exchange, parts);
    case 'unfinished':
      if (exchange.fault !== null) return failureOf(undefined, undefined, exchange, parts);
      return perhapsUsed(unavailable(`${parts.id}: the provider's answer ended in the middle`));
  }
}

/** The line knows best; then what the provider wrote into its answer; then what the package could not read. */
function failureOf(
  error: unknown,
  frame: unknown,
  exchange: Exchange,
  { id, credential, clock }: ProviderModelParts,
): ModelOutcome {
  const context: FailureContext = { id, credential, wallMs: clock.wallMs() };
  if (exchange.fault !== null) return lineFailure(exchange.fault, context);
  const written = writtenError(error, frame);
  if (written !== undefined) return perhapsUsed(refusal(null, readErrorValue(written), null, context));
  const text = `${id}: the provider's answer cannot be read: ${told(errorText(error), credential)}`;
  return perhapsUsed(unavailable(text));
}

/** The error that the provider wrote into an answer that began well, as a value; undefined when it wrote none. */
function writtenError(error: unknown, frame: unknown): unknown {
  if (isErrorFrame(frame)) return frame;
  if (typeof error !== 'object' || error === null) return undefined;
  if ('data' in error && isErrorFrame(error.data)) return error.data;
  const body = 'responseBody' in error ? error.responseBody : undefined;
  const value = typeof body === 'string' ? parse(body) : body;
  return isErrorFrame(value) ? value : undefined;
}

/** Whether a value of the wire speaks of an error, in any vendor's form. */
function isErrorFrame(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('error' in value) return value.error !== null && value.error !== undefined;
  if ('type' in value && (value.type === 'error' || /_error$/.test(String(value.type)))) return true;
  if ('response' in value) return isErrorFrame(value.response);
  return Object.keys(value).some((key) => /Exception$/.test(key));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
