/** `bnerd doctor`. */

import { resolveAclConfig } from '../../config/acl-config.js';
import { resolveConfig } from '../../config/config.js';
import { resolveRunnerConfig } from '../../config/runner-config.js';
import { examine } from '../../runtime/doctor/doctor.js';
import { REDIS_ROLES } from '../../runtime/doctor/redis-users.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { openHouse } from '../build-house.js';
import { type Call, isGiven } from '../call.js';
import { interruptible } from '../interruptible.js';
import { writeUsers } from '../redis-users.js';
import { refuse } from '../refusal.js';
import { doctorText } from '../texts/doctor-text.js';

export async function run(call: Call): Promise<number> {
  const { program, layers } = call;
  const { workingDirectory } = program;
  const acl = await resolveAclConfig(layers, REDIS_ROLES);
  if (acl.kind === 'refused') return refuse(program, acl.findings);
  if (acl.value !== null) return writeUsers(call, acl.value);
  const config = await resolveConfig(layers, { needs: 'words', workingDirectory });
  if (config.kind === 'refused') return refuse(program, config.findings);
  const { settings } = config.value;
  const runner = resolveRunnerConfig({ ...layers, flags: new Map() }, settings, workingDirectory);
  if (runner.kind === 'refused') return refuse(program, runner.findings);
  const house = await openHouse(call, config.value, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { engineers, engineerWrap, maxSafety } = runner.value;
  // Those that nobody has named are used by no team.
  const named = [...engineers].filter(
    ([kind]) =>
      settings.runner.engineers.has(kind) || layers.environment.variables.has('BNERD_RUNNER_ENGINEER'),
  );
  return interruptible(program, async (signal) => {
    const mayBeFull = maxSafety === 'full';
    const asked = {
      engineers: new Map(named.map(([kind, said]) => [kind, { ...said, mayBeFull }])),
      wrap: engineerWrap,
    };
    const examined = await examine(house.value, process.version, asked, signal);
    program.output.results.write(isGiven(call, 'json') ? jsonDocument(examined) : doctorText(examined));
    return examined.ok ? 0 : 1;
  });
}
