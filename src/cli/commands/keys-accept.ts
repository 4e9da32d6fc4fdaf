/** `bnerd keys accept`. */

import { argument, type Call, flagText } from '../call.js';
import { keyFolderOf, roleOf, tellKey } from '../keys.js';
import { refuse } from '../refusal.js';
import { missingFlag } from '../usage.js';

export async function run(call: Call): Promise<number> {
  const name = flagText(call, 'name');
  if (name === null) return refuse(call.program, [missingFlag('name', 'keys accept')]);
  const role = roleOf(call);
  if (role.kind === 'refused') return refuse(call.program, role.findings);
  const folder = await keyFolderOf(call);
  if (folder.kind === 'refused') return refuse(call.program, folder.findings);
  const done = await folder.value.accept(argument(call, 'key'), name, role.value ?? 'runner');
  return tellKey(call, done, (key) => `key ${key.id} counts as ${key.name} (${key.role})`);
}
