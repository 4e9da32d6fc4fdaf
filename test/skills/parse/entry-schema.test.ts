// The published schema of an entry against files that load, by a validator that knows nothing of where it comes from.
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { readMapping } from '../../../src/catalog/files/written-mapping.js';
import { entryJsonSchema } from '../../../src/skills/parse/entry-schema.js';
import { parseOpen } from '../../../src/skills/parse/open.js';
import { corpusSkills, hasSkillCorpus } from '../../helpers/skill-corpus.js';
import { NAMED, OPEN_SOURCE, openText } from '../entries.js';

const ROOT = join(import.meta.dirname, '../../..');
const SCHEMA = JSON.parse(JSON.stringify(entryJsonSchema()));
const check = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(SCHEMA);

function problems(text: string): readonly string[] {
  const read = readMapping('x.md', text);
  if (read.kind === 'refused') return ['no YAML'];
  if (check(JSON.parse(JSON.stringify(read.mapping.fields)))) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const written = (...lines: readonly string[]): readonly string[] => problems(openText([...NAMED, ...lines]));

/** Remarks that a value was passed over, or read otherwise than it stands. */
const PASSED_OVER = /^(?:not-|tools-not-read|unknown-page|repaired-frontmatter)/;

test('has a title, a name of its own, and a sentence for every key', () => {
  expect(SCHEMA).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:bnerd:schema:skill:1',
    title: 'bnerd skill or rule',
    required: ['name', 'description'],
  });
  for (const [key, property] of Object.entries(SCHEMA.properties)) {
    expect(property, key).toHaveProperty('description');
  }
});

test('every built-in skill and rule validates', async () => {
  const names = await readdir(join(ROOT, 'skills'), { recursive: true });
  const files = names.filter((name) => name.endsWith('.md'));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    expect([file, problems(await readFile(join(ROOT, 'skills', file), 'utf8'))]).toEqual([file, []]);
  }
});

describe('what the parser takes validates', () => {
  test.each([
    'kind: rule',
    'kind:',
    'always_on: True',
    'always_on: "false"',
    'keywords: a, b',
    'keywords: [a, 2]',
    'applies_to: [team]',
    'version: 1.10',
    'allowed-tools: [Read, "Bash(git:*)"]',
    'allowed-tools: Read, Grep',
    'allowed_tools:',
    'tools: [{name: a, description: b, run: [c]}]',
    'process: true',
    'page: Required',
    'metadata: {author: x, suggested-tools: [a]}',
    'hooks: {PostToolUse: [{matcher: x}]}',
    'colour: blue',
  ])('%s', (line) => {
    const parsed = parseOpen(openText([...NAMED, line]), OPEN_SOURCE);
    expect(parsed.kind).toBe('entry');
    expect(parsed.findings.filter(({ code }) => PASSED_OVER.test(code))).toEqual([]);
    expect(written(line)).toEqual([]);
  });
});

describe('what it refuses or passes over does not', () => {
  test.each([
    'kind: rules',
    'always_on: yes',
    'applies_to: {a: b}',
    'allowed-tools: {Read: true}',
    'metadata: x',
    'keywords: {a: b}',
    'tools: [{name: a}]',
    'tools: Read',
    'process: perhaps',
    'page: sometimes',
    'version: [1]',
  ])('%s', (line) => {
    const { findings } = parseOpen(openText([...NAMED, line]), OPEN_SOURCE);
    expect(findings.some(({ severity, code }) => severity === 'error' || PASSED_OVER.test(code))).toBe(true);
    expect(written(line)).not.toEqual([]);
  });

  test('a missing name, a missing description', () => {
    expect(problems(openText(['description: x']))).not.toEqual([]);
    expect(problems(openText(['name: x']))).not.toEqual([]);
  });
});

test.skipIf(!hasSkillCorpus)(
  'skills by strangers that load with nothing passed over validate (needs ../shared)',
  () => {
    let validated = 0;
    for (const { path, text } of corpusSkills()) {
      const expectedName = basename(dirname(path));
      const parsed = parseOpen(text, { ...OPEN_SOURCE, path, expectedName });
      if (
        parsed.kind === 'refused' ||
        parsed.findings.some(({ code }) => PASSED_OVER.test(code) && code !== 'not-substituted')
      )
        continue;
      validated++;
      expect([path, problems(text)]).toEqual([path, []]);
    }
    expect(validated).toBeGreaterThan(900);
  },
  60_000,
);
