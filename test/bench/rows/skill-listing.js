/** Names and descriptions of a thousand skills by strangers, against reading the bytes of their files. */

import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = new URL('../../../dist/', import.meta.url);
const listing = new URL('skills/listing.js', built);
const corpus = fileURLToPath(new URL('../../../../shared/corpus/skills/', import.meta.url));

/** Files open at a time, on both sides. */
const GROUP = 32;

export const row = {
  name: 'skill-listing',
  measures: 'names and descriptions of the skills in ../shared/corpus, found, read and judged',
  reference: `the bytes of the same files by readFile, ${GROUP} at a time, their paths known`,
  goal: 3,
  floor: 4.5,
  rounds: 21,
  warmup: 5,
  cpu: 'self',
  missing: () => {
    if (!existsSync(listing)) return `${fileURLToPath(listing)} is not there: build it with "npm run build"`;
    return existsSync(corpus) ? undefined : `${corpus} is not there`;
  },
  ours: {
    async prepare() {
      const { listEntryHeads } = await import(listing.href);
      const { globalFolders } = await import(new URL('catalog/tiers.js', built).href);
      const { NO_APPROVALS } = await import(new URL('catalog/trust.js', built).href);
      const { DEFAULT_SKILL_SETTINGS } = await import(new URL('skills/settings.js', built).href);
      const { home } = await skillsOfStrangers();
      const places = {
        packageRoot: join(home, 'none'),
        global: globalFolders(join(home, '.bnerd'), home),
        project: null,
        mission: null,
        trust: NO_APPROVALS,
      };
      const options = { signal: new AbortController().signal, settings: DEFAULT_SKILL_SETTINGS };
      return () => listEntryHeads(places, options);
    },
    run: (list) => list(),
  },
  theirs: {
    prepare: skillsOfStrangers,
    run: ({ paths }) => eachOf(paths, (path) => readFile(path)),
  },
  beside: {
    'gray-matter': {
      async prepare() {
        const { default: matter } = await import('gray-matter');
        const { paths } = await skillsOfStrangers();
        // With options it keeps no cache of texts that it has seen.
        return { paths, named: (text) => matter(text, {}).data };
      },
      run: readNames,
    },
    'js-yaml behind a regular expression': {
      async prepare() {
        const { load } = await import('js-yaml');
        const { paths } = await skillsOfStrangers();
        return { paths, named: (text) => load(/^---\r?\n([\s\S]*?)^---\r?$/m.exec(text)?.[1] ?? '') };
      },
      run: readNames,
    },
  },
  release: async () => {
    const { home } = await skillsOfStrangers();
    await rm(home, { recursive: true });
  },
};

/** Name and description of every file; one that the library throws for has none. */
async function readNames({ paths, named }) {
  await eachOf(paths, async (path) => {
    const text = await readFile(path, 'utf8');
    try {
      const { name, description } = named(text) ?? {};
      return { name, description };
    } catch {
      return undefined; // not YAML
    }
  });
}

async function eachOf(paths, work) {
  for (let start = 0; start < paths.length; start += GROUP) {
    await Promise.all(paths.slice(start, start + GROUP).map(work));
  }
}

let laidOut;

/** The files where a user has skills, laid out once for all rounds. */
function skillsOfStrangers() {
  laidOut ??= layOut();
  return laidOut;
}

async function layOut() {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'bench-skills-')));
  const names = await readdir(corpus, { recursive: true });
  const files = names.filter((name) => basename(name).toLowerCase() === 'skill.md').sort();
  await mkdir(join(home, '.bnerd'));
  const paths = files.map((_, at) => join(home, '.agents/skills', String(at), 'SKILL.md'));
  await eachOf([...files.keys()], async (at) => {
    await mkdir(join(paths[at], '..'), { recursive: true });
    await copyFile(join(corpus, files[at]), paths[at]);
  });
  return { home, paths };
}
