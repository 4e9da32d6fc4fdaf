/**
 * The workspace of a team as it is on this machine: the directory that the run was started in, or one that is made here from
 * what the record names (spec/engine.md §3).
 *
 *  L1 it is there whole or not at all: made under another name, then renamed, so any number of workers may do it at once;
 *  L2 after a loss it is never the one from before: whatever a turn of the lost machine still writes is in nobody's way;
 *  L3 what is fetched is what this machine's operator allows; the record of a team is somebody else's text.
 */

import { randomBytes } from 'node:crypto';
import { rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkOut } from '../../delegate/workspace/checkout.js';
import { mirror } from '../../delegate/workspace/mirror.js';
import { removeTree } from '../../delegate/workspace/remove-tree.js';
import type { FactOf } from '../../events/event.js';
import type { Clock } from '../../shared/clock.js';
import { errorText, systemCode } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';
import { matchesWildcard } from '../../shared/wildcard.js';
import type { TeamState } from '../../team/show/view.js';
import type { House, RepositoryAccess } from '../house.js';

/** A workspace that was there is looked at again after so long: before each turn would cost a turn more than its lease. */
const LOOK_AGAIN_MS = 200;

/** One command of git may take so long: a large repository is fetched whole. */
const GIT_MS = 30 * 60_000;

export interface LocalPlaces {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The name of this machine. */
  readonly host: string;
  /** Where mirrors and workspaces are made. */
  readonly workdir: string;
  /** Of the team, below that: its prefix and its id. */
  readonly team: readonly [prefix: string, id: string];
  /** `PATH` to find git in. */
  readonly path: string;
  readonly repositories: RepositoryAccess;
}

/**
 * The workspace of a team on Redis as it is on this machine; null where teams are kept in files.
 * @param workdir absolute; the usual place unless given
 */
export function localWorkspace(
  house: House,
  id: string,
  run: FactOf<'run.started'>,
  workspace: TeamState['workspace'],
  workdir: string = join(house.home, 'workspaces'),
): LocalWorkspace | null {
  if (house.redis === null) return null;
  const { names, repositories } = house.redis;
  return new LocalWorkspace(run, workspace, {
    clock: house.clock,
    host: house.hostname,
    workdir,
    team: [names.prefix, id],
    path: house.toolEnvironment['PATH'] ?? '',
    repositories,
  });
}

/** Where the workspace of a team lies on this machine, or would. */
export function workspaceHere(
  house: House,
  id: string,
  run: FactOf<'run.started'>,
  workspace: TeamState['workspace'],
): string {
  return localWorkspace(house, id, run, workspace)?.path ?? run.workspace.path;
}

export class LocalWorkspace {
  /** Where it is, or will be once it is ready. */
  readonly path: string;
  /** Whether it is the directory that the run was started in. */
  readonly isOwn: boolean;
  readonly #places: LocalPlaces;
  readonly #run: FactOf<'run.started'>;
  readonly #commit: string | null;
  /** The newest look whether it is there, and when it began. */
  #look = { at: Number.NEGATIVE_INFINITY, isThere: Promise.resolve(false) };

  /** @param workspace as the state has it now; when its machine is lost it is another one */
  constructor(run: FactOf<'run.started'>, workspace: TeamState['workspace'], places: LocalPlaces) {
    const { workdir, team, host } = places;
    this.#run = run;
    this.#places = places;
    this.#commit = workspace.commit;
    const { host: started = host } = run.workspace;
    this.isOwn = started === host && workspace.losses === 0;
    this.path = this.isOwn ? run.workspace.path : join(workdir, 'teams', ...team, String(workspace.losses));
  }

  /** Sees to it that it is there. Gives why it cannot be, for people. */
  async ready(signal: AbortSignal): Promise<string | undefined> {
    const { host } = this.#places;
    if (await this.#isThere()) return undefined;
    if (this.isOwn)
      return `its workspace ${this.path} is not there on ${host}; if it was started on another machine, give each a name of its own by BNERD_HOST`;
    try {
      return await this.#make(signal);
    } catch (error) {
      return `its workspace cannot be made in ${this.path}: ${errorText(error)}`;
    }
  }

  /** Who asks at once, or soon after it was there, shares a look. */
  async #isThere(): Promise<boolean> {
    const now = this.#places.clock.monotonicMs();
    if (now - this.#look.at >= LOOK_AGAIN_MS) this.#look = { at: now, isThere: isFolder(this.path) };
    const isThere = await this.#look.isThere;
    if (!isThere) this.#look.at = Number.NEGATIVE_INFINITY;
    return isThere;
  }

  async #make(signal: AbortSignal): Promise<string | undefined> {
    await makeFolder(dirname(this.path), 0o700);
    const fresh = `${this.path}.new-${randomBytes(8).toString('hex')}`;
    try {
      const problem =
        this.#commit === null ? await emptyFolder(fresh) : await this.#checkOut(this.#commit, fresh, signal);
      if (problem !== undefined) return problem;
      await rename(fresh, this.path);
      return undefined;
    } catch (error) {
      // Another worker of this machine was faster: its workspace is the same.
      if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return undefined;
      throw error;
    } finally {
      await removeTree(fresh);
    }
  }

  async #checkOut(commit: string, tree: string, signal: AbortSignal): Promise<string | undefined> {
    const { workdir, path, repositories, team } = this.#places;
    const { source } = this.#run.workspace;
    if (typeof source !== 'object')
      return `its workspace was on a machine that is lost, and nothing says where commit ${commit} of it can be fetched`;
    const { repo } = source;
    const refused = notAllowed(repo, repositories.allowed);
    if (refused !== undefined) return refused;
    const tools = { path, signal, timeoutMs: GIT_MS };
    const settings = { workdir, protocols: ['file', 'https', 'ssh'], env: repositories.env };
    const mirrored = await mirror({ repo, base: commit }, settings, tools);
    if (mirrored.kind === 'failed') return mirrored.detail;
    const branch = `bnerd/${team[1]}`;
    const made = await checkOut({ source: mirrored.gitDir, commit, branch, tree, subdir: '' }, tools);
    return made.kind === 'failed' ? made.detail : undefined;
  }
}

/** Why an address may not be fetched from here; where no pattern is written, none of this machine's own files may. */
function notAllowed(repo: string, allowed: readonly string[]): string | undefined {
  const fits =
    allowed.length > 0
      ? allowed.some((pattern) => matchesWildcard(pattern, repo))
      : !repo.startsWith('/') && !repo.startsWith('file:');
  if (fits) return undefined;
  const may = allowed.length > 0 ? allowed.join(', ') : 'what https and ssh reach';
  return `its workspace is a checkout of ${JSON.stringify(repo)}; this machine fetches ${may} (runner.repos)`;
}

async function emptyFolder(path: string): Promise<undefined> {
  await makeFolder(path, 0o700);
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
