// The frontmatter of the file that marks a mission repository: its dialect, and the names it disables.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { missionMark } from '../../../src/skills/read/mission-mark.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

async function said(text: string | null, named = true) {
  const path = await tempDir('mission');
  if (text !== null) await putFiles(path, { '.bnerd/context.md': text });
  const mark = await missionMark({ path, named });
  const disabled = mark.disabled.map((one) => ({ ...one, place: one.place.replace(`${path}/`, '') }));
  return { ...mark, disabled };
}

describe('what a mission repository says of its skills', () => {
  test.each([
    ['no context file', null, 'open'],
    ['a context file without frontmatter', '# Our mission\n', 'open'],
    ['an empty context file', '', 'open'],
    ['frontmatter that says nothing of skills', '---\nname: x\n---\n', 'open'],
    ['skills: open', '---\nskills: open\n---\n', 'open'],
    ['an empty mapping', '---\nskills: {}\n---\n', 'open'],
    ['skills: governed', '---\nname: x\nskills: governed\n---\n# Our mission\n', 'governed'],
    ['skills: {dialect: governed}', '---\nskills: {dialect: governed}\n---\n', 'governed'],
  ])('%s', async (_, text, dialect) => {
    expect(await said(text)).toEqual({ dialect, disabled: [], findings: [] });
  });

  test.each([
    ['an unknown word', '---\nskills: goverend\n---\n', 'unknown-dialect'],
    ['an unknown word inside', '---\nskills:\n  dialect: strict\n---\n', 'unknown-dialect'],
    ['a list', '---\nskills: [governed]\n---\n', 'unknown-dialect'],
    ['frontmatter that is no YAML', '---\nskills: "\n---\n', 'yaml-error'],
    ['frontmatter that is not closed', '---\nskills: governed\n', 'unclosed'],
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
    expect(await missionMark({ path, named: true })).toMatchObject({
      dialect: 'governed',
      findings: [{ code: 'link-leads-out' }],
    });
  });

  test('without a mission repository nothing is asked', async () => {
    expect(await missionMark(null)).toEqual({ dialect: 'open', disabled: [], findings: [] });
  });
});

describe('the names that a mission repository disables', () => {
  const TEXT =
    '---\nname: x\nskills:\n  dialect: governed\n  disabled:\n    - old-style\n    - 7\n    - two words\n---\n';

  test('are those of its list, each with its line; what is no name is an error', async () => {
    expect(await said(TEXT)).toEqual({
      dialect: 'governed',
      disabled: [
        { name: 'old-style', place: '.bnerd/context.md:6' },
        { name: 'two words', place: '.bnerd/context.md:8' },
      ],
      findings: [expect.objectContaining({ code: 'bad-value', severity: 'error', line: 5 })],
    });
  });

  test('are none while it was only found: a remark says so', async () => {
    const text = '---\nskills: {disabled: [old-style]}\n---\n';
    expect(await said(text)).toMatchObject({
      dialect: 'open',
      disabled: [{ name: 'old-style' }],
      findings: [],
    });
    expect(await said(text, false)).toMatchObject({
      dialect: 'open',
      disabled: [],
      findings: [{ code: 'not-in-effect', severity: 'info', line: 2 }],
    });
  });

  test('another key is a warning with the one that was meant', async () => {
    const { findings, dialect } = await said('---\nskills:\n  dialect: governed\n  disable: [a]\n---\n');
    expect(dialect).toBe('governed');
    expect(findings).toMatchObject([{ code: 'unknown-key', severity: 'warning', line: 4 }]);
    expect(findings[0]?.remedy).toContain('disabled');
  });

  test('a text in place of the list is an error, not no names', async () => {
    const { findings } = await said('---\nskills: {disabled: old-style}\n---\n');
    expect(findings).toMatchObject([{ code: 'bad-value', severity: 'error', line: 2 }]);
  });
});
