/**
 * The `shell.wrap` of a run: the present setting of the machine where there is one, else what the run was started with
 * (spec/team.md §2). A run that began under a wrapper never goes on without one.
 */

import type { FactOf } from '../events/event.js';
import type { Finding } from '../shared/findings.js';
import type { Roots } from '../tools/files/roots.js';
import { findWrap } from '../tools/shell/wrap.js';
import type { House } from './house.js';

const SETTINGS = '~/.bnerd.yaml';

export interface RunWrap {
  /** With the absolute path of its program; empty: programs of tools run as they are. */
  readonly wrap: readonly string[];
  readonly findings: readonly Finding[];
}

type Settled = Pick<House, 'shellWrap' | 'toolEnvironment'>;

/** The wrapper of a run that starts; an error where its program is missing. */
export function wrapAtStart(house: Settled, roots: Roots): Promise<RunWrap> {
  return found(house, house.shellWrap, roots);
}

/** The wrapper of a recorded run. What differs from the record is said. */
export async function wrapAtResume(
  house: Settled,
  {
    shell_wrap: recorded,
    workspace,
    reads,
  }: Pick<FactOf<'run.started'>, 'shell_wrap' | 'workspace' | 'reads'>,
): Promise<RunWrap> {
  const own = house.shellWrap.length > 0;
  const wrap = own ? house.shellWrap : recorded;
  const { wrap: ready, findings } = await found(house, wrap, { workspace: workspace.path, reads });
  if (JSON.stringify(house.shellWrap) === JSON.stringify(recorded)) return { wrap: ready, findings };
  const message = own
    ? `shell.wrap is ${shown(wrap)} here, and the run was started with ${shown(recorded)}: programs of tools now run under the former`
    : `shell.wrap is not set here, and the run was started with ${shown(recorded)}: programs of tools still run under it`;
  const changed: Finding = {
    code: 'shell-wrap-changed',
    severity: 'warning',
    path: SETTINGS,
    message,
    remedy: own ? 'nothing, if this is meant' : 'write shell: {wrap: […]} if another one is meant',
  };
  return { wrap: ready, findings: [...findings, changed] };
}

async function found(house: Settled, written: readonly string[], roots: Roots): Promise<RunWrap> {
  const outcome = await findWrap(written, house.toolEnvironment['PATH'] ?? '', roots);
  if (outcome.kind === 'found') return { wrap: outcome.wrap, findings: [] };
  const finding: Finding = {
    code: 'shell-wrap-missing',
    severity: 'error',
    path: SETTINGS,
    message: `shell.wrap: the program ${JSON.stringify(written[0])} ${outcome.why}`,
    remedy: 'install it, or name another one in shell: {wrap: […]}',
  };
  return { wrap: [], findings: [finding] };
}

function shown(wrap: readonly string[]): string {
  return wrap.length === 0 ? 'none' : JSON.stringify(wrap);
}
