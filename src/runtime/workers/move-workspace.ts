/**
 * The operator's word that the machine with a team's workspace will not come back: the workspace starts again from its
 * recorded commit on whichever machine needs it next (spec/engine.md §3). Nobody but a person can tell a machine that is
 * lost from one that is late, and what was written there alone is given up.
 */

import { poolOfHost } from '../../dispatch/job.js';
import { liveWorkers } from '../../dispatch/presence.js';
import { deadlineAfter } from '../../shared/abort.js';
import { ulid } from '../../shared/ids.js';
import type { MissingArtifact } from '../../team/command.js';
import type { TeamState } from '../../team/show/view.js';
import type { Operated } from '../engine/engine.js';
import { orRefused, refusedWord } from '../engine/recorded-word.js';
import { besideTeam, type RedisTeam } from '../engine/redis-open.js';
import { findTeam } from '../find-team.js';
import type { House } from '../house.js';
import { missingArtifacts, workspaceFiles } from '../workspace-files.js';
import { localWorkspace } from './local-workspace.js';

/** The checkout in which it is looked what the commit has may take so long. */
const CHECKOUT_MS = 10 * 60_000;

/** Gives the machine up. Refuses while a worker lives there, and while a turn that ran there may still write. */
export async function moveWorkspace(house: House, typed: string): Promise<Operated> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { id } = found.value;
  const place = house.redis;
  if (place === null)
    return refusedWord(id, {
      code: 'one-machine',
      message: 'a team that is kept in files has its workspace where it runs; there is no other machine',
    });
  return orRefused(id, () => besideTeam(house, place, id, (team) => move(house, team)));
}

async function move(house: House, { id, store, link }: RedisTeam): Promise<Operated> {
  const { state } = store;
  const { host } = state.workspace;
  if (host === null)
    return refusedWord(id, {
      code: 'not_bound',
      message:
        'its workspace is on no machine: the next turn that writes it makes it where that turn is taken',
    });
  const serving = (await liveWorkers(link)).find(({ pools }) => pools.includes(poolOfHost(host)));
  if (serving !== undefined)
    return refusedWord(id, {
      code: 'machine-lives',
      message: `a worker serves ${host}, pid ${serving.pid}: the workspace is there; stop that worker first if it is to be given up all the same`,
    });
  const missing = await missingElsewhere(house, id, state);
  if (typeof missing === 'string') return refusedWord(id, { code: 'no-checkout', message: missing });
  const outcome = await store.send(`operator/${ulid(link.clock.wallMs())}`, {
    kind: 'workspace.lose',
    host,
    detail: `given up by ${house.user}`,
    missingArtifacts: missing,
  });
  if (outcome.kind === 'refused') return refusedWord(id, outcome);
  const { commit } = state.workspace;
  const from = commit === null ? 'empty' : `from commit ${commit}`;
  const back = [...new Set(missing.map(({ task }) => task))];
  const open = back.length === 0 ? '' : `; without their files are open again: ${back.join(', ')}`;
  const text = `the workspace on ${host} is given up: it starts again ${from}, where a turn needs it next${open}`;
  return { kind: 'done', text, live: false };
}

/** Artifacts that are gone with the machine: what the workspace will not have when it starts again, looked at here. */
async function missingElsewhere(
  house: House,
  id: string,
  state: TeamState,
): Promise<readonly MissingArtifact[] | string> {
  const { run, workspace } = state;
  if (run === null) return [];
  const losses = workspace.losses + 1;
  const next = { ...workspace, host: house.hostname, losses };
  const files = localWorkspace(house, id, run, next);
  if (files === null) return [];
  const why = await files.ready(deadlineAfter(CHECKOUT_MS));
  if (why !== undefined) return why;
  return missingArtifacts({ ...state, workspace: next }, workspaceFiles(files.path, null), house.hostname);
}
