// A role whose frontmatter is no YAML: read once more with its prose literally, or refused. Never more than was written.
import { describe, expect, test } from 'vitest';
import { headFields } from '../../../src/catalog/files/head-fields.js';
import { parseRole, type RoleLoad } from '../../../src/catalog/roles/parse-role.js';
import { roleFile } from '../../../src/catalog/roles/role-file.js';
import { isRoleText, KEYS_NOT_IN_EFFECT } from '../../../src/catalog/roles/role-keys.js';

const PATH = '.claude/agents/scribe.md';

function load(frontmatter: string, body = 'You write.'): RoleLoad {
  return parseRole({ path: PATH, tier: 'project', text: `---\n${frontmatter}\n---\n${body}\n` });
}

test('an unquoted colon in the description is repaired: one warning with line, cause and what to write', () => {
  const result = load('name: scribe\ndescription: Use when: asked\ntools: Read, Grep\nmodel: opus');
  expect(result).toMatchObject({
    kind: 'loaded',
    role: {
      name: 'scribe',
      description: 'Use when: asked',
      tools: ['Read', 'Grep'],
      model: 'opus',
      prompt: 'You write.',
    },
  });
  expect(result.findings).toEqual([
    {
      code: 'repaired-frontmatter',
      severity: 'warning',
      path: PATH,
      line: 3,
      message:
        '`description` was read literally to the end of its line: YAML: the value holds ": ", which begins another key in text without quotes',
      remedy: 'write `description: >-` and the text on the next line, indented by two blanks',
    },
  ]);
});

test('the rest of a repaired file is read as YAML: lists, blocks, lines for findings', () => {
  const result = load(
    'description: Use: x\nname: scribe\ntools:\n  - Read\n  - Grep\nhooks:\n  Stop: [a]\nskills: [a, b]\nodd: x: y',
  );
  expect(result).toMatchObject({ kind: 'loaded', role: { tools: ['Read', 'Grep'], skills: ['a', 'b'] } });
  expect(result.findings.map(({ code, line }) => [code, line])).toEqual([
    ['repaired-frontmatter', 2],
    ['repaired-frontmatter', 10],
    ['not-in-effect', 7],
    ['unknown-key', 10],
  ]);
});

test('CRLF and a byte order mark change nothing of it', () => {
  const text = '---\nname: scribe\ndescription: Use: x\n---\nYou write.\n';
  const result = parseRole({ path: PATH, tier: 'project', text: `\uFEFF${text.replaceAll('\n', '\r\n')}` });
  expect(result).toMatchObject({ kind: 'loaded', role: { description: 'Use: x', prompt: 'You write.' } });
});

describe('a repair never widens: refused is', () => {
  test.each<[what: string, frontmatter: string, code: string, line: number]>([
    ['a list of tools with a colon', 'description: a: b\ntools: Read, Bash(x: y)', 'yaml-error', 3],
    ['forbidden tools with a colon', 'disallowedTools: Bash: all', 'yaml-error', 2],
    ['a mode with a colon', 'permissionMode: plan: yes', 'yaml-error', 2],
    ['an open list of tools', 'description: a: b\ntools: [Read, Grep', 'yaml-error', 4],
    ['a key that stands twice', 'description: a: b\ntools: Read\ntools: Bash', 'duplicate-key', 4],
    ['a text that goes on below', 'description: Use: this\n  and that\ntools: Read', 'yaml-error', 3],
    ['a line that was slipped under a text', 'description: Use: x\n  tools: Read', 'yaml-error', 3],
    ['a line without a key', 'description: Use: x\n\n<example>\ntools: Read', 'yaml-error', 4],
    ['an open quote', 'description: "Use: x\ntools: Read', 'yaml-error', 4],
    ['a second document', 'description: a: b\n--- \nbase: write', 'yaml-error', 3],
    ['a key of the prototype', 'description: a: b\nconstructor: x', 'bad-key', 3],
    ['a tag', 'description: a: b\ntools: !!js/regexp x', 'yaml-error', 3],
    ['a tab for indentation', 'description: a: b\nhooks:\n\t- x', 'yaml-error', 4],
  ])('%s', (_, frontmatter, code, line) => {
    const result = load(frontmatter);
    expect(result.kind).toBe('refused');
    expect(result.findings.every(({ severity, remedy }) => severity === 'error' && remedy !== '')).toBe(true);
    expect(result.findings.map((finding) => [finding.code, finding.line])).toContainEqual([code, line]);
    expect(JSON.stringify(result)).not.toContain('You write.');
  });
});

test('a listing shows what the whole reading gives, repaired or on the next line', async () => {
  for (const frontmatter of [
    'name: a: b\ndescription: Use: this',
    'name: scribe\ndescription:\n  What it does\n  and how',
    'description: >-\n  Folded\n  text\nname:\n  scribe',
    'name: scribe\ndescription: plain\nusage: a: b',
  ]) {
    const text = `---\n${frontmatter}\n---\nx\n`;
    const whole = parseRole({ path: PATH, tier: 'project', text });
    if (whole.kind === 'refused') throw new Error(JSON.stringify(whole.findings));
    const head = await headFields(PATH, text, ['name', 'description'], 'role');
    if (head.kind === 'broken') throw new Error(JSON.stringify(head.findings));
    expect(head.values.get('name')).toBe(whole.role.name);
    expect(head.values.get('description')).toBe(whole.role.description);
  }
});

test('every key of a role is prose or decides; what decides is never read literally', () => {
  const keys = [...Object.keys(roleFile.shape)];
  expect(keys.filter(isRoleText).sort()).toEqual(['color', 'description', 'name']);
  for (const key of KEYS_NOT_IN_EFFECT) expect(keys).not.toContain(key);
});
