/** Entries and the files they come from, as the tests of this folder need them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { entryDigest } from '../../src/skills/digest.js';
import type { Entry, EntrySource } from '../../src/skills/entry.js';

/** A whole entry; its digest fits the fields. */
export function anEntry(fields: Partial<Entry> = {}): Entry {
  const name = fields.name ?? 'an-entry';
  const kind = fields.kind ?? 'skill';
  const entry: Omit<Entry, 'digest'> = {
    kind,
    name,
    version: '1.0.0',
    description: `What ${name} is for`,
    body: `Body of ${name}.`,
    alwaysOn: kind === 'rule',
    keywords: [],
    appliesTo: null,
    requires: [],
    allowedTools: null,
    tools: [],
    process: false,
    page: 'optional',
    origin: 'proprietary',
    license: null,
    upstream: null,
    vetted: null,
    tier: 'builtin',
    path: kind === 'rule' ? `pkg/skills/rules/${name}.md` : `pkg/skills/${name}/SKILL.md`,
    trust: 'instruction',
    support: 'full',
    ...fields,
  };
  return { ...entry, digest: entryDigest(entry) };
}

/** The fields of a valid governed file. */
export const VALID = {
  name: 'an-entry',
  version: '1.0.0',
  description: 'What it is for',
  origin: 'proprietary',
} as const;

/** The text of a governed file; a field that is null is left out. */
export function governedText(
  fields: Readonly<Record<string, string | null>> = {},
  body = '\nThe body.\n',
): string {
  const lines = Object.entries({ ...VALID, ...fields }).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

/** Where the file of `VALID` lies. */
export const SOURCE: EntrySource = {
  path: 'skills/an-entry/SKILL.md',
  tier: 'builtin',
  trust: 'instruction',
  expectedName: 'an-entry',
  kind: 'skill',
};

/** Writes files below a root, in the order given. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
