/** Opens the desk of a team whose members delegate, over what was opened for the team. */

import { join } from 'node:path';
import { Deliveries } from '../../delegate/deliver/deliver.js';
import { Outbox } from '../../delegate/runner/outbox.js';
import type { FactOf } from '../../events/event.js';
import { FatalError } from '../../shared/errors.js';
import { pathOutsideRoots } from '../../tools/program-path.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { House } from '../house.js';
import { type OpenTeam, TEAM_MARK, teamKey } from '../open-team.js';
import { workspaceFiles } from '../workspace-files.js';
import { BriefDesk } from './brief-desk.js';
import { ChildRunners } from './child-runners.js';
import { deniedRules } from './denied-rules.js';
import { BriefMaker } from './make-brief.js';
import { areThoseOf, openRunKeys, type RunKeys, runnerFolder } from './run-keys.js';
import { WorkspaceGit } from './workspace-git.js';

/** Of one command of git. */
const GIT_MS = 60_000;

/** The reader of the repository of a run's workspace. */
export async function workspaceGit(
  house: Pick<House, 'toolEnvironment'>,
  { id, folder }: Pick<OpenTeam, 'id' | 'folder'>,
  { workspace, reads }: Pick<FactOf<'run.started'>, 'workspace' | 'reads'>,
): Promise<{ readonly git: WorkspaceGit; readonly tools: ConstructorParameters<typeof WorkspaceGit>[1] }> {
  const roots = { workspace: workspace.path, reads };
  const path = await pathOutsideRoots(house.toolEnvironment['PATH'] ?? '', roots);
  const marks = { BNERD_TEAM: id, [TEAM_MARK]: teamKey(folder) };
  const tools = { path, timeoutMs: GIT_MS, marks };
  return { git: new WorkspaceGit(workspace.path, tools), tools };
}

/**
 * The desk of a run; null where nobody delegates. Rejects with `FatalError` where the keys of the run cannot be used, or are
 * not those that its record names.
 * @param engineers `stand-in`: none is started; so it is in every simulation
 * @param keys those that were made for the first entry; absent: they are in the run folder
 * @param link where the team is on Redis, and its briefs are seen to in this process
 */
export async function openDesk(
  house: House,
  team: OpenTeam,
  run: FactOf<'run.started'>,
  engineers: 'real' | 'stand-in',
  keys?: RunKeys,
  link: RedisLink | undefined = team.shared?.link,
): Promise<BriefDesk | null> {
  const { engineer } = run;
  if (engineer === null) return null;
  const { folder, id, record, store, groups } = team;
  const workdir = runnerFolder(folder);
  const { git, tools } = await workspaceGit(house, team, run);
  const deliveries = new Deliveries(tools, join(folder, 'deliveries'));
  if (house.redis !== null && !run.simulated) {
    // Loaded only where it is meant: nothing of Redis is there for who does without.
    const { openRemoteDesk } = await import('./open-remote.js');
    return openRemoteDesk(house, team, run, engineer, { git, deliveries, workdir }, link);
  }
  const own = keys ?? (await openRunKeys(folder));
  if (house.redis === null && !areThoseOf(own, run))
    throw new FatalError('keys', `the keys in ${folder} are not those that the record of the team names`);
  const { program, args, environment } = house.delegation.runner;
  // Whatever pool this machine serves for others, here it serves the one of the brief.
  const pool = ['--pool', engineer.pool ?? 'none'];
  const { bounds } = house.delegation;
  const parts = {
    team: id,
    workspace: run.workspace.path,
    engineers: run.simulated ? ('stand-in' as const) : engineers,
    settings: house.delegation.engineers.get(engineer.kind),
    run,
    store,
    blobs: record.blobs,
    outbox: new Outbox(workdir),
    runners: async () => [own.runner],
    deliveries,
    git,
    maker: new BriefMaker({
      team: id,
      engineer,
      denied: (member) => deniedRules(run, member),
      worker: () => own.worker,
      blobs: record.blobs,
      clock: house.clock,
      secrets: house.secrets,
      beginMs: bounds.beginMs,
    }),
    repository: async () => run.workspace.path,
    deliverAgainMs: bounds.deliverAgainMs,
    wallMs: () => house.clock.wallMs(),
    monotonicMs: () => house.clock.monotonicMs(),
    fileBytes: workspaceFiles(run.workspace.path, git),
  };
  const child = {
    program,
    args: [...args, 'runner', '--once', '--workdir', workdir, '--repos', run.workspace.path, ...pool],
    env: { ...environment, BNERD_TEAM: id, [TEAM_MARK]: teamKey(folder) },
  };
  const children = { ...parts, groups, child, worker: own.worker, workdir, bounds };
  return new BriefDesk({
    ...parts,
    side: (words, activity) => new ChildRunners(children, words, activity),
  });
}
