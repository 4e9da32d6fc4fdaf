/** Files, links and folders for tests of the tiers: written as one value, real on disk. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CataloguePlaces } from '../../src/catalog/tiers.js';
import type { Trust } from '../../src/catalog/trust.js';
import { approvals } from '../helpers/approvals.js';
import { tempDir } from '../helpers/temp-dir.js';

/** What lies at a path: a text, a link to somewhere (relative to the root of the tree when it is not absolute), a folder. */
export type Node = string | { readonly link: string } | { readonly folder: true };

export const FOLDER: Node = { folder: true };

export interface Tree {
  readonly root: string;
  at(path: string): string;
}

export async function treeOf(nodes: Readonly<Record<string, Node>>): Promise<Tree> {
  const root = await tempDir('tree');
  const at = (path: string): string => join(root, path);
  for (const [path, node] of Object.entries(nodes)) {
    await mkdir(dirname(at(path)), { recursive: true });
    if (typeof node === 'string') await writeFile(at(path), node);
    else if ('folder' in node) await mkdir(at(path), { recursive: true });
    else await symlink(node.link.startsWith('/') ? node.link : at(node.link), at(path));
  }
  return { root, at };
}

/** Places over a tree with the folders `package`, `home`, `project` and `mission`; what is not said is not there. */
export function placesOver(
  { at }: Tree,
  around: {
    readonly folders?: readonly string[];
    readonly mission?: 'named' | 'found';
    readonly trust?: Trust;
  } = {},
): CataloguePlaces {
  const { folders = ['project'], mission, trust = approvals([]) } = around;
  return {
    packageRoot: at('package'),
    global: { bnerd: at('home/.bnerd'), claude: at('home/.claude'), agents: at('home/.agents') },
    project: { root: at('project'), folders: folders.map(at) },
    mission: mission === undefined ? null : { path: at('mission'), named: mission === 'named' },
    trust,
  };
}
