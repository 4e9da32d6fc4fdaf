/**
 * Turns that are due and that no live worker can take: its pool has none, or those that serve the pool lack what the team
 * needs (spec/engine.md §3). Pure: workers say of themselves what they serve.
 */

import { ANYWHERE, poolOfHost } from '../../dispatch/job.js';
import type { WorkerSays } from '../../dispatch/presence.js';
import type { FactOf } from '../../events/event.js';
import type { Safety } from '../../events/facts/frozen.js';
import { parseModelName } from '../../models/choice/model-name.js';
import { isInside } from '../../shared/inner-path.js';
import { nextJobs } from '../../team/next-jobs.js';
import type { Unserved } from '../../team/show/status-processes.js';
import type { TeamState } from '../../team/show/view.js';
import { isLooser } from '../plan/order-safety.js';

/** The members that wait for a turn that nobody takes. @param now team time in milliseconds */
export function unservedTurns(
  state: TeamState,
  now: number,
  workers: readonly WorkerSays[],
): readonly Unserved[] {
  const { run } = state;
  if (run === null) return [];
  return nextJobs(state, now).flatMap(({ member, place }): Unserved[] => {
    const pool = typeof place === 'object' ? poolOfHost(place.host) : ANYWHERE;
    const serving = workers.filter(({ pools }) => pools.includes(pool));
    if (serving.length === 0) return [{ what: member, pool, why: 'no_worker', detail: null }];
    const missing = serving.map((worker) => missingAt(worker, run));
    if (missing.some((one) => one.length === 0)) return [];
    const detail = [...new Set(missing.flat())].join('; ');
    return [{ what: member, pool, why: 'not_taken', detail }];
  });
}

/** What keeps a worker from serving a run, as far as its own words say. */
function missingAt(worker: WorkerSays, run: FactOf<'run.started'>): readonly string[] {
  const { providers, maxSafety, workspaceRoots, host } = worker;
  const keys = providersOf(run).filter((provider) => !providers.includes(provider));
  return [
    ...strange(worker, run),
    ...keys.map((provider) => `no key of ${provider} on ${host}`),
    ...(isLooser(run.safety, maxSafety as Safety)
      ? [`safety ${run.safety} is looser than the ${maxSafety} of the worker on ${host}`]
      : []),
    ...(workspaceRoots.length === 0 ||
    (run.workspace.host ?? host) !== host ||
    workspaceRoots.some((root) => isInside(run.workspace.path, root))
      ? []
      : [
          `the workspace ${run.workspace.path} lies outside of ${workspaceRoots.join(', ')}, which the worker on ${host} serves`,
        ]),
  ];
}

/** What is wrong for the worker with who has signed a team. */
function strange({ operators, signed, host }: WorkerSays, { key_id: id }: FactOf<'run.started'>): string[] {
  if (id === null)
    return signed === 'always' ? [`not signed, as the worker on ${host} wants a team to be`] : [];
  return operators.includes(id)
    ? []
    : [`signed with key ${id}, which is not accepted by the worker on ${host}`];
}

/** Whoever serves a team opens the models of all its seats. */
function providersOf({ seats }: FactOf<'run.started'>): readonly string[] {
  const names = seats.flatMap(({ model }) => {
    const written = parseModelName(model);
    const name = written.kind === 'record' ? parseModelName(written.inner) : written;
    return name.kind === 'provider' ? [name.provider] : [];
  });
  return [...new Set(names)];
}
