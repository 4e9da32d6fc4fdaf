/** What several processes may do with one team: take turns on this machine or that, lose them, lose the machine. */

import type { Command } from '../../../src/team/command.js';
import type { Member } from '../../../src/team/state.js';
import type { Random } from './random.js';
import type { Walk } from './walk.js';

const HOSTS = ['vm-1', 'vm-2'] as const;
const LEASE_MS = 60_000;

type Move = (walk: Walk, random: Random) => void;

/** With how often each is made, as those of `moves.ts`. */
export const PROCESS_MOVES: readonly (readonly [parts: number, move: Move])[] = [
  [6, loseTurn],
  [2, deferReclaim],
  [3, bind],
  [2, loseMachine],
  [1, takeOver],
];

/** Who takes a turn: mostly the only process, else one of a machine. */
export function taker(random: Random): Pick<Extract<Command, { kind: 'turn.start' }>, 'host' | 'worker'> {
  if (random.chance(60)) return {};
  return { host: random.of(...HOSTS), ...(random.chance(80) ? { worker: `worker-${random.below(3)}` } : {}) };
}

function loseTurn(walk: Walk, random: Random): void {
  const { team } = walk;
  const member = someoneAtWork(walk, random);
  if (member?.life.kind !== 'working') return;
  if (random.chance(60)) team.now += LEASE_MS;
  const turn = random.chance(90) ? member.life.turn : 1;
  const of = { member: member.name, turn, olderThanMs: LEASE_MS, detail: 'its lease is gone' };
  walk.do({ kind: 'turn.lose', ...of });
}

function deferReclaim(walk: Walk, random: Random): void {
  const member = someoneAtWork(walk, random);
  if (member?.life.kind !== 'working') return;
  const { turn, host } = member.life;
  for (let times = 1 + random.below(5); times > 0; times--) {
    if (random.chance(80)) walk.team.now += LEASE_MS;
    const of = { member: member.name, turn, olderThanMs: LEASE_MS, detail: 'it does not end' };
    walk.do({ kind: 'turn.defer_reclaim', host: host ?? HOSTS[0], ...of });
  }
}

function bind(walk: Walk, random: Random): void {
  const { workspace } = walk.team.state;
  const commit = random.chance(70) ? workspace.commit : random.of<string | null>('c1', 'c2', null);
  const host = random.chance(70) ? workspace.host : null;
  walk.do({ kind: 'workspace.bind', host: host ?? random.of(...HOSTS), commit });
}

/** Mostly its turns are lost first. */
function loseMachine(walk: Walk, random: Random): void {
  const { team } = walk;
  const host = (random.chance(85) ? team.state.workspace.host : null) ?? random.of(...HOSTS);
  if (random.chance(80)) {
    team.now += LEASE_MS;
    for (const { name, life } of team.state.members.values()) {
      if (life.kind !== 'working' || life.host !== host) continue;
      const of = { member: name, turn: life.turn, olderThanMs: LEASE_MS, detail: 'its machine is gone' };
      walk.do({ kind: 'turn.lose', ...of });
    }
  }
  const missing = [...team.state.tasks.values()]
    .filter(() => random.chance(30))
    .map(({ id }) => ({ task: id, path: 'report.md' }));
  walk.do({ kind: 'workspace.lose', host, detail: 'it does not answer', missingArtifacts: missing });
}

/** Another process takes the team up, while some turns are held by others still. */
function takeOver(walk: Walk, random: Random): void {
  const turns = [...walk.team.state.members.values()].flatMap(({ life }) =>
    'turn' in life && random.chance(70) ? [life.turn] : [],
  );
  walk.crash(turns);
}

function someoneAtWork({ team }: Walk, random: Random): Member | undefined {
  return random.pick([...team.state.members.values()].filter(({ life }) => life.kind === 'working'));
}
