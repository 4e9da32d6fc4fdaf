import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/config/read-settings.js';
import { NO_SETTINGS, type Settings } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';
import { NOT_SHOWN } from '../../src/shared/secret-text.js';
import { tempDir } from '../helpers/temp-dir.js';

function settingsOf(text: string): Settings {
  const parsed = parseSettings(text);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
  return parsed.value;
}

function findingsOf(
  text: string,
): readonly { code: string; line?: number; message: string; remedy: string }[] {
  const parsed = parseSettings(text);
  return parsed.kind === 'refused' ? parsed.findings : [];
}

describe('the settings file', () => {
  test('is read whole, with the lines of what may be refused later', () => {
    const settings = settingsOf(`# mine
mission-repo: ~/mission
model: script/mine.yaml
permissions:
  - {tool: shell_exec, match: git diff *, decision: allow}
  - {tool: fs_delete, decision: deny}
run:
  grace: 10
  auto-skip-questions: true
`);
    expect(settings).toEqual({
      missionRepository: { text: '~/mission', place: '~/.bnerd.yaml', line: 2 },
      model: 'script/mine.yaml',
      aliases: new Map(),
      models: new Map(),
      providers: new Map(),
      secrets: { names: [], except: [], patterns: [], files: [] },
      skills: NO_SETTINGS.skills,
      web: NO_SETTINGS.web,
      shell: NO_SETTINGS.shell,
      signatures: NO_SETTINGS.signatures,
      redis: NO_SETTINGS.redis,
      worker: NO_SETTINGS.worker,
      runner: NO_SETTINGS.runner,
      permissions: [
        { tool: 'shell_exec', match: 'git diff *', decision: 'allow' },
        { tool: 'fs_delete', match: null, decision: 'deny' },
      ],
      run: new Map([
        ['grace', { text: '10', place: '~/.bnerd.yaml', line: 8 }],
        ['auto-skip-questions', { text: 'true', place: '~/.bnerd.yaml', line: 9 }],
      ]),
      written: [
        ['mission-repo', '~/mission', 2],
        ['model', 'script/mine.yaml', 3],
        ['permissions[0].tool', 'shell_exec', 5],
        ['permissions[0].match', 'git diff *', 5],
        ['permissions[0].decision', 'allow', 5],
        ['permissions[1].tool', 'fs_delete', 6],
        ['permissions[1].decision', 'deny', 6],
        ['run.grace', '10', 8],
        ['run.auto-skip-questions', 'true', 9],
      ].map(([name, value, line]) => ({ name, text: value, place: '~/.bnerd.yaml', line })),
      findings: [],
    });
  });

  test('leaves keys alone that are not ours, whatever stands in them', () => {
    const text =
      'theme: dark\napi_key: x\neditor: {tabSize: 2}\nplugins: [1, {a_b: c}]\nmodel: script/a.yaml\n';
    expect(settingsOf(text)).toEqual({
      ...NO_SETTINGS,
      model: 'script/a.yaml',
      written: [{ name: 'model', text: 'script/a.yaml', place: '~/.bnerd.yaml', line: 5 }],
    });
  });

  test.each(['', '# nothing\n', '---\n'])('says nothing when it is empty: %j', (text) => {
    expect(settingsOf(text)).toEqual(NO_SETTINGS);
  });

  test.each([
    ['mission_repo: /m', 'mission_repo', 'mission-repo', 1],
    ['theme: x\nmissionRepo: /m', 'missionRepo', 'mission-repo', 2],
    ['Permissions: []', 'Permissions', 'permissions', 1],
    ['skills:\n  maxBytes: 9', 'maxBytes', 'max-bytes', 2],
    ['skills:\n  guards:\n    size_cap: 9', 'size_cap', 'size-cap', 3],
    ['run:\n  autoApprove: all', 'autoApprove', 'auto-approve', 2],
    ['runner:\n  max_safety: full', 'max_safety', 'max-safety', 2],
    ['permissions:\n  - {Tool: x, decision: deny}', 'Tool', 'tool', 2],
  ])('refuses our key in another spelling, with the right one: %j', (text, found, right, line) => {
    expect(findingsOf(text)[0]).toMatchObject({ code: 'key-spelling', line, path: '~/.bnerd.yaml' });
    expect(findingsOf(text)).toHaveLength(1);
    expect(findingsOf(text)[0]?.message).toContain(`"${found}"`);
    expect(findingsOf(text)[0]?.remedy).toContain(right);
  });

  test('leaves names of variables as their owners spell them', () => {
    const text = 'runner:\n  engineers:\n    claude-code:\n      env: {MAX_SAFETY: 1, maxBytes: 2}\n';
    const { runner, written } = settingsOf(text);
    expect(runner.engineers.get('claude-code')?.env).toEqual({ MAX_SAFETY: '1', maxBytes: '2' });
    // What they hold may be secret: no listing shows it.
    expect(written.map(({ text: shown }) => shown)).toEqual([NOT_SHOWN, NOT_SHOWN]);
  });

  test.each([
    ['permissions: {}', 1, 'bad-value', /permissions is \{\}; expected a list/],
    [
      'permissions:\n  - {tool: x}',
      2,
      'missing-field',
      /\[0\]\.decision is missing; expected one of allow, ask, deny/,
    ],
    [
      'permissions:\n  - {tool: x, decision: maybe}',
      2,
      'bad-value',
      /"maybe"; expected one of allow, ask, deny/,
    ],
    [
      'permissions:\n  - {tool: x, mach: y, decision: deny}',
      2,
      'unknown-key',
      /"mach".*allowed: tool, match, decision/,
    ],
    ['model: 5', 1, 'bad-value', /model is 5; expected text/],
    ['mission-repo: ""', 1, 'bad-value', /expected text that is not empty/],
    ['run:\n  gracee: 5', 2, 'unknown-key', /"gracee".*allowed: .*grace/],
    ['run:\n  grace: [5]', 2, 'bad-value', /\[5\]; expected text, a number, true or false/],
    ['run: 5', 1, 'bad-value', /run is 5; expected a mapping/],
    ['- a\n- b', 1, 'not-a-mapping', /no mapping/],
  ])('refuses what does not fit, with line, find and allowed: %j', (text, line, code, message) => {
    expect(findingsOf(text)).toHaveLength(1);
    expect(findingsOf(text)[0]).toMatchObject({ code, line, severity: 'error', path: '~/.bnerd.yaml' });
    expect(findingsOf(text)[0]?.message).toMatch(message);
    expect(findingsOf(text)[0]?.remedy).not.toBe('');
  });

  test.each([
    ['a: [1', 1, 'yaml-error'],
    ['a: b\nc: d: e', 2, 'yaml-error'],
    ['model: x\nmodel: y', 2, 'duplicate-key'],
    ['a: 1\n---\nb: 2', 2, 'yaml-error'],
    ['a: !!js/function x', 1, 'yaml-error'],
  ])('refuses what is no YAML with the line: %j', (text, line, code) => {
    expect(findingsOf(text)[0]).toMatchObject({ code, line });
  });

  test('refuses more aliases than anybody writes', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, place) => `${name}: &${name} [${`*${'abcdefgh'[place]},`.repeat(9)}]`)
      .join('\n')}\n`;
    expect(findingsOf(bomb)[0]).toMatchObject({ code: 'yaml-error' });
  });

  test('refuses nesting that the parser does not bear', () => {
    expect(findingsOf('['.repeat(10_000))[0]).toMatchObject({ code: 'yaml-error' });
  });

  test('gives settings or findings for any text, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aA-:_ {}[]\n&*#"!run') }), (text) => {
        const parsed = parseSettings(text);
        expect(parsed.kind === 'resolved' || parsed.findings.length > 0).toBe(true);
      }),
    );
  });
});

describe('finding the settings file', () => {
  test('no file is as good as an empty one', async () => {
    expect(await readSettings(await tempDir())).toEqual({ kind: 'resolved', value: NO_SETTINGS });
  });

  test('a file is read, also through a link of its owner', async () => {
    const home = await tempDir();
    await writeFile(join(home, 'elsewhere.yaml'), 'model: script/a.yaml\n');
    await symlink(join(home, 'elsewhere.yaml'), join(home, '.bnerd.yaml'));
    expect(await readSettings(home)).toMatchObject({ kind: 'resolved', value: { model: 'script/a.yaml' } });
  });

  test('a folder in its place is refused, for rules may have been meant', async () => {
    const home = await tempDir();
    await mkdir(join(home, '.bnerd.yaml'));
    expect(await readSettings(home)).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'unreadable-settings', path: '~/.bnerd.yaml' }],
    });
  });

  test('a pipe in its place is refused and not waited for', async () => {
    const home = await tempDir();
    execFileSync('mkfifo', [join(home, '.bnerd.yaml')]);
    expect(await readSettings(home)).toMatchObject({ kind: 'refused' });
  });

  test('a file beyond all measure is refused unread', async () => {
    const home = await tempDir();
    await writeFile(join(home, '.bnerd.yaml'), `#${'x'.repeat(1024 * 1024)}`);
    expect(await readSettings(home)).toMatchObject({
      kind: 'refused',
      findings: [{ message: expect.stringMatching(/1048577 bytes; at most 1048576/) }],
    });
  });
});
