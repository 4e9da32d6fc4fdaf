/**
 * Whether this process can serve a team: its bounds, its keys, its version (spec/engine.md §3). What it cannot serve goes back
 * to the queue, for others that can.
 */

import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { FactOf } from '../../events/event.js';
import type { Safety } from '../../events/facts/frozen.js';
import { FatalError } from '../../shared/errors.js';
import { isInside } from '../../shared/inner-path.js';
import type { PermissionRule } from '../../team/policy/policy.js';
import type { House } from '../house.js';
import { isLooser } from '../plan/order-safety.js';

/** What whoever started the worker has said of the teams that it may serve. */
export interface WorkerBounds {
  /** None whose safety is looser. */
  readonly maxSafety: Safety;
  /** Real paths; none whose workspace lies in none of them. None: anywhere. */
  readonly workspaceRoots: readonly string[];
}

/** Of a process that serves a team which it runs itself. */
export const NO_BOUNDS: WorkerBounds = { maxSafety: 'full', workspaceRoots: [] };

/** What `ServedTeam.open` rejects with for a team that others may be able to serve. @param why for people */
export function unfit(why: string): FatalError {
  return new FatalError('unfit', why);
}

/** Why a team cannot be served here though others may; undefined: that is not what the error says. */
export function unfitWhy(error: unknown): string | undefined {
  if (!(error instanceof FatalError)) return undefined;
  return UNSERVABLE.includes(error.code) ? error.message : undefined;
}

/** What is wrong with a team and not with this process: it goes on with others, and looks at this one now and then. */
const UNSERVABLE = [
  'unfit',
  'record-too-new',
  'record-forged',
  'log-broken',
  'blob-broken',
  'foreign-record',
];

/** Why the bounds keep a team from being served here; undefined: they do not. */
export async function outOfBounds(
  { safety, workspace }: Pick<FactOf<'run.started'>, 'safety' | 'workspace'>,
  { maxSafety, workspaceRoots }: WorkerBounds,
): Promise<string | undefined> {
  if (isLooser(safety, maxSafety)) return `its safety ${safety} is looser than --max-safety ${maxSafety}`;
  if (workspaceRoots.length === 0) return undefined;
  const place = await realPlace(workspace.path);
  if (workspaceRoots.some((root) => isInside(place, root))) return undefined;
  return `its workspace ${workspace.path} lies outside of --workspace-root ${workspaceRoots.join(', ')}`;
}

/** What is denied on a machine whatever a run allows there. */
export function deniesHere({ permissions }: Pick<House, 'permissions'>, host: string): PermissionRule[] {
  return permissions
    .filter(({ decision }) => decision === 'deny')
    .map((rule) => ({ ...rule, origin: `settings on ${host}` }));
}

/** Where a path leads: as far as it is there links are followed, and what is not there leads nowhere else. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(resolve(path));
    return above === resolve(path) ? above : join(await realPlace(above), basename(resolve(path)));
  }
}
