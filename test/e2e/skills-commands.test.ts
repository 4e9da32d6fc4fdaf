// spec/skills.md §10 through the program: what list, show and lint say of rules and skills, and where.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../src/catalog/package-root.js';
import { LOCK_FILE, readLock } from '../../src/skills/lock/lock-file.js';
import { readSarif } from '../cli/findings/sarif-shape.js';
import { bnerd } from '../helpers/bnerd.js';
import { entryFile, governedFile, governedMission, skillTiers } from '../helpers/skill-tiers.js';

describe('bnerd skills list', () => {
  test('one aligned line an entry: kind, name, tier, state, description', async () => {
    const at = await skillTiers({
      global: { 'skills/lore/SKILL.md': entryFile('lore').replace('What lore', '|-\n  Two lines,\n  as') },
      project: { '.bnerd/rules/tone.md': entryFile('tone') },
    });
    const { exit, stdout, stderr } = await at.bnerd(['skills', 'list']);
    expect(exit).toBe(0);
    expect(stderr).toBe('not used: .bnerd/rules/tone.md (untrusted; bnerd trust)\n');
    const lines = stdout.trimEnd().split('\n');
    const lore = lines.find((line) => line.includes(' lore '));
    expect(lore).toMatch(/^skill {2}lore +global {3}in use +Two lines, as is for\.$/);
    const tone = lines.find((line) => line.includes(' tone '));
    expect(tone).toMatch(/^rule {3}tone +project {2}untrusted: nobody has approved it +What tone is for\.$/);
    expect(new Set(lines.map((line) => /(builtin|global|project)/.exec(line)?.index)).size).toBe(1);
  });

  test('--tier shows one tier; another word is refused with those there are', async () => {
    const at = await skillTiers({ global: { 'skills/lore/SKILL.md': entryFile('lore') } });
    const one = await at.bnerd(['skills', 'list', '--tier', 'global']);
    expect(one.stdout).toBe('skill  lore  global  in use  What lore is for.\n');
    const none = await at.bnerd(['skills', 'list', '--tier', 'project']);
    expect(none).toMatchObject({ exit: 0, stdout: 'no rules and no skills here\n' });
    const wrong = await at.bnerd(['skills', 'list', '--tier', 'local']);
    expect(wrong).toMatchObject({ exit: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^--tier: error bad-value "local" .*builtin, global, project, mission/);
  });

  test('disabled names are listed, with who says so', async () => {
    const at = await skillTiers({ home: { '.bnerd.yaml': 'skills:\n  disabled: [flux]\n' } });
    expect(await at.list('flux')).toMatchObject([
      { state: 'disabled', by: expect.stringMatching(/\.bnerd\.yaml:2$/) },
    ]);
    expect((await at.bnerd(['skills', 'list'])).stdout).toMatch(
      /^skill +flux +builtin +disabled by \S*\.bnerd\.yaml:2 /m,
    );
  });

  test('hostile text stays in its line and obeys nobody', async () => {
    const at = await skillTiers({
      global: {
        'skills/evil/SKILL.md':
          '---\nname: evil\ndescription: "a\\e[2Jb\\u202ec\\r\\n::error::d ##[e"\n---\nText.\n',
      },
    });
    const { stdout } = await at.bnerd(['skills', 'list', '--tier', 'global', '--findings']);
    expect(stdout.split('\n')[0]).toBe('skill  evil  global  in use  a[2Jbc ::error::d ## [e');
    expect((await at.bnerd(['skills', 'show', 'evil'])).stdout).not.toMatch(/^\s*::|##\[/m);
  });

  test('--role shows what a member would be given, and why; a role that cannot be seated is exit 1', async () => {
    const at = await skillTiers({
      global: {
        'roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [lore, plan]\n---\nGo.\n',
        'roles/stray.md': '---\nname: stray\ndescription: Goes.\nskills: [lor]\n---\nGo.\n',
        'skills/lore/SKILL.md': entryFile('lore'),
        'skills/plan/SKILL.md': entryFile('plan', ['process: true']),
      },
    });
    const { exit, stdout, stderr } = await at.bnerd(['skills', 'list', '--role', 'envoy']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^rule +evidence-first +builtin +instruction, always on +\S/m);
    expect(stdout).toMatch(/^skill +lore +global +instruction, listed +What lore is for\.$/m);
    expect(stdout).toMatch(/^skill +plan +global +omitted +process: plan is a process entry/m);
    expect(stderr).toBe('');
    const json = JSON.parse((await at.bnerd(['skills', 'list', '--role', 'envoy', '--json'])).stdout);
    expect(json).toMatchObject({ v: 1, role: 'envoy' });
    expect(json.entries).toContainEqual(
      expect.objectContaining({ name: 'lore', outcome: 'instruction', came: 'listed', detail: null }),
    );
    const stray = await at.bnerd(['skills', 'list', '--role', 'stray']);
    expect(stray.exit).toBe(1);
    expect(stray.stderr).toMatch(/stray\.md:4: error unknown-skill .*did you mean "lore"\?/);
    const both = await at.bnerd(['skills', 'list', '--role', 'envoy', '--tier', 'global']);
    expect(both).toMatchObject({ exit: 2, stdout: '' });
  });
});

test('--role does not say of a file that it is not used and that it is shown as reference text', async () => {
  const at = await skillTiers({
    global: { 'roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [lore]\n---\nGo.\n' },
    project: {
      '.bnerd/skills/lore/SKILL.md': entryFile('lore'),
      '.bnerd/skills/other.md': entryFile('other'),
    },
  });
  const { exit, stdout, stderr } = await at.bnerd(['skills', 'list', '--role', 'envoy']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^skill +lore +project +reference, listed /m);
  expect(stderr.match(/^.*lore.*$/gm)).toEqual([expect.stringContaining(' info reference-text ')]);
  expect(stderr).toContain('not used: .bnerd/skills/other.md (untrusted; bnerd trust)\n');
});

test("team lint of a recipe that nobody has approved says which skill of its roles is nobody's, with the line", async () => {
  const at = await skillTiers({
    project: {
      '.bnerd/teams/tour/team.md':
        '---\nname: tour\ndescription: Goes.\nlead: envoy\nroles: [envoy]\nsafety: read-only\n---\nGo.\n',
      '.bnerd/roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [terrafrom]\n---\nGo.\n',
    },
  });
  const { exit, stdout } = await at.bnerd(['team', 'lint', 'tour']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    /^\.bnerd\/roles\/envoy\.md:4: warning unknown-skill .*did you mean "terraform"\?\)$/m,
  );
  expect((await at.bnerd(['team', 'lint', 'tour', '--strict'])).exit).toBe(1);
});

describe('bnerd skills show', () => {
  test('all that is known of an entry: fields, digest, badge, trust, what it hides, what is kept', async () => {
    const at = await skillTiers({
      global: {
        'skills/lore/SKILL.md': entryFile(
          'lore',
          ['version: 1.2.0', 'keywords: [sea]', 'license: MIT', 'color: red'],
          'See scripts/run.sh.',
        ),
      },
      project: { '.bnerd/skills/lore.md': entryFile('lore') },
    });
    const { exit, stdout } = await at.bnerd(['skills', 'show', 'lore']);
    expect(exit).toBe(0);
    for (const line of [
      /^skill lore$/m,
      /^ {2}tier: +global$/m,
      /^ {2}state: +in use$/m,
      /^ {2}digest: +1:[0-9a-f]{64}$/m,
      /^ {2}trust: +instruction$/m,
      /^ {2}support: +partial$/m,
      /^ {2}version: +1\.2\.0$/m,
      /^ {2}keywords: +sea$/m,
      /^ {2}license: +MIT$/m,
      /^ {2}data color: +"red"$/m,
      /^ {2}also: +\.bnerd\/skills\/lore\.md \(project, untrusted: nobody has approved it\)$/m,
      /^ {2}finding: +\S+SKILL\.md:\d+: info unknown-key "color" .*\)$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    const json = JSON.parse((await at.bnerd(['skills', 'show', 'lore', '--json'])).stdout);
    expect(json).toMatchObject({
      v: 1,
      name: 'lore',
      state: 'in_use',
      always_on: false,
      data: { color: 'red' },
      others: [{ tier: 'project', state: 'untrusted' }],
    });
    expect(json.body).toBe('See scripts/run.sh.');
  });

  test('--rendered is exactly what a system prompt of a run holds', async () => {
    const at = await skillTiers({
      global: { 'skills/lore/SKILL.md': entryFile('lore', ['version: 1.0.0']) },
    });
    const { stdout, stderr } = await at.bnerd(['skills', 'show', 'lore', '--rendered']);
    expect(stdout).toBe('[Skill: lore] v1.0.0\nWhat lore is for.\n\nAbout lore.');
    expect(stderr).toMatch(/^\n\d+ bytes, SHA-256 [0-9a-f]{64}\n$/);
    const prompt = await at.bnerd(['team', 'describe', 'quickstart', '--prompt', 'scout'], {
      env: { BNERD_AGENT_SKILLS: 'lore' },
    });
    expect(prompt.stdout).toContain(stdout);
  });

  test('--resources lists the other files: path, type and size, without those of nested bundles', async () => {
    const at = await skillTiers({
      global: {
        'skills/lore/SKILL.md': entryFile('lore'),
        'skills/lore/scripts/run.sh': 'echo\n',
        'skills/lore/inner/SKILL.md': entryFile('inner'),
        'skills/lore/inner/n.md': 'n\n',
      },
    });
    const { exit, stdout } = await at.bnerd(['skills', 'show', 'lore', '--resources']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^scripts\/run\.sh {2}\S+\/\S+ {2}5 bytes\n$/);
    const json = JSON.parse((await at.bnerd(['skills', 'show', 'lore', '--resources', '--json'])).stdout);
    expect(json.resources).toMatchObject([{ path: 'scripts/run.sh', bytes: 5 }]);
    const both = await at.bnerd(['skills', 'show', 'lore', '--resources', '--rendered']);
    expect(both).toMatchObject({ exit: 2, stdout: '' });
  });

  test('what no prompt holds is not rendered; a name that nothing has is refused with the nearest', async () => {
    const at = await skillTiers({ project: { '.bnerd/skills/lore.md': entryFile('lore') } });
    const untrusted = await at.bnerd(['skills', 'show', 'lore', '--rendered']);
    expect(untrusted).toMatchObject({ exit: 1, stdout: '' });
    expect(untrusted.stderr).toMatch(/^\.bnerd\/skills\/lore\.md: error not-rendered .*untrusted/m);
    const unknown = await at.bnerd(['skills', 'show', 'lor']);
    expect(unknown).toMatchObject({ exit: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/^lor: error unknown-skill .*did you mean "lore"\?/);
    const byPath = await at.bnerd(['skills', 'show', '.bnerd/skills/lore.md']);
    expect(byPath.stdout).toMatch(/^skill lore\n/);
  });
});

describe('bnerd skills lint', () => {
  test('the built-in entries are those that their locks name', async () => {
    const at = await skillTiers({});
    expect(await at.bnerd(['skills', 'lint', '--strict'])).toMatchObject({ exit: 0, stdout: '' });
    for (const folder of ['skills', 'skills/rules']) {
      const lock = await readLock(join(PACKAGE_ROOT, folder));
      const inside = await readdir(join(PACKAGE_ROOT, folder));
      const names = inside.filter((name) => !['rules', LOCK_FILE].includes(name)).sort();
      expect(lock.kind === 'read' && lock.entries.map(({ name }) => name)).toEqual(
        names.map((name) => name.replace(/\.md$/, '')),
      );
    }
  });

  test('a named file is judged as it stands, a folder whole; exit 1 on errors, with --strict on warnings', async () => {
    const at = await skillTiers({
      project: {
        'lib/skills/good/SKILL.md': entryFile('good'),
        'lib/skills/bad/SKILL.md': '---\nname: bad\n---\nText.\n',
        'lib/skills/empty/SKILL.md': entryFile('empty', [], ''),
      },
    });
    const good = await at.bnerd(['skills', 'lint', 'lib/skills/good']);
    expect(good).toMatchObject({ exit: 0, stdout: '' });
    expect(good.stderr).toBe('1 file: 1 loaded, 0 repaired, 0 refused; 0 errors, 0 warnings, 0 remarks\n');
    const all = await at.bnerd(['skills', 'lint', 'lib/skills']);
    expect(all.exit).toBe(1);
    expect(all.stdout).toMatch(/^lib\/skills\/bad\/SKILL\.md(:\d+)?: error description-missing .+ \(.+\)$/m);
    expect(all.stderr).toMatch(/^3 files: 2 loaded, 0 repaired, 1 refused; 1 error, 1 warning, /);
    const empty = await at.bnerd(['skills', 'lint', 'lib/skills/empty/SKILL.md']);
    expect([empty.exit, empty.stdout.split('\n').length]).toEqual([0, 2]);
    expect((await at.bnerd(['skills', 'lint', 'lib/skills/empty', '--strict'])).exit).toBe(1);
    const missing = await at.bnerd(['skills', 'lint', 'lib/none']);
    expect(missing.exit).toBe(1);
    expect(missing.stdout).toMatch(/^lib\/none: error unknown-target /);
  });

  test('the forms for programs: github, sarif, json', async () => {
    const at = await skillTiers({ project: { 'skills/bad/SKILL.md': '---\nname: bad\n---\nText.\n' } });
    const github = await at.bnerd(['skills', 'lint', 'skills', '--format', 'github']);
    expect(github.stdout).toMatch(
      /^::error file=skills\/bad\/SKILL\.md,(line=\d+,)?title=description-missing::/,
    );
    const sarif = await at.bnerd(['skills', 'lint', 'skills', '--format', 'sarif']);
    expect(readSarif(sarif.stdout).results).toMatchObject([
      { ruleId: 'description-missing', level: 'error' },
    ]);
    const json = await at.bnerd(['skills', 'lint', 'skills', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      v: 1,
      files: 1,
      outcomes: [{ path: 'skills/bad/SKILL.md', outcome: 'refused' }],
    });
  });

  test('without a target all tiers, weighed as a run would: an open file is left out with a warning', async () => {
    const at = await skillTiers({ global: { 'skills/bad/SKILL.md': '---\nname: bad\n---\nText.\n' } });
    const lint = await at.bnerd(['skills', 'lint']);
    expect(lint.exit).toBe(0);
    expect(lint.stdout).toMatch(/skills\/bad\/SKILL\.md(:\d+)?: warning description-missing not loaded: /);
    expect((await at.bnerd(['skills', 'lint', '--strict'])).exit).toBe(1);
  });

  test('a file is read as its author sees it: in the dialect of the mission repository around it', async () => {
    const at = await governedMission({
      'orchestrator/skills/one/SKILL.md': governedFile('one', '1.0.0', []),
    });
    const path = join(at.mission, 'orchestrator/skills');
    // The mission is not named here: nothing but the path says where the file lies.
    const lint = await bnerd(['skills', 'lint', path], { place: at.place });
    expect(lint.exit).toBe(1);
    expect(lint.stdout).toMatch(/one\/SKILL\.md(:\d+)?: error origin-missing /);
  });
});
