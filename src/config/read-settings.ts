/**
 * Finds `~/.bnerd.yaml`, which this program shares with others.
 *
 * Always true: no file is as good as an empty one; a file that is there and cannot be used is an error, for it may
 * hold rules that forbid something. The parsers are loaded only when there is a file.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, systemCode } from '../shared/errors.js';
import { NO_SETTINGS, SETTINGS_PATH, type Settings } from './settings.js';
import type { Resolved } from './written.js';

/** Far more than a person writes; beyond it the parser's memory is somebody else's choice. */
const MAX_BYTES = 1024 * 1024;

/** Reads the file in the operator's home directory. */
export async function readSettings(home: string): Promise<Resolved<Settings>> {
  const text = await readText(join(home, '.bnerd.yaml'));
  if (text.kind === 'refused') return text;
  if (text.value === null) return { kind: 'resolved', value: NO_SETTINGS };
  const { parseSettings } = await import('./settings-file.js');
  return parseSettings(text.value);
}

async function readText(path: string): Promise<Resolved<string | null>> {
  try {
    // A pipe in its place would wait for ever for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return refused('is no regular file; expected a file of YAML');
      if (stats.size > MAX_BYTES) return refused(`has ${stats.size} bytes; at most ${MAX_BYTES} are read`);
      return { kind: 'resolved', value: await handle.readFile('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'resolved', value: null };
    return refused(`cannot be read: ${systemCode(error) ?? errorText(error)}`);
  }
}

function refused(what: string): Resolved<never> {
  const remedy = 'make it a file of YAML that you may read, or move it away';
  const message = `the settings file ${what}`;
  return {
    kind: 'refused',
    findings: [{ code: 'unreadable-settings', severity: 'error', path: SETTINGS_PATH, message, remedy }],
  };
}
