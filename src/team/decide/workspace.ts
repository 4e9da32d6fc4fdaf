/** On which machine the workspace of a team is, and what is lost with that machine (spec/engine.md §3). */

import type { Fact } from '../../events/event.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { isLive, type Member, type Task, type TeamState } from '../state.js';
import { placeOf, workspaceUse } from '../workspace.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** The refusal of a turn on a machine where its member's workspace is not; undefined where it may be served there. */
export function notServedOn(state: TeamState, member: Member, host: string): Refusal | undefined {
  const place = placeOf(state, member.seat);
  if (place === 'any') return undefined;
  if (place === 'binds') {
    return refused(
      'workspace_unbound',
      `${member.name} may write the workspace, which is on no machine yet: bind it first`,
    );
  }
  if (place.host === host) return undefined;
  return refused('wrong_host', `${member.name} works in the workspace on ${place.host}, not on ${host}`);
}

/** Binds the workspace to a machine, or says which newer commit of it others can get. */
export function bindWorkspace({ workspace }: TeamState, { host, commit }: Of<'workspace.bind'>): Decision {
  if (!workspace.written)
    return refused('nothing_to_bind', 'nobody of this team may write the workspace: it is on no machine');
  if (workspace.host !== null && workspace.host !== host)
    return refused('bound_elsewhere', `the workspace is on ${workspace.host}; its turns are served there`);
  if (workspace.host === null && workspace.commit !== null && workspace.commit !== commit) {
    const found = commit ?? 'no commit';
    return refused('other_commit', `the workspace starts from ${workspace.commit}, not from ${found}`);
  }
  if (workspace.host === host && workspace.commit === commit) return accepted();
  return accepted({ type: 'workspace.bound', host, commit });
}

/**
 * The machine is gone: the workspace starts again from its recorded commit. A completed task whose artifacts are not there
 * has no result any more: it is its owner's again, under a new attempt, or anybody's where the owner is gone. Whoever works
 * with the workspace is told. Turns that this machine has are lost first, so that nothing is written behind it.
 */
export function loseWorkspace(state: TeamState, command: Of<'workspace.lose'>, ids: Numbering): Decision {
  const { host, detail } = command;
  const { host: bound, commit } = state.workspace;
  if (bound !== host)
    return refused('not_bound', `the workspace is on ${bound ?? 'no machine'}, not on ${host}`);
  const users = usersOf(state);
  const inside = users.find(({ life }) => life.kind === 'working' && life.host === host);
  if (inside !== undefined)
    return refused('workspace_in_use', `${inside.name} has a turn on ${host}: that is taken over first`);
  const lost: Fact = { type: 'workspace.lost', host, commit, detail };
  const returned = state.phase.kind === 'running' ? withoutResult(state, command) : [];
  const from = commit === null ? 'anew' : `again from commit ${commit}`;
  const text = `The machine with the workspace (${host}) is lost. The workspace starts ${from}: whatever was written there and is not in it is gone. Look at a file before you rely on it.`;
  const facts: Fact[] = [lost, ...returned.flatMap(giveBack)];
  for (const member of state.members.values()) {
    const own = returned.filter(({ owner }) => owner === member).map(({ task }) => task.id);
    if (member.seat.lead || (own.length === 0 && !users.includes(member))) continue;
    const back =
      own.length === 0 ? '' : ` Files of your result are gone with it: ${own.join(', ')} is yours again.`;
    facts.push(message(ids, 'report', 'runtime', [member.name], text + back, own[0] ?? null));
  }
  const list = returned.map((one) => `\n- ${returnedText(one)}`).join('');
  facts.push(
    ...reportToLead(state, ids, null, `${text}${list === '' ? '' : `\nWithout their files:${list}`}`),
  );
  return accepted(...facts);
}

/** A completed task whose files are gone, and its owner where that can take it up again. */
interface Returned {
  readonly task: Task;
  readonly owner: Member | undefined;
  readonly paths: readonly string[];
}

function withoutResult(state: TeamState, { missingArtifacts }: Of<'workspace.lose'>): Returned[] {
  return [...new Set(missingArtifacts.map(({ task }) => task))].flatMap((id) => {
    const task = state.tasks.get(id);
    if (task?.state.kind !== 'completed') return [];
    const owner = state.members.get(task.state.member);
    const takes = owner !== undefined && isLive(owner) && owner.stopping === null;
    const paths = missingArtifacts.filter((one) => one.task === id).map(({ path }) => path);
    return [{ task, owner: takes ? owner : undefined, paths }];
  });
}

function giveBack({ task, owner }: Returned): Fact[] {
  const open: Fact = { type: 'task.reopened', task: task.id, by: 'runtime' };
  if (owner === undefined) return [open];
  return [open, { type: 'task.claimed', task: task.id, member: owner.name, attempt: task.attempts + 1 }];
}

function returnedText({ task, owner, paths }: Returned): string {
  const whose = owner === undefined ? 'is offered again' : `is ${owner.name}'s again`;
  return `${task.id} (${paths.map((path) => oneLine(path)).join(', ')}) ${whose}`;
}

/** Members that work with the workspace and can still read of it. */
function usersOf({ run, members }: TeamState): Member[] {
  if (run === null) return [];
  return [...members.values()].filter(
    (member) => isLive(member) && workspaceUse(member.seat, run.safety) !== 'none',
  );
}
