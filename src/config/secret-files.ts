/**
 * The files of `secrets.files`: each line of 8 bytes or more is a secret, named after the file. Read once, at the start.
 *
 * Always true: a file that is named and cannot be read is an error, for what it holds would be written down; no value
 * stands in a finding.
 */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorText, systemCode } from '../shared/errors.js';
import { type Finding, placeAt } from '../shared/findings.js';
import { isArmour, type Secret } from '../shared/secrets/secret-forms.js';
import { isSecretName } from './secret-names.js';
import { type Resolved, type Written, writtenPath } from './written.js';

const MOST_BYTES = 1024 * 1024;

/** `KEY=value`, as files for shells have it. */
const ASSIGNED = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

/**
 * The secrets of the files.
 * @param home where `~` and relative paths begin
 */
export async function secretFiles(files: readonly Written[], home: string): Promise<Resolved<Secret[]>> {
  const secrets: Secret[] = [];
  const findings: Finding[] = [];
  for (const written of files) {
    const path = writtenPath(written, home, home);
    const read = await readText(path);
    if (read.kind === 'text') secrets.push(...secretsOf(basename(path), read.text));
    else findings.push(unreadable(written, path, read.why));
  }
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value: secrets };
}

function secretsOf(name: string, text: string): Secret[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const value = line.trim();
    if (value === '' || isArmour(value)) return [];
    const [, variable = '', assigned = ''] = ASSIGNED.exec(value) ?? [];
    if (!isSecretName(variable)) return [{ name, value }];
    return [{ name: variable, value: assigned.replace(/^(["'])(.*)\1$/, '$2') }];
  });
}

type Read =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: string };

async function readText(path: string): Promise<Read> {
  try {
    // A pipe in its place would wait for ever for a writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return { kind: 'unreadable', why: 'is no regular file' };
      if (stats.size > MOST_BYTES) {
        return { kind: 'unreadable', why: `has ${stats.size} bytes; at most ${MOST_BYTES} are read` };
      }
      return { kind: 'text', text: await handle.readFile('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = systemCode(error);
    return {
      kind: 'unreadable',
      why: code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code ?? errorText(error)}`,
    };
  }
}

function unreadable(written: Written, path: string, why: string): Finding {
  return {
    code: 'unreadable-secret-file',
    severity: 'error',
    ...placeAt(written.place, written.line),
    message: `${path} ${why}; without it the secrets in it would be written down`,
    remedy: 'correct the path in secrets.files, or take it off the list',
  };
}
