/**
 * The rules that fail a build, as data and pure functions over a map from path to text, so that each can be tried
 * on a breach that exists nowhere. A rule returns its breaches, `<path>:<line>: <what was found>; <what to do>`.
 *
 * Paths begin at the top of the repository and have forward slashes; `src/` and `test/` are read.
 */

import { dirname, posix } from 'node:path';
import { lineOf, type Scan, scanSource } from './scan-source.js';

export type Files = ReadonlyMap<string, string>;
export type Rule = (files: Files) => string[];

interface Layer {
  readonly folders: readonly string[];
  readonly level: number;
  /** Folders, `<folder>/<file>` for a part of one, or every row before this one. */
  readonly mayImport: readonly string[] | 'everything above';
}

/**
 * What `skills/` may know of the catalogue: where files lie (tiers), which are approved (trust), how a file found
 * there and its frontmatter are read (one safe reader of YAML for all files); recipes, roles and rosters it may not.
 */
const PLACES_OF_CATALOGUE = [
  'catalog/tiers',
  'catalog/trust',
  'catalog/files/find-files',
  'catalog/files/scan-mapping',
  'catalog/files/source-file',
  'catalog/files/source-start',
  'catalog/files/written-mapping',
  'catalog/files/shape',
];

/** The layer table. A folder may import itself and what its row lists; type imports obey the same rule. */
export const LAYERS: readonly Layer[] = [
  { level: 0, folders: ['shared'], mayImport: [] },
  { level: 1, folders: ['config'], mayImport: ['shared'] },
  { level: 1, folders: ['events'], mayImport: ['shared'] },
  { level: 1, folders: ['models'], mayImport: ['shared'] },
  { level: 1, folders: ['catalog'], mayImport: ['shared'] },
  { level: 1, folders: ['dispatch'], mayImport: ['shared'] },
  { level: 2, folders: ['skills'], mayImport: ['shared', ...PLACES_OF_CATALOGUE] },
  { level: 2, folders: ['team'], mayImport: ['shared', 'events', 'catalog'] },
  { level: 2, folders: ['agent'], mayImport: ['shared', 'models'] },
  { level: 2, folders: ['delegate'], mayImport: ['shared', 'skills'] },
  { level: 3, folders: ['state'], mayImport: ['shared', 'events', 'team'] },
  { level: 3, folders: ['tools'], mayImport: ['shared', 'agent', 'team', 'skills', 'delegate'] },
  { level: 4, folders: ['runtime'], mayImport: 'everything above' },
  { level: 5, folders: ['web', 'mcp'], mayImport: ['shared', 'events', 'team', 'skills', 'runtime'] },
  // Not a window on a team but a loop of its own: it asks a model and acts on the calls, with the loop of `agent/`.
  {
    level: 5,
    folders: ['chat'],
    mayImport: ['shared', 'models', 'agent', 'team', 'skills', 'tools', 'runtime'],
  },
  { level: 6, folders: ['cli'], mayImport: 'everything above' },
];

/** The two files that stand above the folders, and the folder whose row they obey. */
const TOP_FILES: Readonly<Record<string, string>> = { 'src/cli.ts': 'cli', 'src/index.ts': 'runtime' };

/** Packages that only the folder of their port may know; `process` by import would hide from the owner rules. */
const PACKAGE_HOMES: readonly { readonly name: RegExp; readonly folders: readonly string[] }[] = [
  { name: /^bullmq(\/|$|-)/, folders: ['dispatch'] },
  { name: /^@opentelemetry\//, folders: ['dispatch'] },
  { name: /^ioredis(\/|$)/, folders: ['dispatch', 'events'] },
  { name: /^pino(\/|$)/, folders: ['shared'] },
  { name: /^(ai|@ai-sdk\/.*)(\/|$)/, folders: ['models'] },
  { name: /^(node:)?process$/, folders: [] },
];

export const MAX_LINES = 400;

/** Where the tiers' folders are written out beside `catalog/tiers.ts`, and why that is no second owner. */
export const TIER_PATH_EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/tools/files/protected-paths.ts':
    'names that no file tool writes, at any depth and in any tree: no place of a tier',
};

interface Owner {
  readonly what: string;
  readonly owner: string;
  /** Looked for in the code, outside comments and strings. */
  readonly code?: RegExp;
  /** Looked for in each string and piece of a template. */
  readonly string?: RegExp;
  readonly exceptions?: Readonly<Record<string, string>>;
}

/** Each edge of the program has one file that touches it. */
export const OWNERS: readonly Owner[] = [
  {
    what: 'the environment',
    owner: 'src/config/env.ts',
    code: /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\}\s*=\s*process\b/g,
  },
  {
    what: 'stdout, stderr or the console',
    owner: 'src/cli/output.ts',
    code: /(?<![.\w$])console\b|\bprocess\s*\.\s*(stdout|stderr)\b/g,
  },
  {
    what: 'the end of the process or its signals',
    owner: 'src/cli.ts',
    code: /\bprocess\s*\.\s*(exit|exitCode|abort|reallyExit|on|once|addListener|prependListener|prependOnceListener)\b/g,
  },
  {
    what: 'a Redis name',
    owner: 'src/shared/redis-names.ts',
    string: /\bbnerd:(\{|teams|worker|runner|q\b)|\bbnerd-(turns|briefs)\b|:\{$|^-(turns|briefs)(\.|$)/,
  },
  {
    what: 'a clock',
    owner: 'src/shared/clock.ts',
    code: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(\(\s*\)|(?!\s*\())|(?<![\w$.]|new\s+)Date\s*\(|\bperformance\s*\.\s*(now|timeOrigin)\b|\bprocess\s*\.\s*(hrtime|uptime)\b/g,
  },
  {
    what: 'a deadline that nobody holds',
    owner: 'src/shared/abort.ts',
    code: /\bAbortSignal\s*\.\s*timeout\b/g,
  },
  {
    what: 'a path of a tier',
    owner: 'src/catalog/tiers.ts',
    string:
      /(^|[\s/(~'"`])(orchestrator|\.claude|\.agents|\.bnerd)\/|^(orchestrator|\.claude|\.agents|\.bnerd)$/,
    exceptions: TIER_PATH_EXCEPTIONS,
  },
  // Invariant 8: each way to a record and to a model has one door, and the redactor stands in it.
  {
    what: 'a record or a store of a team that is opened',
    owner: 'src/runtime/open-team.ts',
    code: /\bopen(File|Redis)Record\s*\(|\bTeamStore\s*\.\s*open\b/g,
    exceptions: {
      'src/events/file-record.ts': 'says how a record is opened',
      'src/events/redis/redis-record.ts': 'says how one on Redis is',
      'src/events/copy-record.ts': 'copies what has gone through the redactor already',
      'src/runtime/engine/redis-open.ts': 'opens teams on Redis, behind the same redactor',
    },
  },
  {
    what: 'a model that is opened',
    owner: 'src/models/open-model.ts',
    code: /\b(openProvider|openScript|scriptedModel|providerModel)\s*\(/g,
    exceptions: {
      'src/models/providers/open-provider.ts': 'says how one of a provider is opened',
      'src/models/providers/provider-model.ts': 'says what one of a provider is',
      'src/models/script/open-script.ts': 'says how a script is opened',
      'src/models/script/scripted-model.ts': 'says what a scripted one is',
    },
  },
];

/** What stands outside for the program, and the suite that every implementation of it must pass. */
export const PORTS: readonly { readonly port: string; readonly suite: string }[] = [
  { port: 'src/events/record.ts', suite: 'test/contracts/record.ts' },
  { port: 'src/dispatch/dispatcher.ts', suite: 'test/contracts/dispatcher.ts' },
  { port: 'src/models/model.ts', suite: 'test/contracts/model.ts' },
  { port: 'src/agent/tool.ts', suite: 'test/contracts/tool.ts' },
  { port: 'src/delegate/engineers/engineer.ts', suite: 'test/contracts/engineer.ts' },
];

/** Texts that mean something to a reader of a prompt: written by one file, so that no other can imitate them. */
const WRITTEN_ONCE = ['[Skill:', '[Rule:', '<!-- provenance', '## Active', '## Available', '\u29f5'];

const VAGUE_NAME = /^(utils?|helpers?|common|managers?|base|misc)$/;

export const layers: Rule = (files) =>
  sources(files).flatMap(({ path, text, scan }) => {
    const folder = folderOf(path);
    if (rowOf(folder) === undefined)
      return [`${path}: ${folder} is no folder of the layer table; see LAYERS`];
    return scan.imports.flatMap(({ specifier, offset }) => {
      const place = `${path}:${lineOf(text, offset)}`;
      if (specifier === undefined) return [`${place}: import of something computed; name the file`];
      if (!specifier.startsWith('.')) return packageBreach(place, folder, specifier);
      const target = targetOf(path, specifier);
      if (target === undefined || !files.has(target) || !target.startsWith('src/')) {
        return [`${place}: "${specifier}" is no file of src; relative imports end in .js`];
      }
      return mayImport(folder, target) ? [] : [`${place}: ${folder}/ may not import ${target}; see LAYERS`];
    });
  });

export const noCycle: Rule = (files) => {
  const graph = new Map(
    sources(files).map(({ path, scan }) => [
      path,
      scan.imports.flatMap(({ specifier }) => targetOf(path, specifier) ?? []).filter((to) => files.has(to)),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) {
      cycles.push(`${[...way.slice(way.indexOf(path)), path].join(' → ')}: a cycle, types included`);
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
};

export const fileLength: Rule = (files) =>
  [...files].flatMap(([path, text]) => {
    const lines = text.replace(/\n$/, '').split('\n').length;
    return lines > MAX_LINES ? [`${path}: ${lines} lines; at most ${MAX_LINES}, split it by ideas`] : [];
  });

export const owners: Rule = (files) =>
  sources(files).flatMap(({ path, text, scan }) =>
    OWNERS.filter(({ owner, exceptions }) => path !== owner && exceptions?.[path] === undefined).flatMap(
      ({ what, owner, code, string }) => {
        const inCode = code === undefined ? [] : [...scan.code.matchAll(code)].map((match) => match.index);
        const inStrings = scan.strings.filter((one) => string?.test(one.text)).map(({ offset }) => offset);
        return [...inCode, ...inStrings].map(
          (offset) => `${path}:${lineOf(text, offset)}: ${what} belongs to ${owner}`,
        );
      },
    ),
  );

/** An exception that nobody needs any more would let a second owner in unseen. */
export const exceptionsAreUsed: Rule = (files) => {
  const tierPath = OWNERS.find(({ exceptions }) => exceptions === TIER_PATH_EXCEPTIONS)?.string;
  return Object.keys(TIER_PATH_EXCEPTIONS).flatMap((path) => {
    const strings = scanSource(files.get(path) ?? '').strings;
    return strings.some(({ text }) => tierPath?.test(text))
      ? []
      : [`${path}: is excepted from the owner of tier paths and names none; remove the exception`];
  });
};

export const noAny: Rule = codeRule(
  /(?<![.\w$#])any(?![\w$]|\s*[:(])|\bz\s*\.\s*any\b/g,
  'any; parse it at the door, or say what it is',
);

/** Q6 and its like: the one rejects a command that is sent later all the same, the other the queue library refuses. */
export const noTrapsOfRedis: Rule = codeRule(
  /\b(commandTimeout|keyPrefix)\b/g,
  'an option of the Redis client that is never right here; see src/events/redis/connection.ts',
);

export const noDefaultExport: Rule = codeRule(
  /\bexport\s+default\b|\bas\s+default\b|\bexport\s*=/g,
  'default export; name it',
);

export const noModuleState: Rule = codeRule(
  /^(export\s+)?((let|var)\b|const\s+[\w$]+\b(?!\s*:\s*(readonly|Readonly))[^=\n]*=\s*(new\s+(Weak)?(Map|Set)\s*(<[^\n]*>)?\s*\(\s*\)|\[\]|\{\})\s*;)/gm,
  'state in a module variable; give it to a value with an owner',
);

export const noInnerIndex: Rule = (files) =>
  sources(files)
    .filter(({ path }) => path.endsWith('/index.ts') && path !== 'src/index.ts')
    .map(({ path }) => `${path}: inner index.ts; import the file that has the name`);

export const headComments: Rule = (files) =>
  sources(files)
    .filter(({ text }) => !/^(#![^\n]*\n)?\s*(\/\*\*?[\s*]*[\p{L}`]|\/\/\s*[\p{L}`])/u.test(text))
    .map(({ path }) => `${path}:1: no head comment; say what the file owns and what is always true`);

export const fileNames: Rule = (files) =>
  sources(files).flatMap(({ path }) => {
    const names = path
      .replace(/^src\//, '')
      .replace(/\.ts$/, '')
      .split('/');
    return names.flatMap((name) => {
      const last = name.split('-').at(-1) ?? name;
      if (VAGUE_NAME.test(last)) return [`${path}: "${last}" names no idea; name what is in it`];
      return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : [`${path}: "${name}" is not kebab-case`];
    });
  });

export const mirroredInTest: Rule = (files) => {
  const folders = new Set(sources(files).map(({ path }) => dirname(path)));
  return [...folders].flatMap((folder) => {
    const room = folder.split('/').slice(0, 2).join('/');
    if (room === 'src') return [];
    const mirror = `test/${room.slice('src/'.length)}/`;
    const tested = [...files.keys()].some((path) => path.startsWith(mirror) && path.endsWith('.test.ts'));
    return tested ? [] : [`${folder}: no test in ${mirror}; test/ mirrors src/`];
  });
};

/** Every type of fact has a place in the fold, so that none is written and then forgotten. */
export function everyFactIsFolded(types: readonly string[]): Rule {
  return (files) => {
    const fold = sources(files).filter(({ path }) => /^src\/team\/evolve(\.ts$|\/)/.test(path));
    const named = new Set(fold.flatMap(({ scan }) => scan.strings.map(({ text }) => text)));
    return types
      .filter((type) => !named.has(type))
      .map((type) => `src/team/evolve.ts: the fact ${type} is not folded; say what it does to the state`);
  };
}

export const everyPortHasItsSuite: Rule = (files) =>
  PORTS.filter(({ port }) => files.has(port)).flatMap(({ port, suite }) => {
    if (!files.has(suite)) return [`${port}: no contract suite ${suite}`];
    const used = [...files].some(
      ([path, text]) =>
        path.endsWith('.test.ts') &&
        scanSource(text).imports.some(({ specifier }) => targetOf(path, specifier) === suite),
    );
    return used ? [] : [`${suite}: no test runs this suite; run it on each implementation of ${port}`];
  });

export const writtenOnce: Rule = (files) =>
  WRITTEN_ONCE.flatMap((mark) => {
    const writers = sources(files).filter(({ scan }) => scan.strings.some(({ text }) => text.includes(mark)));
    const places = writers.map(({ path }) => path).join(', ');
    return writers.length > 1
      ? [`${places}: "${mark}" is written in more than one file; keep it in one`]
      : [];
  });

interface Source {
  readonly path: string;
  readonly text: string;
  readonly scan: Scan;
}

/** The files of `src`, scanned once per tree: every rule asks for them. */
function sources(files: Files): readonly Source[] {
  const known = SCANNED.get(files);
  if (known !== undefined) return known;
  const scanned = [...files]
    .filter(([path]) => path.startsWith('src/'))
    .map(([path, text]) => ({ path, text, scan: scanSource(text) }));
  SCANNED.set(files, scanned);
  return scanned;
}

const SCANNED = new WeakMap<Files, readonly Source[]>();

function codeRule(pattern: RegExp, what: string): Rule {
  return (files) =>
    sources(files).flatMap(({ path, text, scan }) =>
      [...scan.code.matchAll(pattern)].map((match) => `${path}:${lineOf(text, match.index)}: ${what}`),
    );
}

function rowOf(folder: string): number | undefined {
  const row = LAYERS.findIndex(({ folders }) => folders.includes(folder));
  return row === -1 ? undefined : row;
}

function folderOf(path: string): string {
  return TOP_FILES[path] ?? path.split('/')[1] ?? '';
}

/** The file a relative import names, from the top of the repository; undefined for any other import. */
function targetOf(from: string, specifier: string | undefined): string | undefined {
  if (specifier === undefined || !/^\..*\.js$/.test(specifier)) return undefined;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

function mayImport(folder: string, target: string): boolean {
  const to = folderOf(target);
  if (target in TOP_FILES) return false;
  if (to === folder) return true;
  const row = LAYERS[rowOf(folder) ?? -1];
  const allowed = row?.mayImport ?? [];
  if (allowed === 'everything above') return (rowOf(to) ?? LAYERS.length) < (rowOf(folder) ?? 0);
  return allowed.includes(to) || allowed.includes(target.replace(/^src\/|\.ts$/g, ''));
}

function packageBreach(place: string, folder: string, specifier: string): string[] {
  const home = PACKAGE_HOMES.find(({ name }) => name.test(specifier));
  if (home === undefined || home.folders.includes(folder)) return [];
  const who = home.folders.length === 0 ? 'nobody' : `only ${home.folders.join('/ and ')}/`;
  return [`${place}: ${who} may import ${specifier}`];
}
