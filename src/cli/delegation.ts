/** From configuration to the engineers that members of a team may delegate to, and how a runner is started for them. */

import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.js';
import { resolveRunnerConfig } from '../config/runner-config.js';
import type { Resolved } from '../config/written.js';
import { DELEGATION_BOUNDS, type Delegation, NO_DELEGATION } from '../runtime/house.js';
import type { Call } from './call.js';

/** This program, as a runner is started with it. */
const PROGRAM = fileURLToPath(new URL('../cli.js', import.meta.url));

/** Variables of ours that say what a runner may do. */
const RUNNER_VARIABLE = /^(BNERD_RUNNER_[A-Z_]+|BNERD_HOME|BLOOM_RUNNER_ENGINEER_SKILLS)$/;

/**
 * What is set up on this machine: engineers that the operator has named under `runner.engineers`, or by variable. One that
 * nobody has named is not used by a team, however many of its programs are found.
 */
export function delegationOf({ program, layers }: Call, { settings }: Config): Resolved<Delegation> {
  const { environment, workingDirectory } = program;
  const named = settings.runner.engineers.size > 0 || environment.variables.has('BNERD_RUNNER_ENGINEER');
  if (!named) return { kind: 'resolved', value: NO_DELEGATION };
  const runner = resolveRunnerConfig({ ...layers, flags: new Map() }, settings, workingDirectory);
  if (runner.kind === 'refused') return runner;
  const { engineers, envGrants, gitEnv, maxSafety } = runner.value;
  const ours = [...environment.variables].filter(([name]) => RUNNER_VARIABLE.test(name));
  return {
    kind: 'resolved',
    value: {
      kinds: [...engineers.keys()],
      elsewhere: false,
      engineers: new Map(
        [...engineers].map(([kind, said]) => [kind, { ...said, mayBeFull: maxSafety === 'full' }]),
      ),
      bounds: DELEGATION_BOUNDS,
      runner: {
        program: process.execPath,
        args: [PROGRAM],
        environment: {
          ...environment.toolEnvironment,
          ...Object.fromEntries(ours),
          ...envGrants,
          ...gitEnv,
        },
      },
    },
  };
}
