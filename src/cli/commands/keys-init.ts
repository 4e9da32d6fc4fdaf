/** `bnerd keys init`: prints the public half; the other one never leaves its file. */

import type { Call } from '../call.js';
import { keyFolderOf, roleOf, tellKey } from '../keys.js';
import { refuse } from '../refusal.js';
import { missingFlag } from '../usage.js';

export async function run(call: Call): Promise<number> {
  const role = roleOf(call);
  if (role.kind === 'refused') return refuse(call.program, role.findings);
  if (role.value === null) return refuse(call.program, [missingFlag('role', 'keys init')]);
  const folder = await keyFolderOf(call);
  if (folder.kind === 'refused') return refuse(call.program, folder.findings);
  const done = await folder.value.init(role.value);
  return tellKey(call, done, ({ id, key, role }) =>
    [
      `key ${id} of a ${role}`,
      `public key: ${key}`,
      `on the other machine: bnerd keys accept ${key} --role ${role} --name <name>`,
    ].join('\n'),
  );
}
