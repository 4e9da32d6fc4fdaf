/** The workers of a Redis for a terminal. Pure. */

import type { WorkerView } from '../../runtime/workers/worker-list.js';
import { columns } from './columns.js';

/** A worker that its queue has not answered for so long is named as silent, in milliseconds. */
const SILENT_MS = 30_000;

/** A line each, below a line of headings. */
export function workersText(workers: readonly WorkerView[]): string {
  if (workers.length === 0) return 'no worker is there; start one with bnerd worker\n';
  const heads = ['WORKER', 'HOST', 'PID', 'SLOTS', 'PROGRESS', 'VERSION', 'POOLS', 'PROVIDERS', 'BOUNDS'];
  return columns([heads, ...workers.map(cells)]);
}

function cells(worker: WorkerView): string[] {
  const { id, host, pid, pools, slots, running, providers, version, silent_ms, max_safety } = worker;
  const seconds = Math.round(silent_ms / 1_000);
  const bounds = [
    ...(max_safety === 'full' ? [] : [`at most ${max_safety}`]),
    ...(worker.signed_only ? [`signed by ${worker.operators.join(', ') || 'nobody it knows'}`] : []),
    ...(worker.workspace_roots.length === 0 ? [] : [`in ${worker.workspace_roots.join(' or ')}`]),
  ];
  return [
    id,
    host,
    String(pid),
    `${running}/${slots}`,
    silent_ms > SILENT_MS ? `silent for ${seconds}s` : `${seconds}s ago`,
    version,
    pools.join(','),
    providers.length === 0 ? 'none' : providers.join(','),
    bounds.length === 0 ? 'none' : bounds.join(', '),
  ];
}
