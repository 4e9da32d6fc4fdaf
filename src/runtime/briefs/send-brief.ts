/**
 * Sends a brief for a member's call (spec/runner.md §4): the commit it begins from, the brief, the wish to send it. When the
 * board has changed between preparing and sending it is prepared anew; nothing leaves before the record has it.
 */

import { failed, ok, type ToolResult } from '../../agent/tool.js';
import type { Fact, FactOf } from '../../events/event.js';
import type { TeamStore } from '../../state/team-store.js';
import type { BriefOffer } from '../../team/command.js';
import { turnScope } from '../../team/evolve.js';
import { taskNamed } from '../../tools/coordination/coordination.js';
import type { EngineerWish } from '../../tools/delegate-engineer.js';
import type { BriefMaker } from './make-brief.js';
import type { WorkspaceGit } from './workspace-git.js';

export interface SendingParts {
  /** `stand-in`: none is started (`simulate-engineer.ts`). */
  readonly engineers: 'real' | 'stand-in';
  readonly store: TeamStore;
  readonly maker: BriefMaker;
  readonly git: WorkspaceGit;
  /** The repository that a runner is to fetch a commit of the workspace from. */
  repository(commit: string, signal: AbortSignal): Promise<string>;
}

const TRIES = 3;

/** What a simulated engineer begins from: nobody looks at it. */
const SIMULATED = { kind: 'base', commit: '0'.repeat(40), uncommitted: 0 } as const;

/** @param place of the call: run again there, it sends once */
export async function sendBrief(
  parts: SendingParts,
  member: string,
  wish: EngineerWish,
  place: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { engineers, store, maker, git } = parts;
  const base = engineers === 'stand-in' ? SIMULATED : await git.base(wish.base, signal);
  if (base.kind === 'refused') return failed(`not sent: ${base.text}`);
  const from = { repo: await parts.repository(base.commit, signal), base: base.commit };
  for (let tried = 1; ; tried++) {
    const { state } = store;
    const life = state.members.get(member)?.life;
    const task = state.tasks.get(taskNamed(state, wish.task));
    if (task === undefined) return failed(`unknown_task: there is no task ${wish.task}`);
    if (life?.kind !== 'working') return failed('not sent: the turn is over');
    const made = await maker.make(state, member, task, wish, from);
    if (made.kind === 'refused') return failed(`not sent: ${made.text}`);
    const id = `${turnScope(member)}${place}/brief/${tried}`;
    const outcome = await store.send(id, { kind: 'brief.send', member, turn: life.turn, sent: made.offer });
    // Run again at its place it has sent one before: that is the one it tells of.
    if (outcome.kind === 'accepted')
      return ok(sentText(sentIn(outcome.facts) ?? made.offer, base.uncommitted));
    if (outcome.code !== 'prepare_again' || tried === TRIES)
      return failed(`${outcome.code}: ${outcome.message}`);
  }
}

function sentIn(facts: readonly Fact[]): FactOf<'brief.sent'> | undefined {
  return facts.find((fact) => fact.type === 'brief.sent');
}

/** What the member is told of a brief that has left. */
function sentText(offer: BriefOffer, uncommitted: number): string {
  const { brief, task, branch, base, safety, wall_minutes: minutes, cost_usd: usd, engineer } = offer;
  const bounds = `${minutes} minutes${usd === null ? '' : ` and ${usd} USD`}`;
  const unseen =
    uncommitted === 0
      ? ''
      : ` The workspace has changes that are not committed (${uncommitted} files): the engineer does not see them.`;
  return (
    `Brief ${brief} is sent: ${engineer.kind} (${safety}) works on ${task} from ${base.slice(0, 12)}, within ${bounds}.${unseen} ` +
    `What it commits comes as branch ${branch} of this workspace. A message tells you of its end: do other work, or end your turn.`
  );
}
