/**
 * What the pages of the help say of files: every key of a recipe, role, skill or settings file, with the sentence that its
 * schema has, and samples that load. Their command lines are compared in `readme.test.ts`.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recipeJsonSchema, roleJsonSchema } from '../src/catalog/json-schema.js';
import { DEFAULT_LIMITS } from '../src/catalog/recipes/limits.js';
import { parseRecipe } from '../src/catalog/recipes/parse-recipe.js';
import { parseRole } from '../src/catalog/roles/parse-role.js';
import { TOPICS } from '../src/cli/topics.js';
import { keysAt, SECTION_NAMES } from '../src/config/settings-keys.js';
import { FACT_TYPES } from '../src/events/event.js';
import { entryJsonSchema } from '../src/skills/parse/entry-schema.js';
import { LAYERS } from './helpers/architecture.js';
import { helpPages, type Page, readme } from './helpers/readme.js';

const ROOT = join(import.meta.dirname, '..');
const PAGES = await helpPages();

/** As much of a JSON Schema as is looked at here. */
interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
}

const RECIPE: Node = recipeJsonSchema();
const below = (key: string): Node => RECIPE.properties?.[key] ?? {};

function page(name: string): Page {
  const found = PAGES.find(({ path }) => path === `docs/${name}.md`);
  if (found === undefined) throw new Error(`there is no page ${name}`);
  return found;
}

/** The tables of a page: rows of cells, without the row of dashes. */
function tables({ text }: Page): string[][][] {
  return [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([block]) =>
    block
      .trimEnd()
      .split('\n')
      .filter((row) => !/^\|[-| ]+\|$/.test(row))
      .map((row) => row.slice(2, -2).split(' | ')),
  );
}

/** Key and sentence of every key of a schema that has an effect here, as a table has them. */
function rowsOf({ properties = {} }: Node): string[][] {
  return Object.entries(properties)
    .filter(
      ([, { description = '' }]) =>
        !/^(Not in effect here; reported|Kept as data, without)/.test(description),
    )
    .map(([key, { description = '' }]) => [`\`${key}\``, description]);
}

test('there is a page for every topic that is one, and a topic for every page', () => {
  const topics = TOPICS.filter(({ from }) => from === 'page').map(({ name }) => `docs/${name}.md`);
  expect(topics.sort()).toEqual(PAGES.map(({ path }) => path));
});

describe('a page lists every key, in the words of its schema', () => {
  test.each<[string, string, Node]>([
    ['recipes', 'recipe', RECIPE],
    ['recipes', 'task', below('tasks').items ?? {}],
    ['recipes', 'rule', below('permissions').items ?? {}],
    ['recipes', 'variable', below('variables').additionalProperties ?? {}],
    ['recipes', 'engineer', below('engineer')],
    ['roles', 'role', roleJsonSchema()],
    ['skills', 'skill', entryJsonSchema()],
  ])('%s: %s', (name, _, schema) => {
    expect(rowsOf(schema).length).toBeGreaterThan(2);
    expect(tables(page(name)).map((rows) => rows.slice(1))).toContainEqual(rowsOf(schema));
  });

  test('recipes: limits, with their defaults', () => {
    const defaults = Object.values(DEFAULT_LIMITS).map((value) => (value === null ? 'none' : String(value)));
    const rows = rowsOf(below('limits')).map(([key, says], at) => [key, defaults[at], says]);
    expect(tables(page('recipes')).map((each) => each.slice(1))).toContainEqual(rows);
  });

  test('settings: every section and every key of it', () => {
    const { spans } = page('settings');
    const shown = new Set(spans.flatMap((span) => [span, ...span.split('.')]));
    const keys = SECTION_NAMES.flatMap((section) => [
      section,
      ...(['mission-repo', 'model', 'aliases'].includes(section) ? [] : keysBelow(section)),
    ]);
    expect(keys.filter((key) => !shown.has(key))).toEqual([]);
  });
});

/** The keys of a section at every depth. */
function keysBelow(section: string): string[] {
  const entries = [
    [section],
    [section, ''],
    [section, '', ''],
    [section, 'guards'],
    [section, 'engineers', ''],
  ];
  // Where the keys of a section are free names, those of what is below them count.
  return [...new Set(entries.flatMap((path) => keysAt(path)))];
}

describe('what a page names is there', () => {
  test('keys of the settings file and of a recipe, and types of facts', () => {
    const unknown = PAGES.flatMap(({ path, spans }) =>
      spans
        .filter((span) => /^[a-z-]+(\.[a-z_-]+)+$/.test(span) && !/\.(ts|md|jsonl|lock)$/.test(span))
        .filter((span) => !isKnown(span))
        .map((span) => [path, span]),
    );
    expect(unknown).toEqual([]);
  });

  test.each(
    PAGES.flatMap(({ path, yaml }) => yaml.map((sample) => [path, sample.file, sample.text] as const)),
  )('%s: the sample of %s loads', (_, file, text) => {
    if (file === '~/.bnerd.yaml') return; // Read in `readme.test.ts`.
    const source = (frame: string) => ({
      path: file,
      tier: 'builtin' as const,
      text: `---\n${frame}${text}---\nA contract.\n`,
    });
    const whole = /^name:/m.test(text);
    const frame = whole ? '' : 'name: x\ndescription: x\nlead: a\nroles: [a]\n';
    const load = file === 'team.md' ? parseRecipe(source(frame), 'x') : parseRole(source(''));
    expect(load).toMatchObject({ kind: 'loaded' });
    expect(load.findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });
});

describe('for those who change the program', () => {
  test('the layers are those of the architecture test', () => {
    const [layers = []] = tables(page('source'));
    const shown = layers.slice(1).map(([level, folder, , may = '']) => {
      const names = may.replace(/ \(.*\)/, '').split(', ');
      return [Number(level), folder, may.startsWith('every') ? may : names.filter((name) => name !== '–')];
    });
    const held = LAYERS.flatMap(({ level, folders, mayImport }) =>
      folders
        .filter((folder) => existsSync(join(ROOT, 'src', folder)))
        .map((folder) => [level, `\`src/${folder}\``, shortly(mayImport)]),
    );
    expect(shown).toEqual(held);
  });

  test('files and folders that are named are there', () => {
    const { spans } = page('source');
    const paths = spans.filter((span) => /^(src|test|docs)\b[\w./-]*$/.test(span));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('the README has a row for every dependency, and for no other package', async () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const rows = tables(await readme()).find(([head]) => head?.[0] === 'package') ?? [];
    const shown = rows.slice(1).flatMap(([names = '']) => {
      const [scope = ''] = /^@[^/]+\//.exec(names) ?? [];
      return names.split(', ').map((name) => (name.startsWith(scope) ? name : `${scope}${name}`));
    });
    expect(shown.sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
  });
});

/** Of a layer whose files may be imported in part the name of the folder. */
function shortly(mayImport: (typeof LAYERS)[number]['mayImport']): unknown {
  if (typeof mayImport === 'string') return mayImport;
  return [...new Set(mayImport.map((name) => name.split('/')[0]))];
}

function isKnown(span: string): boolean {
  const [first = '', ...rest] = span.split('.');
  if (FACTS.includes(span)) return true;
  if (SECTION_NAMES.includes(first))
    return rest.every((key, at) => keysAt([first, ...rest.slice(0, at)]).includes(key));
  let node: Node | undefined = RECIPE;
  for (const key of [first, ...rest]) node = node?.properties?.[key];
  return node !== undefined;
}

/** Types of facts, and of the lines that are none. */
const FACTS: readonly string[] = [...FACT_TYPES, 'transcript.appended', 'run.refused'];
