/** The four tiers of one operator as the built program sees them: what the tests of the `skills` commands start from. */

import { join } from 'node:path';
import { lockText } from '../../src/skills/lock/lock-text.js';
import { type BnerdOptions, type BnerdPlace, type BnerdRun, bnerd, bnerdPlace } from './bnerd.js';
import { bnerdHere } from './bnerd-here.js';
import { makeRepository, putFiles } from './repository.js';

/** Files by tier, by their paths: relative to the home directory, to `BNERD_HOME`, to the repository, to the mission. */
export interface TierFiles {
  readonly home?: Readonly<Record<string, string>>;
  readonly global?: Readonly<Record<string, string>>;
  readonly project?: Readonly<Record<string, string>>;
  /** Named by `BNERD_MISSION_REPO` when it is given. */
  readonly mission?: Readonly<Record<string, string>>;
}

/** A line of `skills list --json`. */
export interface ListedEntry {
  readonly kind: string;
  readonly name: string;
  readonly tier: string;
  readonly state: string;
  readonly why: string | null;
  readonly by: string | null;
  readonly path: string;
  readonly description: string | null;
  readonly digest: string | null;
}

/** One operator in a repository of somebody. */
export class SkillTiers {
  readonly place: BnerdPlace;
  readonly mission: string;
  readonly #named: boolean;

  constructor(place: BnerdPlace, named: boolean) {
    this.place = place;
    this.mission = join(place.root, 'mission');
    this.#named = named;
  }

  bnerd(words: readonly string[], options: BnerdOptions = {}): Promise<BnerdRun> {
    return bnerd(words, { place: this.place, ...options, env: { ...this.#env, ...options.env } });
  }

  /** The same in the process of the test, for what stands around what the test is about. */
  here(words: readonly string[]): Promise<BnerdRun> {
    return bnerdHere(words, { place: this.place, env: this.#env });
  }

  get #env(): NonNullable<BnerdOptions['env']> {
    return this.#named ? { BNERD_MISSION_REPO: this.mission } : {};
  }

  /** The entries of `skills list`, or those of one name. */
  async list(name?: string): Promise<ListedEntry[]> {
    const { stdout } = await this.here(['skills', 'list', '--json']);
    const { entries }: { entries: ListedEntry[] } = JSON.parse(stdout);
    return entries.filter((entry) => name === undefined || entry.name === name);
  }

  /** Gives the operator's word on the files of the project, by path. */
  async approve(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const listed: { files: { path: string; digest: string }[] } = JSON.parse(
        (await this.here(['trust', '--json'])).stdout,
      );
      const file = listed.files.find((one) => one.path.endsWith(path));
      const { exit, stderr } = await this.here(['trust', path, '--digest', file?.digest ?? '']);
      if (exit !== 0) throw new Error(`${path} was not approved: ${stderr}`);
    }
  }

  /** A path as the tests write it: `project/…`, `global/…`, `home/…`, `mission/…`, or `package/…`. */
  short(path: string): string {
    const { work, state, home } = this.place;
    const folders: readonly (readonly [string, string])[] = [
      [work, 'project'],
      [state, 'global'],
      [home, 'home'],
      [this.mission, 'mission'],
    ];
    const found = folders.find(([folder]) => path.startsWith(`${folder}/`));
    return found === undefined
      ? path.replace(/^.*?\/(?=skills\/)/, 'package/')
      : `${found[1]}${path.slice(found[0].length)}`;
  }
}

/** Writes the files; the working directory is the repository. */
export async function skillTiers(files: TierFiles): Promise<SkillTiers> {
  const place = await bnerdPlace();
  await makeRepository(place.work);
  await putFiles(place.work, files.project ?? {});
  await putFiles(place.home, files.home ?? {});
  await putFiles(place.state, files.global ?? {});
  const at = new SkillTiers(place, files.mission !== undefined);
  if (files.mission !== undefined) {
    await makeRepository(at.mission);
    await putFiles(at.mission, files.mission);
  }
  return at;
}

/** The text of an entry in the open dialect. */
export function entryFile(name: string, more: readonly string[] = [], body = `About ${name}.`): string {
  return ['---', `name: ${name}`, `description: What ${name} is for.`, ...more, '---', body, ''].join('\n');
}

/** Where the third-party entries of these tests say they come from. */
export const PIN = 'https://example.org/owner/x@0123456789abcdef0123456789abcdef01234567';

/** The provenance of an entry of others. */
export const THIRD_PARTY: readonly string[] = ['origin: third-party', 'license: MIT', `upstream: ${PIN}`];

/** The text of an entry in the governed dialect. */
export function governedFile(
  name: string,
  version: string,
  more: readonly string[] = ['origin: proprietary'],
): string {
  const fields = [`name: ${name}`, `version: ${version}`, `description: About ${name}.`, ...more];
  return ['---', ...fields, '---', 'Text.', ''].join('\n');
}

/** A mission repository in the governed dialect. */
export function governedMission(files: Readonly<Record<string, string>>): Promise<SkillTiers> {
  const mark = '---\nskills: governed\n---\nA mission.\n';
  return skillTiers({ mission: { '.bnerd/context.md': mark, ...files } });
}

/** Locks entries of the mission as they lie there now, as version 1.0.0. */
export async function lockEntries(
  at: SkillTiers,
  names: readonly string[],
  imported: readonly string[] = [],
): Promise<void> {
  const lines = (await at.list())
    .filter(({ name, tier }) => tier === 'mission' && names.includes(name))
    .map(({ name, digest }) => ({
      name,
      version: '1.0.0',
      digest: digest ?? '',
      import: imported.includes(name) ? { upstream: PIN, file: 'SKILL.md' } : null,
    }));
  await putFiles(at.mission, { 'orchestrator/skills/skills.lock': lockText(lines) });
}
