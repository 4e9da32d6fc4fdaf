/** What went wrong, as the caller can act on it (`ModelFailure`). Pure: the time of day is an argument. */

import { assertNever } from '../../shared/assert-never.js';
import type { ModelFailure } from '../model.js';
import type { Credential } from './door.js';
import type { LineFault } from './line-fault.js';
import { type ProviderError, readErrorBody } from './provider-error.js';
import { boundedWaitMs, retryAfterMs } from './retry-after.js';
import { told } from './told.js';

export interface FailureContext {
  /** `provider/name`; messages begin with it. */
  readonly id: string;
  readonly credential: Credential;
  readonly wallMs: number;
}

/** Codes of connections that never came to be: the provider has seen nothing of the question. */
const NEVER_ARRIVED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Faults of the line. Certificates do not mend themselves; all else on the way to a provider may. */
export function lineFailure(fault: LineFault, context: FailureContext): ModelFailure {
  const { id } = context;
  const say = (text: string): string => told(text, context.credential);
  switch (fault.kind) {
    case 'status': {
      const error = readErrorBody(fault.body, fault.headers);
      const waitMs = retryAfterMs(fault.headers, context.wallMs);
      return refusal(fault.status, error, waitMs, context);
    }
    case 'redirect': {
      const to = say(fault.host);
      return fatal(
        'bad-answer',
        `${id}: the provider sends to "${to}" (HTTP ${fault.status}); not followed, the key would go along; give the right address`,
      );
    }
    case 'page': {
      const title = say(fault.title);
      const page = title === '' ? 'a web page' : `a web page ("${title}")`;
      return fatal('bad-answer', `${id}: ${page} answered, not the provider; check its address`);
    }
    case 'broken': {
      const why = fault.code === null ? say(fault.text) : `${fault.code}: ${say(fault.text)}`;
      if (fault.code === 'ERR_INVALID_CHAR') {
        return fatal('bad-key', `${id}: the value of ${variableOf(context)} cannot be sent: ${why}`);
      }
      if (/CERT|SIGNATURE|^UNABLE_TO/.test(fault.code ?? '')) {
        return fatal('bad-certificate', `${id}: the provider's certificate is not trusted (${why})`);
      }
      const failure = unavailable(`${id}: no connection to the provider, or a broken one (${why})`);
      return NEVER_ARRIVED.has(fault.code ?? '') ? failure : perhapsUsed(failure);
    }
    case 'silent':
      return perhapsUsed(
        unavailable(
          `${id}: the provider was silent for ${fault.ms / 1000} s (${fault.during === 'headers' ? 'no answer began' : 'in the middle of its answer'})`,
        ),
      );
    case 'too-large':
      return perhapsUsed(unavailable(`${id}: the answer is longer than ${fault.bytes} bytes`));
    default:
      return assertNever(fault, 'fault of the line');
  }
}

/**
 * A refusal of the provider.
 * @param status of HTTP, or null for an error inside of an answer that began well
 */
export function refusal(
  status: number | null,
  error: ProviderError,
  waitMs: number | null,
  context: FailureContext,
): ModelFailure {
  const text = told(error.message, context.credential);
  const word = told(error.words[0] ?? '', context.credential);
  const where = [status === null ? '' : `HTTP ${status}`, word].filter((part) => part !== '').join(', ');
  const message = `${context.id}: the provider refuses${where === '' ? '' : ` (${where})`}${text === '' ? '' : `: ${text}`}`;
  const kind = kindOf(status ?? statusOf(error), error, context);
  switch (kind) {
    case 'rate_limited': {
      const told = waitMs ?? (error.retryDelayMs === null ? null : boundedWaitMs(error.retryDelayMs));
      return { kind: 'rate_limited', retryAfterMs: told, message };
    }
    case 'unavailable':
      return { kind: 'unavailable', retryAfterMs: waitMs, message };
    case 'bad-key':
      return fatal(kind, `${message}; check ${variableOf(context)}`);
    case 'unknown-model':
      return fatal(kind, `${message}; check the name of the model`);
    case 'bad-address':
      return fatal(kind, `${message}; check the address of the provider`);
    default:
      return fatal(kind, message);
  }
}

type Kind =
  | 'rate_limited'
  | 'unavailable'
  | 'quota'
  | 'bad-key'
  | 'unknown-model'
  | 'context-exceeded'
  | 'bad-request'
  | 'bad-address';

const QUOTA_WORDS = /insufficient_(quota|credits|balance)|billing|servicequotaexceeded/;
const QUOTA_TEXT = /credit balance is too low|insufficient (balance|credits)/i;
const LENGTH_WORDS = /context_length_exceeded|exceed_context_size|request_too_large/;
const LENGTH_TEXT =
  /prompt is too long|input is too long|maximum context length|exceeds? (the )?(available |model'?s? )?(maximum )?context( size| length| window| limit|_length)|input token count.{0,40}exceeds|exceed context limit|too many input tokens/i;
const TOO_LARGE_TEXT = /^request too large/i;
const MODEL_WORDS = /model_not_found|unknown_model|invalid_model/;
const MODEL_TEXT = /model identifier is invalid|model.{0,80}(does not exist|not found|is not supported)/i;
const KEY_TEXT = /api[ _]key not valid|api_key_invalid|invalid api key/i;

function kindOf(status: number, error: ProviderError, context: FailureContext): Kind {
  const words = error.words.join(' ');
  if (status === 402 || QUOTA_WORDS.test(words) || QUOTA_TEXT.test(error.message)) return 'quota';
  // One question larger than what a minute allows never comes through, however long it waits.
  if (status === 429 && TOO_LARGE_TEXT.test(error.message)) return 'context-exceeded';
  if (status === 429 || status === 529) return 'rate_limited';
  if (status === 408 || status === 409 || status === 424 || status === 425 || status >= 500)
    return 'unavailable';
  if (MODEL_WORDS.test(words)) return 'unknown-model';
  if (status === 401 || status === 403 || KEY_TEXT.test(`${words} ${error.message}`)) return 'bad-key';
  if (status === 413 || LENGTH_WORDS.test(words) || LENGTH_TEXT.test(error.message))
    return 'context-exceeded';
  if (status === 404) {
    const name = context.id.slice(context.id.indexOf('/') + 1);
    return /model/i.test(`${words} ${error.message}`) || error.message.includes(name)
      ? 'unknown-model'
      : 'bad-address';
  }
  return MODEL_TEXT.test(error.message) ? 'unknown-model' : 'bad-request';
}

/** The status that an error inside of an answer would have had; what says nothing may pass. */
function statusOf({ words }: ProviderError): number {
  const all = words.join(' ');
  if (/overloaded/.test(all)) return 529;
  if (/rate_?limit|throttl|too_?many|resource_exhausted/.test(all)) return 429;
  if (/authentication|unauthenticated|permission|access_?denied/.test(all)) return 401;
  if (/not_?found/.test(all)) return 404;
  if (/invalid|validation|context_length/.test(all)) return 400;
  return 500;
}

function variableOf({ credential }: FailureContext): string {
  return credential.kind === 'none' ? 'the key: none is sent' : credential.variable;
}

/**
 * The failure of a call that may have been used: a provider that was asked and did not say so in time, or broke off. One
 * that asks to be left alone has done nothing.
 */
export function perhapsUsed(failure: ModelFailure): ModelFailure {
  return failure.kind === 'unavailable' || failure.kind === 'fatal'
    ? { ...failure, perhapsUsed: true }
    : failure;
}

export function unavailable(message: string): ModelFailure {
  return { kind: 'unavailable', retryAfterMs: null, message };
}

export function fatal(code: string, message: string): ModelFailure {
  return { kind: 'fatal', code, message };
}
