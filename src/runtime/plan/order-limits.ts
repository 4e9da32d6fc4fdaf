/** The limits of a run: the recipe's, tightened by the operator's `--limit` (spec/team.md §1). Never loosened. */

import { limitsFile, type Limits as RecipeLimits } from '../../catalog/recipes/limits.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { Limits } from '../../events/facts/frozen.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';

/** The recipe's limits under the names that people write and the record keeps. */
export function recordLimits(limits: RecipeLimits): Limits {
  return {
    members: limits.members,
    concurrency: limits.concurrency,
    turns: limits.turns,
    turn_minutes: limits.turnMinutes,
    lost_turns: limits.lostTurns,
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
  const tightened = new Map<string, number | null>(Object.entries(limits));
  const findings: Finding[] = [];
  for (const [name, text] of given) {
    const current = tightened.get(name);
    if (current === undefined) {
      findings.push(
        finding('unknown-limit', `there is no limit "${name}"`, nameRemedy(name, [...tightened.keys()])),
      );
      continue;
    }
    // The least values and whole numbers are those of a recipe: what it may not say, the operator may not either.
    const isNumber = text.trim() !== '' && !Number.isNaN(Number(text));
    const parsed = isNumber ? limitsFile.safeParse({ [name]: Number(text) }) : undefined;
    if (parsed?.success !== true) {
      const why = parsed?.error.issues[0]?.message ?? 'a number is missing';
      findings.push(
        finding('bad-limit', `${name}=${text} cannot be: ${why}`, `write --limit ${name}=<number>`),
      );
      continue;
    }
    const value = Number(text);
    if (current !== null && value > current) {
      const message = `${name}=${text} is looser than the recipe's ${current}`;
      findings.push(finding('limit-loosened', message, `give at most ${current}, or change the recipe`));
    } else {
      tightened.set(name, value);
    }
  }
  return { limits: { ...limits, ...Object.fromEntries(tightened) }, findings };
}

/** What a recipe needs from the start and the tightened limits do not allow: it could never begin. */
export function tooTight(recipe: Recipe, limits: Limits): Finding[] {
  const seats = recipe.roles.length - recipe.onDemand.length;
  const rows = [
    { name: 'members', has: limits.members, needs: seats, why: 'the seats that are always on are' },
    { name: 'tasks', has: limits.tasks, needs: recipe.tasks.length, why: 'the tasks of the recipe are' },
    {
      name: 'unread_bytes',
      has: limits.unread_bytes,
      needs: limits.mail_bytes,
      why: 'one message may have a mail_bytes of',
    },
  ];
  return rows
    .filter(({ has, needs }) => has < needs)
    .map(({ name, has, needs, why }) =>
      finding('limit-too-low', `${name}=${has} can never suffice: ${why} ${needs}`, `give at least ${needs}`),
    );
}

function finding(code: string, message: string, remedy: string): Finding {
  return { code, severity: 'error', path: '--limit', message, remedy };
}
