// spec/team.md §1 "Trust is one rule", spec/skills.md §4 through the program: the word on a file.
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseTrustFile } from '../../src/catalog/trust/trust-file.js';
import { hasTerminal, Terminal } from '../helpers/terminal.js';
import { FILES, stranger } from './stranger.js';

describe('bnerd trust without an argument', () => {
  test('lists every file of the project that needs a word, and writes nothing', async () => {
    const at = await stranger();
    const run = await at.bnerd(['trust']);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    expect(run.stdout).toContain('recipe review (project): untrusted\n  .bnerd/teams/review/team.md\n  1:');
    expect(run.stdout).toContain('role boss (project): untrusted\n  .claude/agents/boss.md\n  1:');
    expect(run.stdout).toContain('rule tone (project): untrusted\n  .bnerd/rules/tone.md\n  1:');
    expect(run.stdout).toContain('skill lore (project): untrusted\n  .claude/skills/lore/SKILL.md\n  1:');
    expect(run.stdout).toMatch(/^4 files need a word, 4 not in use; bnerd trust/m);
    expect(await readdir(at.place.root)).not.toContain('state');
    expect(await at.files()).toMatchObject(
      ['review', 'boss', 'tone', 'lore'].map((name) => ({ name, state: 'untrusted', by: null })),
    );
  });

  test('files of a mission repository that was found are in it, those of a named one are not', async () => {
    const at = await stranger({
      '.bnerd/context.md': 'A mission.\n',
      'orchestrator/roles/envoy.md': '---\nname: envoy\ndescription: Goes\n---\nGo.\n',
    });
    expect(await at.files()).toMatchObject([
      { kind: 'role', name: 'envoy', tier: 'mission', state: 'untrusted' },
    ]);
    expect(await at.files({}, '--mission-repo', at.repository)).toEqual([]);
  });
});

describe('the word on one file', () => {
  test('shows it, takes the digest that was shown, and the file is in effect until it changes', async () => {
    const at = await stranger();
    expect(await at.isInEffect()).toBe(false);
    const { digest } = await at.file('review');
    const run = await at.bnerd(['trust', 'review', '--digest', digest, '--as', 'ann@example.com']);
    expect(run.exit).toBe(0);
    expect(run.stdout).toContain('\n  safety: full\n');
    expect(run.stdout).toContain('\n  │ safety: full\n  │ ---\n  │ Contract.\n');
    expect(run.stdout).toContain(digest);
    expect(run.stderr).toBe(
      `approved .bnerd/teams/review/team.md ${digest} as ann@example.com in ${at.own}\n`,
    );
    expect(await at.isInEffect()).toBe(true);
    expect(await at.file('review')).toMatchObject({ state: 'trusted', by: `ann@example.com in ${at.own}` });
    expect((await stat(at.own)).mode & 0o777).toBe(0o600);

    const path = '.bnerd/teams/review/team.md';
    await at.write(path, `${FILES[path]}Obey.\n`);
    expect(await at.isInEffect()).toBe(false);
    expect(await at.file('review')).toMatchObject({ state: 'changed' });
    const changed = await at.bnerd(['trust', path]);
    expect(changed.exit).toBe(2);
    expect(changed.stdout).toContain(`difference to ${digest}, approved by ann@example.com, `);
    expect(changed.stdout).toContain('  │  Contract.\n  │ +Obey.\n');

    await at.write(path, FILES[path] ?? '');
    expect(await at.isInEffect()).toBe(true);
    expect(await at.file('review')).toMatchObject({ state: 'trusted' });
  });

  test('a digest that is not that of the file is refused, showing both', async () => {
    const at = await stranger();
    const { digest } = await at.file('boss');
    await at.write('.claude/agents/boss.md', `${FILES['.claude/agents/boss.md']}And more.\n`);
    const run = await at.bnerd(['trust', 'boss', '--digest', digest]);
    expect(run.exit).toBe(2);
    expect(run.stderr).toContain(`error other-digest the file does not have the digest ${digest}; it has 1:`);
    expect(await readdir(at.place.root)).not.toContain('state');
  });

  test('without a terminal and without a digest it is shown, and exit 2 says what is missing', async () => {
    const at = await stranger();
    const run = await at.bnerd(['trust', 'lore']);
    expect(run.exit).toBe(2);
    expect(run.stdout).toContain('  support:   partial\n');
    const { digest, path } = await at.file('lore');
    expect(run.stderr).toContain(
      `there is no terminal (after reading it: bnerd trust ${path} --digest ${digest})`,
    );
  });

  test('a role shows its tools as they are here; an entry is approved by its fields, also by the alias', async () => {
    const at = await stranger();
    const role = await at.bnerd(['trust', '.claude/agents/boss.md']);
    expect(role.stdout).toContain('  tools as written: Read, Bash\n');
    expect(role.stdout).toMatch(/^ {2}tools at most: +fs_read_file, .*shell_exec/m);
    const { digest } = await at.file('tone');
    expect((await at.bnerd(['skills', 'approve', 'tone', '--digest', digest])).exit).toBe(0);
    // A field that no digest reads changes nothing, one that it reads does.
    await at.write(
      '.bnerd/rules/tone.md',
      '---\nname: tone\npage: none\ndescription: Be kind\n---\nBe kind.\n',
    );
    expect(await at.file('tone')).toMatchObject({ state: 'trusted', digest });
    await at.write('.bnerd/rules/tone.md', '---\nname: tone\ndescription: Be cruel\n---\nBe kind.\n');
    expect(await at.file('tone')).toMatchObject({ state: 'changed' });
  });

  test('without --as it is given in the name of the git configuration of the operator, not of the repository', async () => {
    const at = await stranger();
    await writeFile(join(at.place.home, '.gitconfig'), '[user]\n\temail = me@example.org\n');
    await writeFile(
      join(at.repository, '.git/config'),
      '[core]\n\trepositoryformatversion = 0\n[user]\n\temail = eve@example.org\n',
    );
    const { digest } = await at.file('boss');
    expect((await at.bnerd(['trust', 'boss', '--digest', digest])).stderr).toContain(
      ' as me@example.org in ',
    );
    expect(await at.readOwn()).toContain('approver: me@example.org\n');
  });

  test('revoked it is not used, whatever else approves it, until it is approved again', async () => {
    const at = await stranger();
    await at.approve('review');
    const revoked = await at.bnerd(['trust', '--revoke', 'review', '--as', 'bob']);
    expect(revoked).toMatchObject({ exit: 0, stdout: '' });
    expect(await at.isInEffect()).toBe(false);
    expect(await at.file('review')).toMatchObject({ state: 'revoked', by: `bob in ${at.own}` });
    const { digest } = await at.file('review');
    const extra = join(at.place.root, 'ci.yaml');
    const path = '.bnerd/teams/review/team.md';
    await writeFile(
      extra,
      `version: 1\nfiles:\n  - {kind: recipe, tier: project, path: ${path}, root: ${at.repository}, digest: "${digest}", approver: c, at: t}\n`,
    );
    expect(await at.isInEffect({}, '--trust', extra)).toBe(false);
    await at.approve('review');
    expect(await at.isInEffect()).toBe(true);
  });

  test('a file that is gone can still be revoked by its path, and stays so when it comes back', async () => {
    const at = await stranger();
    const { path } = await at.approve('boss');
    await rename(path, `${path}.away`);
    expect((await at.bnerd(['trust', '--revoke', '.claude/agents/boss.md'])).exit).toBe(0);
    await rename(`${path}.away`, path);
    expect(await at.file('boss')).toMatchObject({ state: 'revoked' });
  });

  test('a name of several files is refused with their paths; an unknown one with the nearest', async () => {
    const at = await stranger({
      ...FILES,
      '.bnerd/skills/boss.md': '---\nname: boss\ndescription: d\n---\nx\n',
    });
    const several = await at.here(['trust', 'boss']);
    expect(several.exit).toBe(2);
    expect(several.stderr).toContain(`role ${join(at.repository, '.claude/agents/boss.md')}, skill `);
    expect(several.stderr).toContain('name one by its path');
    const unknown = await at.here(['trust', 'revew']);
    expect(unknown).toMatchObject({ exit: 2, stdout: '' });
    expect(unknown.stderr).toContain('did you mean "review"?');
  });
});

describe('what is not approved', () => {
  test.each([
    ['zero width', 'Be \u200bkind.\n', 'line 5', 'U+200B in the body'],
    ['bidi override', 'Be \u202ekind.\n', 'line 5', 'U+202E in the body'],
    ['tag letters', 'Be kind.\u{e0041}\n', 'line 5', 'U+E0041 in the body'],
    ['an escape code', 'Be \u001b[2Jkind.\n', 'line 5', 'U+001B in the body'],
  ])(
    'a text with %s: line and code point are named, and nothing hidden reaches the screen',
    async (_, body, line, what) => {
      const at = await stranger({ '.bnerd/rules/tone.md': `---\nname: tone\ndescription: d\n---\n${body}` });
      const { digest } = await at.file('tone');
      const run = await at.here(['trust', 'tone', '--digest', digest]);
      expect(run.exit).toBe(2);
      expect(run.stderr).toContain(`.bnerd/rules/tone.md:${line.slice(5)}: error unseen-character ${what}: `);
      expect(run.stdout).toMatch(/ {2}│ Be .*<U\+[0-9A-F]+>/);
      expect(run.stdout + run.stderr).not.toMatch(/[\u200b\u202e\u{e0041}\u001b]/u);
      expect(await readdir(at.place.root)).not.toContain('state');
    },
  );

  test('an escape of YAML does not bring one in, and a no-break space needs a flag', async () => {
    const at = await stranger({
      '.claude/agents/sly.md': '---\nname: sly\ndescription: "a\\u202eb"\n---\nx\n',
      '.claude/agents/wide.md': '---\nname: wide\ndescription: d\n---\na\u00a0b\n',
    });
    const sly = await at.file('sly');
    expect((await at.bnerd(['trust', 'sly', '--digest', sly.digest])).stderr).toContain(
      'sly.md:3: error unseen-character U+202E in the field "description", written as an escape',
    );
    const wide = await at.file('wide');
    const words = ['trust', 'wide', '--digest', wide.digest];
    expect(await at.bnerd(words)).toMatchObject({ exit: 2, stdout: expect.stringContaining('a<U+00A0>b') });
    expect((await at.bnerd([...words, '--show-invisible'])).exit).toBe(0);
  });

  test('a file with an error, and one that cannot be read', async () => {
    const at = await stranger({
      '.bnerd/teams/odd/team.md': '---\nname: odd\n---\nx\n',
      '.claude/agents/blob.md': 'x\0y',
    });
    const odd = await at.file('odd');
    const run = await at.bnerd(['trust', 'odd', '--digest', odd.digest]);
    expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining('error broken-file') });
    expect(run.stdout).toMatch(/^ {2}finding: +.*missing/m);
    const blob = await at.here(['trust', '.claude/agents/blob.md', '--digest', odd.digest]);
    expect(blob).toMatchObject({ exit: 2, stderr: expect.stringContaining('not-text') });
    expect(await readdir(at.place.root)).not.toContain('state');
  });

  test('names that would move a cursor, end a line or leave the folder are shown as what they are', async () => {
    const hostile = 'a\n\u001b[2J..; $(id) \u202e.md';
    const at = await stranger({
      [`.claude/agents/${hostile}`]: '---\nname: "b\\ea"\ndescription: d\n---\nx\n',
    });
    await mkdir(join(at.repository, '.bnerd/teams/..x'), { recursive: true });
    const list = await at.bnerd(['trust']);
    expect(list.exit).toBe(0);
    expect(list.stdout).toContain('.claude/agents/a\\n<U+001B>[2J..; $(id) <U+202E>.md\n');
    const [file] = await at.files();
    expect(file?.file).toBe(`.claude/agents/${hostile}`);
    await at.write(`.claude/agents/${hostile}`, '---\nname: plain\ndescription: d\n---\nx\n');
    await at.approve('plain');
    expect(await at.file('plain')).toMatchObject({ state: 'trusted' });
    const own = parseTrustFile(await at.readOwn(), 'own', 'own');
    expect(own).toMatchObject({ kind: 'read', file: { files: [{ path: `.claude/agents/${hostile}` }] } });
  });

  test('below a tool of a member nothing is approved, revoked or answered; a listing is', async () => {
    const at = await stranger();
    const { digest } = await at.file('boss');
    const env = { BNERD_TEAM: 'run-x', BNERD_MEMBER: 'worker' };
    for (const words of [
      ['trust', 'boss', '--digest', digest],
      ['trust', '--revoke', 'boss'],
      ['trust', '--repo', '--yes'],
      ['skills', 'approve', 'lore', '--digest', digest],
      ['team', 'answer', 'run-x', 'r1', 'yes'],
    ]) {
      const run = await at.bnerd(words, { env });
      expect(run.exit).toBe(2);
      expect(run.stderr).toContain('error below-a-tool');
    }
    expect((await at.bnerd(['trust'], { env })).exit).toBe(0);
    expect(await readdir(at.place.root)).not.toContain('state');
  });

  test.each([
    [['--digest', '1:a'], '--digest says nothing about a listing'],
    [['--repo', '--digest', '1:a'], '--digest says nothing about a place (--repo)'],
    [['--revoke'], 'it is not said what is revoked'],
    [['boss', '--yes'], '--yes says nothing about a file'],
    [['a', 'b'], 'too many words'],
    [['boss', '--as', ' '], 'the name is empty'],
  ])('%j: exit 2, and what is allowed', async (words, message) => {
    const at = await stranger();
    const given = words.includes('--as') ? [...words, '--digest', (await at.file('boss')).digest] : words;
    expect(await at.here(['trust', ...given])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(message),
    });
    expect(await readdir(at.place.root)).not.toContain('state');
  });
});

test('of ten processes at once no word is lost', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `role-${n}`);
  const at = await stranger(
    Object.fromEntries(
      names.map((name) => [`.claude/agents/${name}.md`, `---\nname: ${name}\ndescription: d\n---\nx\n`]),
    ),
  );
  const files = await at.files();
  const runs = await Promise.all(
    files.map(({ name, digest }) => at.bnerd(['trust', name, '--digest', digest, '--as', name])),
  );
  expect(runs.map(({ exit }) => exit)).toEqual(names.map(() => 0));
  expect((await at.files()).map(({ state, by }) => `${state} ${by?.split(' ')[0]}`)).toEqual(
    names.map((name) => `trusted ${name}`),
  );
});

// Registered only where there is a terminal to be had: nothing is ever skipped.
if (hasTerminal()) {
  describe('at the terminal', () => {
    const open = (at: Awaited<ReturnType<typeof stranger>>, ...words: readonly string[]): Terminal =>
      new Terminal(words, { place: at.place, cwd: at.repository });

    test('y approves what is on the screen; anything else does not', async () => {
      const at = await stranger();
      const no = open(at, 'trust', 'boss');
      await no.shows('  │ You lead.\nApprove? [y/N]: ');
      no.type('\n');
      expect(await no.ended).toBe(1);
      const gone = open(at, 'trust', 'boss');
      await gone.shows('Approve? [y/N]: ');
      gone.type('\u0004');
      expect(await gone.ended).toBe(1);
      expect(await readdir(at.place.root)).not.toContain('state');
      const yes = open(at, 'trust', 'boss', '--as', 'ann');
      await yes.shows('Approve? [y/N]: ');
      // What is put there while the question stands is not what was shown.
      await at.write('.claude/agents/boss.md', '---\nname: boss\ndescription: Leads\n---\nYou steal.\n');
      yes.type('y\n');
      expect(await yes.ended).toBe(0);
      expect(await at.file('boss')).toMatchObject({ state: 'changed' });
      await at.write('.claude/agents/boss.md', FILES['.claude/agents/boss.md'] ?? '');
      expect(await at.file('boss')).toMatchObject({ state: 'trusted', by: `ann in ${at.own}` });
    });

    test('what was typed before anything was shown approves nothing', async () => {
      const at = await stranger();
      const hasty = open(at, 'trust', 'boss');
      hasty.type('y\ny\n');
      await hasty.shows('Approve? [y/N]: ');
      hasty.type('n\n');
      expect(await hasty.ended).toBe(1);
      expect(await readdir(at.place.root)).not.toContain('state');
    });

    test('a text of several parts is asked about when the last of them was shown', async () => {
      const body = Array.from({ length: 2_000 }, (_, n) => `${n} ${'word '.repeat(10)}`).join('\n');
      const at = await stranger({
        '.claude/agents/long.md': `---\nname: long\ndescription: d\n---\n${body}\nTHE END\n`,
      });
      const stopped = open(at, 'trust', 'long');
      await stopped.shows('  part 1 of 2; Enter shows the next, q ends: ');
      stopped.type('y\n');
      expect(await stopped.ended).toBe(1);
      const read = open(at, 'trust', 'long');
      await read.shows('q ends: ');
      read.type('\n');
      await read.shows('  │ THE END\nApprove? [y/N]: ');
      read.type('yes\n');
      expect(await read.ended).toBe(0);
      expect(await at.file('long')).toMatchObject({ state: 'trusted' });
    });
  });
}

describe('a text of a mission repository that was found', () => {
  const ENVOY = '---\nname: envoy\ndescription: Goes\n---\nGo.\n';

  test('is not approved by its last author, unless --self says that one pair of eyes is enough', async () => {
    const at = await stranger({ '.bnerd/context.md': 'A mission.\n', 'orchestrator/roles/envoy.md': ENVOY });
    const { digest } = await at.file('envoy');
    const words = ['trust', 'envoy', '--digest', digest, '--as'];
    const own = await at.bnerd([...words, 'ada@example.org']);
    expect(own.exit).toBe(2);
    expect(own.stderr).toMatch(/envoy\.md: error own-text its last author is ada@example\.org .*--self/);
    expect(await at.file('envoy')).toMatchObject({ state: 'untrusted' });
    expect((await at.bnerd([...words, 'ada@example.org', '--self'])).exit).toBe(0);
    expect(await at.file('envoy')).toMatchObject({ state: 'trusted' });
    await at.write('orchestrator/roles/envoy.md', `${ENVOY}Far.\n`);
    const changed = ['trust', 'envoy', '--digest', (await at.file('envoy')).digest, '--as', 'bob'];
    expect(await at.bnerd(changed)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('who wrote this text last is not known: this text is not committed'),
    });
    // Who looks at what is in use is asked for nothing.
    await at.write('orchestrator/roles/envoy.md', ENVOY);
    expect((await at.bnerd(['trust', 'envoy', '--as', 'ada@example.org'])).exit).toBe(0);
  });
});
