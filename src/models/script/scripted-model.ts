/**
 * The scripted model: answers from a script, with no network and no key (spec/team.md §9). It keeps nothing
 * between calls (M1) but how often a failure that passes has been met; every failure is a value (M2).
 *
 * Fatal codes: `bad-request`, `script-mismatch` (what was sent is not what the script expects, or the
 * conversation is not one of this script), `script-exhausted` (a call too many), and what a `fail` step names.
 */

import { sleep } from '../../shared/abort.js';
import { CancelledError, errorText } from '../../shared/errors.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { requestFailure } from '../check-request.js';
import type { Model, ModelFailure, ModelOutcome, ModelReply, ModelRequest } from '../model.js';
import { FREE } from '../settings.js';
import { estimatedReply } from './estimated-reply.js';
import { leftover } from './leftover.js';
import { nextAnswer, type Played } from './next-answer.js';
import { fill } from './pattern.js';
import { renderSteps } from './render-steps.js';
import { Replays } from './replay.js';
import type { Script } from './script.js';

/**
 * A model that plays a script.
 * @param script a checked script
 * @param name the file as the model's name gives it; the id is `script/<name>` and failures begin with it, so
 *   they read the same on every machine
 */
export function scriptedModel(script: Script, name: string): Model {
  const failures = new PassingFailures();
  const replays = new Replays();
  return {
    id: `script/${name}`,
    async generate(request, signal, watch): Promise<ModelOutcome> {
      try {
        if (signal.aborted) return { kind: 'cancelled' };
        const answer = answerTo(script, request, replays, failures);
        if (answer.delayMs > 0) await sleep(answer.delayMs, signal);
        if (answer.outcome.kind === 'reply' && answer.outcome.text !== '') watch?.(answer.outcome.text);
        return withName(answer.outcome, name);
      } catch (error) {
        if (error instanceof CancelledError) return { kind: 'cancelled' };
        return fatal('script-failed', `${name}: ${errorText(error)}`); // e.g. a regex that runs out of stack
      }
    },
    facts: FREE,
    leftover: (member, role, messages) => leftover(script, name, member, role, messages),
  };
}

/** What is answered, and how late. */
interface LateOutcome {
  readonly outcome: ModelOutcome;
  readonly delayMs: number;
}

/** Failures of this have no name before them yet; `withName` puts it there. */
function answerTo(
  script: Script,
  request: ModelRequest,
  replays: Replays,
  failures: PassingFailures,
): LateOutcome {
  const failure = requestFailure(request);
  if (failure !== null) return atOnce(failure);
  const part = script.parts.get(roleIdentity(request.role));
  if (part === undefined) {
    const known = [...script.parts.values()].map(({ role }) => role).join(', ');
    const message = `roles: there is no part for "${request.role}"; parts: ${known}; add one`;
    return atOnce(fatal('script-exhausted', message));
  }
  const replayed = replays.replay(part, request.member, request.messages);
  if (replayed.kind === 'lost') return atOnce(fatal('script-mismatch', replayed.message));
  const answer = nextAnswer(part, replayed.position);
  switch (answer.kind) {
    case 'failure':
      return atOnce(fatal(answer.code, answer.message));
    case 'idle':
      return atOnce(estimatedReply(fill(answer.text, replayed.position.captures, new Set()), [], request));
    case 'steps':
      return {
        outcome: failures.next(request.member, answer.played) ?? played(answer.played, request),
        delayMs: answer.played.reduce((sum, { step }) => sum + step.delayMs, 0),
      };
  }
}

/** How often each member has met each failure that passes. */
class PassingFailures {
  readonly #met = new Map<string, number>();

  /** The failure that comes in place of this answer, once more; undefined when it has come often enough. */
  next(member: string, steps: readonly Played[]): ModelFailure | undefined {
    for (const { step } of steps) {
      if (step.passing === null) continue;
      const { kind, message, retryAfterMs, times } = step.passing;
      const key = `${step.place} ${member}`;
      const met = this.#met.get(key) ?? 0;
      if (met >= times) continue;
      this.#met.set(key, met + 1);
      return { kind, retryAfterMs, message: `${step.place}: ${message}` };
    }
    return undefined;
  }
}

function played(steps: readonly Played[], request: ModelRequest): ModelReply | ModelFailure {
  for (const { step } of steps) {
    if (step.failure !== null) return fatal(step.failure.code, `${step.place}: ${step.failure.message}`);
  }
  const rendered = renderSteps(steps);
  if (rendered.kind === 'unknown') return fatal('script-mismatch', rendered.message);
  return estimatedReply(rendered.text, rendered.calls, request);
}

function atOnce(outcome: ModelOutcome): LateOutcome {
  return { outcome, delayMs: 0 };
}

function fatal(code: string, message: string): ModelFailure {
  return { kind: 'fatal', code, message };
}

function withName(outcome: ModelOutcome, name: string): ModelOutcome {
  return 'message' in outcome ? { ...outcome, message: `${name}: ${outcome.message}` } : outcome;
}
