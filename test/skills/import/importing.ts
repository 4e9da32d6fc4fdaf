/** A repository of others to import from, and imports of it without the program. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Imported, type ImportOrder, importSkill } from '../../../src/skills/import/import-skill.js';
import { FETCH_LIMITS } from '../../../src/skills/import/scratch-repository.js';
import { DEFAULT_SKILL_SETTINGS } from '../../../src/skills/settings.js';
import { commitAll, makeRepository, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

/** What the pin of every import here names. */
export const URL_OF_PIN = 'https://example.org/skills/pdf';

/** The text of a skill of others. */
export function foreignText(version: string, more = ''): string {
  return `---\nname: pdf\ndescription: Reads PDF files\nlicense: MIT\nversion: ${version}\n${more}---\n\n# PDF\n\nBody of ${version}.\n`;
}

export interface Upstream {
  /** The repository. */
  readonly path: string;
  /** `file://` address of it. */
  readonly source: string;
  /** Replaces SKILL.md by this text; gives the commit. */
  readonly put: (text: string) => Promise<string>;
}

/** A repository with this SKILL.md. */
export async function upstreamOf(text: string): Promise<Upstream> {
  const path = await makeRepository(join(await tempDir('upstream'), 'pdf'));
  const put = async (content: string): Promise<string> => {
    await writeFile(join(path, 'SKILL.md'), content);
    return commitAll(path, 'change');
  };
  await putFiles(path, { 'README.md': 'A skill.\n' });
  await put(text);
  return { path, source: `file://${path}`, put };
}

/** Imports branch `main` of a repository, or what is said otherwise, into a folder. */
export async function importInto(
  folder: string,
  { source }: Pick<Upstream, 'source'>,
  order: Partial<ImportOrder> = {},
): Promise<Imported> {
  return importSkill(
    {
      url: URL_OF_PIN,
      source,
      ref: 'main',
      file: 'SKILL.md',
      license: null,
      version: null,
      into: { path: folder, root: null, tier: 'project' },
      mode: 'write',
      ...order,
    },
    {
      gitPath: process.env['PATH'] ?? '',
      temporaryDirectory: await tempDir('scratch'),
      signal: new AbortController().signal,
      maxBytes: FETCH_LIMITS.bytes,
      guards: DEFAULT_SKILL_SETTINGS,
    },
  );
}

/** The codes of what was refused; empty when it was imported. */
export function codesOf(imported: Imported): readonly string[] {
  return imported.kind === 'refused' ? imported.findings.map(({ code }) => code) : [];
}

/** Every file below a folder with its text, hidden ones included; empty when there is no folder. */
export async function treeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const tree: Record<string, string> = {};
  const items = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const item of items) {
    const path = join(item.parentPath, item.name);
    if (item.isFile()) tree[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return tree;
}
