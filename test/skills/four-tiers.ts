/** The four tiers as real directories, with the operator's own trust file, for the tests of this folder. */

import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type CataloguePlaces, globalFolders, ownTrustFile } from '../../src/catalog/tiers.js';
import { openTrust } from '../../src/catalog/trust/open-trust.js';
import type { TrustQuestion } from '../../src/catalog/trust.js';
import { type Listing, listEntryHeads } from '../../src/skills/listing.js';
import { type LoadOptions, loadRegistry, type Registry } from '../../src/skills/registry.js';
import { DEFAULT_SKILL_SETTINGS, type SkillSettings } from '../../src/skills/settings.js';
import { putFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';

/** What an approval names beside its file. */
export interface Word {
  readonly path: string;
  readonly digest?: string;
  readonly tier?: 'project' | 'mission';
}

interface Given {
  readonly named?: boolean;
  readonly settings?: Partial<SkillSettings>;
}

export interface FourTiers {
  /** Real path; `pkg/`, `home/`, `repo/` and `mission/` lie in it. The working directory is `repo/app`. */
  readonly root: string;
  /** Loads with what the operator has said so far. */
  load(given?: Given): Promise<Registry>;
  /** Lists with what the operator has said so far. */
  list(given?: Given): Promise<Listing>;
  /** Looks with what the operator has said so far. */
  within<Found>(
    given: Given,
    find: (places: CataloguePlaces, options: LoadOptions) => Promise<Found>,
  ): Promise<Found>;
  /** Writes the operator's trust file anew. */
  say(words: { readonly approved?: readonly Word[]; readonly revoked?: readonly Word[] }): Promise<void>;
  /** The path as tests write it. */
  short(path: string): string;
}

/** Writes the files; the mission repository is there when a file lies in it. */
export async function fourTiers(files: Readonly<Record<string, string>>): Promise<FourTiers> {
  const root = await realpath(await tempDir('tiers'));
  const at = (path: string): string => join(root, path);
  for (const folder of ['pkg', 'home/.bnerd', 'repo/app']) await mkdir(at(folder), { recursive: true });
  await putFiles(root, files);
  const own = ownTrustFile(at('home/.bnerd'));
  const mission = Object.keys(files).some((path) => path.startsWith('mission/'));
  const within = async <Found>(
    { named = true, settings = {} }: Given,
    find: (places: CataloguePlaces, options: LoadOptions) => Promise<Found>,
  ): Promise<Found> => {
    const askedTrees = [at('repo'), ...(named ? [] : [at('mission')])];
    const trust = openTrust({ own, extra: [], mission: null, askedTrees, gitPath: '/usr/bin:/bin' });
    const places: CataloguePlaces = {
      packageRoot: at('pkg'),
      global: globalFolders(at('home/.bnerd'), at('home')),
      project: { root: at('repo'), folders: [at('repo'), at('repo/app')] },
      mission: mission ? { path: at('mission'), named } : null,
      trust,
    };
    const found = await find(places, {
      signal: new AbortController().signal,
      log: { info: () => {} },
      settings: { ...DEFAULT_SKILL_SETTINGS, ...settings },
    });
    const problems = await trust.findings();
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    return found;
  };
  return {
    root,
    within,
    load: (given = {}) => within(given, loadRegistry),
    list: (given = {}) => within(given, listEntryHeads),
    async say({ approved = [], revoked = [] }) {
      const file = ({ path, digest, tier = 'project' }: Word) => ({
        kind: 'entry',
        tier,
        path,
        root: at(tier === 'project' ? 'repo' : 'mission'),
        ...(digest === undefined ? {} : { digest }),
        at: '2026-01-01T00:00:00Z',
      });
      const document = {
        version: 1,
        files: approved.map((word) => ({ ...file(word), approver: 'the operator' })),
        revoked: { files: revoked.map((word) => ({ ...file(word), revoker: 'the operator' })) },
      };
      await writeFile(own, stringify(document), { mode: 0o600 });
    },
    short: (path) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path),
  };
}

/** The question that was asked about a file. */
export function questionOf(registry: Registry, end: string): TrustQuestion {
  for (const file of registry.files) {
    if (file.kind === 'loaded' && file.path.endsWith(end) && file.approval !== null)
      return file.approval.question;
  }
  throw new Error(`nobody was asked about ${end}`);
}
