/** Catalogues for tests: real files under a temporary directory, as package root and mission repository. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CataloguePlaces } from '../../src/catalog/tiers.js';
import { NO_APPROVALS } from '../../src/catalog/trust.js';
import { tempDir } from '../helpers/temp-dir.js';

/** A path below the temporary directory (`package/…`, `mission/…`) and the text of the file there. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface TestPlaces extends CataloguePlaces {
  /** The path of a file of this catalogue. */
  at(path: string): string;
}

/** Writes the files; the mission repository is named when a file lies in it. */
export async function placesWith(files: Files): Promise<TestPlaces> {
  const root = await tempDir('catalog');
  const at = (path: string): string => join(root, path);
  await mkdir(at('package'), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), content);
  }
  const named = Object.keys(files).some((path) => path.startsWith('mission/'));
  const mission = named ? { path: at('mission'), named: true } : null;
  return { packageRoot: at('package'), global: null, project: null, mission, trust: NO_APPROVALS, at };
}

/** The smallest recipe: a lead alone; `more` are further lines of frontmatter. */
export function recipeText(slug: string, more = '', body = 'Work well.'): string {
  const lines = [
    `name: ${slug}`,
    `description: What ${slug} does`,
    'lead: captain',
    'roles: [captain, scribe]',
  ];
  return ['---', ...lines, ...(more === '' ? [] : [more]), '---', body, ''].join('\n');
}

/** The smallest role; `more` are further lines of frontmatter. */
export function roleText(name: string, more = '', body = 'You do your part.'): string {
  const lines = [`name: ${name}`, `description: The ${name} of the team`];
  return ['---', ...lines, ...(more === '' ? [] : [more]), '---', body, ''].join('\n');
}
