/** The limits of a run: the recipe's, tightened by the operator's `--limit` (spec/team.md §1). Never loosened. */

import type { Limits as RecipeLimits } from '../catalog/limits.js';
import type { Limits } from '../events/facts/frozen.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import type { Finding } from '../shared/findings.js';

/** The recipe's limits under the names that people write and the record keeps. */
export function recordLimits(limits: RecipeLimits): Limits {
  return {
    members: limits.members,
    concurrency: limits.concurrency,
    turns: limits.turns,
    turn_minutes: limits.turnMinutes,
    model_calls: limits.modelCalls,
    tokens: limits.tokens,
    cost_usd: limits.costUsd,
    wall_minutes: limits.wallMinutes,
    messages: limits.messages,
    mail_bytes: limits.mailBytes,
    unread_bytes: limits.unreadBytes,
    tasks: limits.tasks,
    open_requests: limits.openRequests,
    calls_per_reply: limits.callsPerReply,
    calls_per_turn: limits.callsPerTurn,
    review_rounds: limits.reviewRounds,
    record_bytes: limits.recordBytes,
  };
}

/** Applies `--limit name=value`; an unknown name, a bad value or a looser one is an error. */
export function tightenLimits(
  limits: Limits,
  given: ReadonlyMap<string, string>,
): { readonly limits: Limits; readonly findings: readonly Finding[] } {
  const tightened: Record<string, number | null> = { ...limits };
  const findings: Finding[] = [];
  for (const [name, text] of given) {
    const current = tightened[name];
    if (current === undefined) {
      findings.push(
        finding('unknown-limit', `there is no limit "${name}"`, nameRemedy(name, Object.keys(limits))),
      );
      continue;
    }
    const value = Number(text);
    const whole =
      name === 'turn_minutes' || name === 'wall_minutes' || name === 'cost_usd' || Number.isInteger(value);
    if (text.trim() === '' || !Number.isFinite(value) || value < 0 || !whole) {
      const allowed = `a ${whole ? '' : 'whole '}number from 0`;
      findings.push(
        finding('bad-limit', `${name}=${text} is not ${allowed}`, `write --limit ${name}=<number>`),
      );
    } else if (current !== null && value > current) {
      const message = `${name}=${text} is looser than the recipe's ${current}`;
      findings.push(finding('limit-loosened', message, `give at most ${current}, or change the recipe`));
    } else {
      tightened[name] = value;
    }
  }
  return { limits: tightened as Limits, findings };
}

function finding(code: string, message: string, remedy: string): Finding {
  return { code, severity: 'error', path: '--limit', message, remedy };
}
