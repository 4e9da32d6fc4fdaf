/** `bnerd team simulate`. */

import { readChoice } from '../../config/values.js';
import { type Call, flagText } from '../call.js';
import { beginRun } from '../live/begin-run.js';
import { driveTeam } from '../live/drive-team.js';

const WORKSPACES = ['copy', 'temp', 'here'] as const;

export function run(call: Call): Promise<number> {
  const script = flagText(call, 'script');
  const models = script === null ? [] : [`script/${script}`];
  const text = flagText(call, 'workspace') ?? 'copy';
  const workspace = readChoice({ text, place: '--workspace' }, WORKSPACES);
  return driveTeam(call, async (beginning) => {
    if (workspace.kind === 'refused') return { kind: 'refused', findings: [workspace.finding] };
    const simulation = { workspace: workspace.value };
    return beginRun(call, beginning, (wishes) => ({ ...wishes, models, simulation }));
  });
}
