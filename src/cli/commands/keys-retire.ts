/** `bnerd keys retire`. */

import { argument, type Call } from '../call.js';
import { keyFolderOf, tellKey } from '../keys.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const folder = await keyFolderOf(call);
  if (folder.kind === 'refused') return refuse(call.program, folder.findings);
  const done = await folder.value.retire(argument(call, 'id'));
  return tellKey(call, done, (key) => `key ${key.id} is retired since ${key.retiredAt ?? ''}`);
}
