// The published schemas against the files that load: read from their JSON by a checker of the tests, and never by the
// schemas they were made from.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMapping } from '../../src/catalog/files/written-mapping.js';
import { recipeJsonSchema, roleJsonSchema } from '../../src/catalog/json-schema.js';
import { limitsFile } from '../../src/catalog/recipes/limits.js';
import { recipeFile } from '../../src/catalog/recipes/recipe-file.js';
import { parseRole } from '../../src/catalog/roles/parse-role.js';
import { roleFile } from '../../src/catalog/roles/role-file.js';
import { problemsOf } from '../helpers/json-schema.js';

const ROOT = join(import.meta.dirname, '../..');
const CORPUS = join(ROOT, '../shared/corpus/roles');

/** Reads a schema from its JSON text, as a stranger would. */
function problems(schema: object, fields: unknown): string[] {
  return problemsOf(JSON.parse(JSON.stringify(schema)), JSON.parse(JSON.stringify(fields ?? null)));
}

/** The frontmatter of a file; undefined when it has none that can be read. */
function frontmatter(path: string, text: string): unknown {
  const read = readMapping(path, text);
  return read.kind === 'read' ? read.mapping.fields : undefined;
}

async function markdownIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

const recipe = (fields: unknown): string[] => problems(recipeJsonSchema(), fields);
const role = (fields: unknown): string[] => problems(roleJsonSchema(), fields);
const SOUND = { name: 'n', description: 'd', lead: 'a', roles: ['a'] };

describe('the schema of a recipe', () => {
  test('has a title, a name of its own, and a sentence for every key at every depth', () => {
    expect(recipeJsonSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:bnerd:schema:recipe:1',
      title: 'bnerd recipe',
    });
    let keys = 0;
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('properties' in node && typeof node.properties === 'object' && node.properties !== null) {
        for (const [key, property] of Object.entries(node.properties)) {
          keys += 1;
          expect(property, key).toHaveProperty('description');
        }
      }
      for (const below of Object.values(node)) visit(below);
    };
    visit(recipeJsonSchema());
    expect(keys).toBeGreaterThan(Object.keys(recipeFile.shape).length + Object.keys(limitsFile.shape).length);
  });

  test('every built-in recipe validates', async () => {
    const files = await markdownIn(join(ROOT, 'recipes'));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files)
      expect(recipe(frontmatter(file, await readFile(file, 'utf8'))), file).toEqual([]);
  });

  test.each([
    ['an unknown key', { ...SOUND, saftey: 'full' }],
    ['an unknown key of a task', { ...SOUND, tasks: [{ id: 'a', subject: 's', rol: 'a' }] }],
    ['a missing lead', { name: 'n', description: 'd', roles: ['a'] }],
    ['a safety that there is not', { ...SOUND, safety: 'none' }],
    ['a limit that is no number', { ...SOUND, limits: { turns: 'many' } }],
    ['a limit that there is not', { ...SOUND, limits: { truns: 3 } }],
    ['a variable with a blank', { ...SOUND, variables: { 'a b': {} } }],
  ])('%s does not', (_, fields) => {
    expect(recipe(fields)).not.toEqual([]);
  });

  test("the author's own keys do, at any depth", () => {
    const own = { ...SOUND, 'x-team': 1, tasks: [{ id: 'a', subject: 's', 'x-note': 'n' }] };
    expect(recipe(own)).toEqual([]);
  });

  test('the defaults of limits are the ones that hold', () => {
    expect(recipeJsonSchema()).toMatchObject({
      properties: {
        limits: {
          properties: {
            turn_minutes: { default: 30 },
            cost_usd: { default: null },
            record_bytes: { default: 2 ** 30 },
          },
        },
      },
    });
  });
});

describe('the schema of a role', () => {
  test('every built-in role validates, and so does one without a line', async () => {
    const files = await markdownIn(join(ROOT, 'roles'));
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect(role(frontmatter(file, await readFile(file, 'utf8'))), file).toEqual([]);
    expect(role({})).toEqual([]);
  });

  test('keys of other programs are allowed, wrong values of ours are not', () => {
    expect(role({ name: 'a', hooks: {}, mcpServers: [], anything: 1 })).toEqual([]);
    expect(role({ base: 'all' })).not.toEqual([]);
    expect(role({ maxTurns: 0 })).not.toEqual([]);
    expect(role({ tools: 3 })).not.toEqual([]);
  });

  test('has a sentence for every key', () => {
    const schema = roleJsonSchema();
    for (const key of Object.keys(roleFile.shape))
      expect(schema).toHaveProperty(['properties', key, 'description']);
    expect(schema).toMatchObject({ $id: 'urn:bnerd:schema:role:1', title: 'bnerd role' });
  });

  test.skipIf(!existsSync(CORPUS))(
    'needs the corpus: whatever loads from strangers validates',
    async () => {
      let loaded = 0;
      for (const path of await markdownIn(CORPUS)) {
        const text = await readFile(path, 'utf8');
        const fields = frontmatter(path, text);
        if (fields === undefined || parseRole({ path, tier: 'project', text }).kind === 'refused') continue;
        loaded += 1;
        expect(role(fields), path).toEqual([]);
      }
      expect(loaded).toBeGreaterThan(600);
    },
    60_000,
  );
});
