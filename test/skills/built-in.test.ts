// The built-in skills follow the published Agent Skills specification (agentskills.io/specification), read here with
// an independent YAML reader, but for the keys of governance, which are listed below.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const SKILLS = join(import.meta.dirname, '../../skills');

/** What a governed source adds to the keys of the specification, and the rows of spec/skills.md §1 that ask for it. */
const GOVERNANCE = {
  version: 'rendered, and strictly higher at each change',
  origin: 'proprietary or third-party',
  upstream: 'third-party: the source, pinned',
  vetted: 'who read it, and when',
  applies_to: 'modes or roles that it is offered to',
  requires: 'what a member must be able to do',
  keywords: 'words that make it active in a chat',
} as const;

/** The keys of the specification with what it says of their values. */
const SPECIFIED: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: (value) =>
    typeof value === 'string' && value.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value),
  description: (value) => typeof value === 'string' && value.trim() !== '' && [...value].length <= 1_024,
  license: (value) => typeof value === 'string',
  compatibility: (value) => typeof value === 'string' && value.length >= 1 && value.length <= 500,
  metadata: (value) =>
    typeof value === 'object' && Object.values(value ?? {}).every((one) => typeof one === 'string'),
  'allowed-tools': (value) => typeof value === 'string',
};

/** Every directory but the folder of the built-in rules, which are flat files. */
const directories = readdirSync(SKILLS, { withFileTypes: true })
  .filter((item) => item.isDirectory() && item.name !== 'rules')
  .map((item) => item.name);

test('there are built-in skills', () => {
  expect(directories).toContain('implementation-craft');
  expect(directories).toContain('verification-before-handoff');
});

describe.each(directories)('skills/%s', (directory) => {
  const text = readFileSync(join(SKILLS, directory, 'SKILL.md'), 'utf8');
  const [, frontmatter = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  const keys: Record<string, unknown> = parse(frontmatter, { strict: true });

  test('has frontmatter that is YAML, and a name that is its directory', () => {
    expect(keys['name']).toBe(directory);
    expect(typeof keys['description']).toBe('string');
  });

  test('has keys of the specification, with values that it allows, and of governance, and no others', () => {
    for (const [key, value] of Object.entries(keys)) {
      if (key in SPECIFIED) expect([key, SPECIFIED[key]?.(value)]).toEqual([key, true]);
      else expect(Object.keys(GOVERNANCE)).toContain(key);
    }
  });

  test('has a body of fewer than 500 lines, small enough to be read at once', () => {
    expect(body.trim()).not.toBe('');
    expect(body.split('\n').length).toBeLessThan(500);
    expect(Buffer.byteLength(body) / 4).toBeLessThan(5_000); // the specification: under 5,000 tokens
  });

  test('is one file, and refers to no other', () => {
    expect(readdirSync(join(SKILLS, directory))).toEqual(['SKILL.md']);
    expect(text).not.toMatch(/(?:scripts|references|assets)\//);
  });

  test('says when to use it where its words alone do not', () => {
    const description = String(keys['description']);
    // The names of products say it themselves.
    if (!['flux', 'terraform'].includes(directory)) expect(description).toMatch(/\. Use \S/);
    expect(description).not.toMatch(/\n/);
  });
});
