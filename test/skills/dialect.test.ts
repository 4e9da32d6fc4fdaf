import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NO_APPROVALS } from '../../src/catalog/trust.js';
import { dialectOf, isStrict, missionDialect } from '../../src/skills/dialect.js';
import { putFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';

async function said(text: string | null) {
  const path = await tempDir('mission');
  if (text !== null) await putFiles(path, { '.bnerd/context.md': text });
  return missionDialect({ path, named: true });
}

describe('what a mission repository says of its skills', () => {
  test.each([
    ['no context file', null, 'open'],
    ['a context file without frontmatter', '# Our mission\n', 'open'],
    ['an empty context file', '', 'open'],
    ['frontmatter that says nothing of skills', '---\nname: x\n---\n', 'open'],
    ['skills: open', '---\nskills: open\n---\n', 'open'],
    ['other settings of skills', '---\nskills: {disabled: [a]}\n---\n', 'open'],
    ['skills: governed', '---\nname: x\nskills: governed\n---\n# Our mission\n', 'governed'],
    ['skills: {dialect: governed}', '---\nskills: {dialect: governed}\n---\n', 'governed'],
  ])('%s', async (_, text, dialect) => {
    expect(await said(text)).toEqual({ dialect, findings: [] });
  });

  test.each([
    ['an unknown word', '---\nskills: goverend\n---\n', 'unknown-dialect'],
    ['an unknown word inside', '---\nskills:\n  dialect: strict\n---\n', 'unknown-dialect'],
    ['a list', '---\nskills: [governed]\n---\n', 'unknown-dialect'],
    ['frontmatter that is no YAML', '---\nskills: "\n---\n', 'yaml-error'],
    ['frontmatter that is not closed', '---\nskills: governed\n', 'unclosed-frontmatter'],
  ])('%s: an error, and the strict dialect', async (_, text, code) => {
    expect(await said(text)).toMatchObject({ dialect: 'governed', findings: [{ code, severity: 'error' }] });
  });

  test('the words that are allowed are told', async () => {
    const { findings } = await said('---\nskills: goverend\n---\n');
    expect(findings).toMatchObject([
      { line: 2, message: 'skills is "goverend", allowed are open and governed' },
    ]);
  });

  test('a context file that is a link out of the repository is not followed', async () => {
    const path = await tempDir('mission');
    const elsewhere = await tempDir('elsewhere');
    await putFiles(elsewhere, { 'context.md': '---\nskills: open\n---\n' });
    await mkdir(join(path, '.bnerd'));
    await symlink(join(elsewhere, 'context.md'), join(path, '.bnerd/context.md'));
    expect(await missionDialect({ path, named: true })).toMatchObject({
      dialect: 'governed',
      findings: [{ code: 'link-leads-out' }],
    });
  });

  test('without a mission repository nothing is asked', async () => {
    expect(await missionDialect(null)).toEqual({ dialect: 'open', findings: [] });
  });
});

test('the built-in tier is governed, global and project are open, a mission is what it says', () => {
  for (const mission of ['open', 'governed'] as const) {
    expect(dialectOf({ tier: 'builtin' }, mission)).toBe('governed');
    expect(dialectOf({ tier: 'global' }, mission)).toBe('open');
    expect(dialectOf({ tier: 'project' }, mission)).toBe('open');
    expect(dialectOf({ tier: 'mission' }, mission)).toBe(mission);
  }
});

test('only a governed source that counts by where it lies can refuse a run', () => {
  const approval = { tier: 'mission', trust: NO_APPROVALS } as const;
  expect(isStrict({ tier: 'builtin', approval: null }, 'governed')).toBe(true);
  expect(isStrict({ tier: 'mission', approval: null }, 'governed')).toBe(true);
  expect(isStrict({ tier: 'mission', approval }, 'governed')).toBe(false);
  expect(isStrict({ tier: 'global', approval: null }, 'open')).toBe(false);
});
