/**
 * A model that gives the recorded answers of a team again (spec/team.md §9): what it is asked must be what was asked
 * then. A question that was not is refused with a diff, and nothing is answered from there on.
 *
 * Fatal codes: `bad-request`, `replay-differs` (what is sent is not what was recorded), `replay-exhausted` (a call too
 * many). It keeps nothing between calls (M1) but which answers were given, for `leftover`, and that it has refused.
 */

import { requestFailure } from '../check-request.js';
import type { Model, ModelFailure, ModelRequest } from '../model.js';
import type { ModelFacts } from '../settings.js';
import {
  askedDifference,
  askedDigest,
  type RecordedCall,
  type RunPlaces,
  translated,
} from './recorded-call.js';

export interface ReplayedModelParts {
  /** `replay/<team-id>`. */
  readonly id: string;
  /** Window and longest answer of the recorded model; a replay costs nothing. */
  readonly facts: ModelFacts;
  /** In the order in which each member was answered. */
  readonly calls: readonly RecordedCall[];
  readonly recorded: RunPlaces;
  /** Of the run that asks now. */
  now(): RunPlaces;
  /** The replay cannot go on; told once. */
  broken(message: string): void;
}

/** The model of one recorded team. */
export function replayedModel(parts: ReplayedModelParts): Model {
  const { id, facts, calls, recorded } = parts;
  const digests = new Map(calls.map((call) => [call, askedDigest(call.asked, recorded)]));
  const given = new Set<RecordedCall>();
  let refused: string | undefined;
  const refuse = (code: string, message: string): ModelFailure => {
    if (refused === undefined) parts.broken(message);
    refused ??= message;
    return { kind: 'fatal', code, message };
  };
  return {
    id,
    facts,
    generate: async (request, signal, watch) => {
      if (signal.aborted) return { kind: 'cancelled' };
      const failure = requestFailure(request);
      if (failure !== null) return failure;
      if (refused !== undefined) return { kind: 'fatal', code: 'replay-differs', message: refused };
      const places = parts.now();
      const digest = askedDigest(request, places);
      const own = calls.filter(({ member }) => member === request.member);
      const fits = own.filter((call) => digests.get(call) === digest);
      const call = fits.find((one) => !given.has(one)) ?? fits[0];
      if (call === undefined)
        return refuse(
          ...differs(
            id,
            request,
            own.find((one) => !given.has(one)),
            parts,
          ),
        );
      given.add(call);
      const reply = translated(call.reply, recorded, places);
      if (reply.text !== '') watch?.(reply.text);
      return reply;
    },
    leftover: (member) => {
      const own = calls.filter((call) => call.member === member);
      const left = own.filter((call) => !given.has(call)).length;
      return left === 0 ? [] : [`${id}: ${left} of ${own.length} answers of ${member} were never used`];
    },
  };
}

function differs(
  id: string,
  request: ModelRequest,
  due: RecordedCall | undefined,
  { recorded, now }: ReplayedModelParts,
): [code: string, message: string] {
  if (due === undefined) {
    return ['replay-exhausted', `${id}: a call too many: ${request.member} has had all its recorded answers`];
  }
  const diff = askedDifference({ asked: due.asked, places: recorded }, { asked: request, places: now() });
  const head = `${id}: what ${request.member} sends is not what was recorded`;
  return ['replay-differs', [head, ...diff].join('\n')];
}
