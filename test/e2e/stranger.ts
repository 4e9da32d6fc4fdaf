/** A repository of strangers with a file of every kind, and an operator who looks at it through the program. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BnerdOptions, type BnerdPlace, type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere, type HereOptions } from '../helpers/bnerd-here.js';
import { commitAll } from '../helpers/repository.js';

/** What `bnerd trust --json` says of a file. */
export interface ListedFile {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly file: string;
  readonly digest: string;
  readonly state: string;
  readonly by: string | null;
}

export const FILES: Readonly<Record<string, string>> = {
  '.bnerd/teams/review/team.md':
    '---\nname: review\ndescription: A review by strangers\nlead: boss\nroles: [boss]\nsafety: full\n---\nContract.\n',
  '.claude/agents/boss.md': '---\nname: boss\ndescription: Leads\ntools: Read, Bash\n---\nYou lead.\n',
  '.bnerd/rules/tone.md': '---\nname: tone\ndescription: Be kind\n---\nBe kind.\n',
  '.claude/skills/lore/SKILL.md': '---\nname: lore\ndescription: What is known\n---\nSee scripts/run.sh.\n',
};

export class Stranger {
  readonly place: BnerdPlace;
  /** Real path of the repository. */
  readonly repository: string;

  constructor(place: BnerdPlace, repository: string) {
    this.place = place;
    this.repository = repository;
  }

  /** Where the operator's word is kept. */
  get own(): string {
    return join(this.place.state, 'trust.yaml');
  }

  /** Any command, started in the repository unless said otherwise. */
  bnerd(words: readonly string[], options: BnerdOptions = {}): Promise<BnerdRun> {
    return bnerd(words, { place: this.place, cwd: this.repository, ...options });
  }

  /** The same in the process of the test, for what stands around what the test is about. */
  here(words: readonly string[], options: HereOptions = {}): Promise<BnerdRun> {
    return bnerdHere(words, { place: this.place, cwd: this.repository, ...options });
  }

  async write(path: string, text: string): Promise<void> {
    await put(join(this.repository, path), text);
  }

  /** Every file that needs a word. */
  async files(options: HereOptions = {}, ...flags: readonly string[]): Promise<readonly ListedFile[]> {
    const run = await this.here(['trust', '--json', ...flags], options);
    const parsed: { readonly files: readonly ListedFile[] } = JSON.parse(run.stdout);
    return parsed.files;
  }

  async file(name: string, options: HereOptions = {}, ...flags: readonly string[]): Promise<ListedFile> {
    const found = (await this.files(options, ...flags)).filter((file) => file.name === name);
    const [file] = found;
    if (file === undefined || found.length > 1) throw new Error(`${found.length} files are called ${name}`);
    return file;
  }

  /** Approves a file as it stands there. */
  async approve(name: string): Promise<ListedFile> {
    const file = await this.file(name);
    const run = await this.here(['trust', name, '--digest', file.digest, '--as', 'ann']);
    if (run.exit !== 0) throw new Error(run.stderr);
    return file;
  }

  /** Whether the recipe `review` is there to be run. */
  async isInEffect(options: HereOptions = {}, ...flags: readonly string[]): Promise<boolean> {
    const run = await this.here(['team', 'list', ...flags], options);
    return /^review /m.test(run.stdout);
  }

  readOwn(): Promise<string> {
    return readFile(this.own, 'utf8');
  }
}

/** A fresh operator beside a repository with one commit that holds these files. */
export async function stranger(files: Readonly<Record<string, string>> = FILES): Promise<Stranger> {
  const place = await bnerdPlace();
  const repository = join(place.root, 'repo');
  for (const [path, text] of Object.entries(files)) await put(join(repository, path), text);
  await mkdir(repository, { recursive: true });
  commitAll(repository, 'all of it');
  return new Stranger(place, repository);
}

export async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
