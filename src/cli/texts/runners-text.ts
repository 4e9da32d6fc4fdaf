/** The runners of a Redis for a terminal. Pure. */

import type { RunnerView } from '../../runtime/runners/runner-list.js';
import { columns } from './columns.js';

/** A runner that its queue has not answered for so long is named as silent, in milliseconds. */
const SILENT_MS = 30_000;

/** A clock that is so far from the server's is named, in milliseconds. */
const SKEW_MS = 30_000;

/** A line each, below a line of headings. */
export function runnersText(runners: readonly RunnerView[]): string {
  if (runners.length === 0) return 'no runner is there; start one with bnerd runner\n';
  const heads = [
    'RUNNER',
    'HOST',
    'PID',
    'POOL',
    'LABELS',
    'SLOTS',
    'STATE',
    'PROGRESS',
    'VERSION',
    'ENGINEERS',
  ];
  return columns([heads, ...runners.map(cells)]);
}

function cells(runner: RunnerView): string[] {
  const { id, host, pid, pools, labels, slots, running, version, progress } = runner;
  const engineers = Object.entries(runner.engineers).map(([kind, of]) =>
    of === null ? kind : `${kind} ${of}`,
  );
  return [
    id,
    host,
    String(pid),
    pools.join(','),
    labels.join(',') || 'none',
    `${running}/${slots}`,
    stateOf(runner),
    progress === null ? 'nothing yet' : `${progress.text}, ${Math.round(progress.ago_ms / 1_000)}s ago`,
    version,
    engineers.join(', ') || 'none',
  ];
}

function stateOf({ draining, silent_ms: silent, skew_ms: skew }: RunnerView): string {
  if (silent > SILENT_MS) return `silent for ${Math.round(silent / 1_000)}s`;
  if (Math.abs(skew) > SKEW_MS) return `clock ${Math.round(skew / 1_000)}s off`;
  return draining ? 'draining' : 'serving';
}
