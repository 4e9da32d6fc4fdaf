/** What the commands about keys have in common: the folder, the role as it was written, and how an answer is told. */

import { defaultHome } from '../catalog/tiers.js';
import { resolveConfig } from '../config/config.js';
import { readChoice } from '../config/values.js';
import type { Resolved } from '../config/written.js';
import { type KeyRole, keyRole } from '../delegate/keys/key-file.js';
import { type KeyDone, KeyFolder, type ListedKey } from '../delegate/keys/key-folder.js';
import { jsonDocument } from '../shared/terminal-text.js';
import { type Call, flagText, isGiven } from './call.js';
import { refuse } from './refusal.js';

/** The operator's folder of keys. */
export async function keyFolderOf({ program, layers }: Call): Promise<Resolved<KeyFolder>> {
  const { workingDirectory, environment, clock } = program;
  const config = await resolveConfig(layers, { needs: 'records', workingDirectory });
  if (config.kind === 'refused') return config;
  const home = config.value.bnerdHome ?? defaultHome(environment.home);
  return { kind: 'resolved', value: new KeyFolder(home, clock) };
}

/** The role that was asked for; null where none was. */
export function roleOf(call: Call): Resolved<KeyRole | null> {
  const text = flagText(call, 'role');
  if (text === null) return { kind: 'resolved', value: null };
  const read = readChoice({ text, place: '--role' }, keyRole.options);
  return read.kind === 'read'
    ? { kind: 'resolved', value: read.value }
    : { kind: 'refused', findings: [read.finding] };
}

/** Tells what was done to a key, or why nothing was. @param text for people, behind the key */
export function tellKey(call: Call, done: KeyDone, text: (key: ListedKey) => string): number {
  const { program } = call;
  if (done.kind === 'refused') {
    const remedy = `"bnerd keys list" shows what there is`;
    return refuse(program, [
      { code: 'bad-key', severity: 'error', path: 'bnerd keys', message: done.message, remedy },
    ]);
  }
  const { results } = program.output;
  results.write(isGiven(call, 'json') ? jsonDocument(done.key) : `${text(done.key)}\n`);
  return 0;
}
