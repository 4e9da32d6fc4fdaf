// spec/skills.md §9, §10 through the program: what list, show, lint and audit say of rules and skills, and where.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockText } from '../../src/skills/lock/lock-text.js';
import { readSarif } from '../cli/findings/sarif-shape.js';
import { bnerd } from '../helpers/bnerd.js';
import { putFiles } from '../helpers/repository.js';
import { againstCycloneDx, againstSpdx } from '../helpers/sbom-schemas.js';
import { entryFile, type SkillTiers, skillTiers } from '../helpers/skill-tiers.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const SHA = '0123456789abcdef0123456789abcdef01234567';

/** A governed file. */
const governed = (name: string, version: string, more: readonly string[] = ['origin: proprietary']): string =>
  [
    '---',
    `name: ${name}`,
    `version: ${version}`,
    `description: About ${name}.`,
    ...more,
    '---',
    'Text.',
    '',
  ].join('\n');

const THIRD_PARTY = ['origin: third-party', 'license: MIT', `upstream: https://example.org/owner/x@${SHA}`];

/** A mission repository in the governed dialect. */
const mission = (files: Readonly<Record<string, string>>): Promise<SkillTiers> =>
  skillTiers({
    mission: { '.bnerd/context.md': '---\nskills: governed\n---\nA mission.\n', ...files },
  });

/** Locks entries as they lie there now. */
async function lock(
  at: SkillTiers,
  names: readonly string[],
  imported: readonly string[] = [],
): Promise<void> {
  const lines = (await at.list())
    .filter(({ name, tier }) => tier === 'mission' && names.includes(name))
    .map(({ name, digest }) => ({
      name,
      version: '1.0.0',
      digest: digest ?? '',
      import: imported.includes(name) ? { upstream: `https://example.org/owner/x@${SHA}` } : null,
    }));
  await putFiles(at.mission, { 'orchestrator/skills/skills.lock': lockText(lines) });
}

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
    expect((await at.bnerd(['skills', 'show', 'evil'])).stdout).not.toMatch(/^::|##\[/m);
  });
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
    const at = await mission({ 'orchestrator/skills/one/SKILL.md': governed('one', '1.0.0', []) });
    const path = join(at.mission, 'orchestrator/skills');
    // The mission is not named here: nothing but the path says where the file lies.
    const lint = await bnerd(['skills', 'lint', path], { place: at.place });
    expect(lint.exit).toBe(1);
    expect(lint.stdout).toMatch(/one\/SKILL\.md(:\d+)?: error origin-missing /);
  });
});

describe('the lock beside the entries', () => {
  const FOLDER = 'orchestrator/skills';

  test('lint: a text that changed under its version is an error, with a greater one the lock is behind', async () => {
    const at = await mission({ [`${FOLDER}/one/SKILL.md`]: governed('one', '1.0.0') });
    await lock(at, ['one']);
    expect(await at.bnerd(['skills', 'lint', '--strict'])).toMatchObject({ exit: 0, stdout: '' });
    const change = (version: string): Promise<void> =>
      putFiles(at.mission, { [`${FOLDER}/one/SKILL.md`]: `${governed('one', version)}More.\n` });
    await change('1.0.0');
    const changed = await at.bnerd(['skills', 'lint']);
    expect(changed.exit).toBe(1);
    expect(changed.stdout).toMatch(/one\/SKILL\.md: error version-not-bumped /);
    await change('1.1.0');
    const bumped = await at.bnerd(['skills', 'lint']);
    expect(bumped.exit).toBe(0);
    expect(bumped.stdout).toMatch(/one\/SKILL\.md: warning lock-behind /);
    // An audit answers for what is in use: it wants the text that was agreed to.
    const audit = await at.bnerd(['skills', 'audit']);
    expect(audit.exit).toBe(1);
    expect(audit.stderr).toMatch(/one\/SKILL\.md: error lock-behind /);
  });

  test('lint: an entry that is not locked, and a locked one that is gone', async () => {
    const at = await mission({
      [`${FOLDER}/one/SKILL.md`]: governed('one', '1.0.0'),
      [`${FOLDER}/two/SKILL.md`]: governed('two', '1.0.0'),
    });
    await lock(at, ['one']);
    await rm(join(at.mission, FOLDER, 'one'), { recursive: true });
    const { exit, stdout } = await at.bnerd(['skills', 'lint', join(at.mission, FOLDER)]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/two\/SKILL\.md: warning not-locked /);
    expect(stdout).toMatch(/skills\.lock: warning lock-stale /);
    // A file alone is held against its own line and no other.
    const alone = await at.bnerd(['skills', 'lint', join(at.mission, FOLDER, 'two')]);
    expect(alone.stdout).not.toContain('lock-stale');
  });

  test('audit fails for a third-party entry that did not come by import, and for one that is no longer what came', async () => {
    const at = await mission({ [`${FOLDER}/x/SKILL.md`]: governed('x', '1.0.0', THIRD_PARTY) });
    const without = await at.bnerd(['skills', 'audit']);
    expect(without.exit).toBe(1);
    expect(without.stderr).toMatch(/x\/SKILL\.md: error not-imported /);
    await lock(at, ['x']);
    expect((await at.bnerd(['skills', 'audit'])).exit).toBe(1);
    await lock(at, ['x'], ['x']);
    const imported = await at.bnerd(['skills', 'audit']);
    expect(imported.exit).toBe(0);
    expect(imported.stderr).toMatch(/^\d+ entries: no objection\n$/);
    await putFiles(at.mission, { [`${FOLDER}/x/SKILL.md`]: `${governed('x', '1.0.0', THIRD_PARTY)}More.\n` });
    const edited = await at.bnerd(['skills', 'audit']);
    expect(edited.exit).toBe(1);
    expect(edited.stderr).toMatch(/x\/SKILL\.md: error version-not-bumped /);
  });
});

describe('bnerd skills audit', () => {
  const FILES = {
    'orchestrator/skills/x/SKILL.md': governed('x', '1.0.0', [...THIRD_PARTY, 'vetted: by Ada 2026-08-09']),
    'orchestrator/skills/own/SKILL.md': governed('own', '2.0.0'),
    'orchestrator/roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [x]\n---\nGo.\n',
  };

  test('the inventory: name, version, origin, license, upstream, vetted, digest, who uses it', async () => {
    const at = await mission(FILES);
    await lock(at, ['x', 'own'], ['x']);
    const { entries } = JSON.parse((await at.bnerd(['skills', 'audit', '--json'])).stdout);
    const [x] = entries.filter(({ name }: { name: string }) => name === 'x');
    expect(x).toEqual({
      kind: 'skill',
      name: 'x',
      version: '1.0.0',
      description: 'About x.',
      origin: 'third-party',
      license: 'MIT',
      upstream: `https://example.org/owner/x@${SHA}`,
      vetted: 'by Ada 2026-08-09',
      digest: (await at.list('x'))[0]?.digest,
      tier: 'mission',
      path: 'orchestrator/skills/x/SKILL.md',
      trust: 'instruction',
      users: ['role envoy'],
    });
    const table = await at.bnerd(['skills', 'audit']);
    expect(table.exit).toBe(0);
    expect(table.stdout.split('\n')[0]).toMatch(
      /^NAME +KIND +VERSION +TIER +TRUST +ORIGIN +LICENSE +DIGEST /,
    );
    expect(table.stdout).toMatch(
      /^x +skill +1\.0\.0 +mission +instruction +third-party +MIT +1:[0-9a-f]{12} +by Ada 2026-08-09 +role envoy +https:/m,
    );
    expect(table.stdout).toMatch(/^evidence-first +rule .* team \(always on\) +-$/m);
  });

  test('a skill that nobody approved is in it when a role names it: it may go as reference text', async () => {
    const at = await skillTiers({
      global: { 'roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [lore]\n---\nGo.\n' },
      project: { '.bnerd/skills/lore.md': entryFile('lore'), '.bnerd/skills/idle.md': entryFile('idle') },
    });
    const { entries } = JSON.parse((await at.bnerd(['skills', 'audit', '--json'])).stdout);
    const project = entries.filter(({ tier }: { tier: string }) => tier === 'project');
    expect(project).toMatchObject([{ name: 'lore', trust: 'reference', users: ['role envoy'] }]);
  });

  test('CycloneDX and SPDX of the program validate against the published schemas, the same bytes each time', async () => {
    const at = await mission(FILES);
    await lock(at, ['x', 'own'], ['x']);
    const cyclonedx = await at.bnerd(['skills', 'audit', '--format', 'cyclonedx']);
    expect([cyclonedx.exit, await againstCycloneDx(cyclonedx.stdout)]).toEqual([0, null]);
    const spdx = await at.bnerd(['skills', 'audit', '--format', 'spdx']);
    expect([spdx.exit, againstSpdx(JSON.parse(spdx.stdout))]).toEqual([0, null]);
    for (const [format, first] of [
      ['cyclonedx', cyclonedx],
      ['spdx', spdx],
    ] as const) {
      const elsewhere = { env: { TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8' }, cwd: at.mission };
      expect((await at.bnerd(['skills', 'audit', '--format', format], elsewhere)).stdout).toBe(first.stdout);
      expect(first.stdout).not.toContain(at.place.root);
    }
    const dated = await at.bnerd([
      'skills',
      'audit',
      '--format',
      'cyclonedx',
      '--created',
      '2026-08-09T12:00:00+02:00',
    ]);
    expect(await againstCycloneDx(dated.stdout)).toBeNull();
    expect(JSON.parse(dated.stdout).metadata.timestamp).toBe('2026-08-09T10:00:00Z');
    const wrong = await at.bnerd(['skills', 'audit', '--created', 'yesterday']);
    expect(wrong).toMatchObject({ exit: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^--created: error bad-value "yesterday" .*now/);
  });

  test('with a team: what each member was given, from the record, whatever lies on the disk today', async () => {
    const at = await job(
      oneTask([], {
        roles: { boss: {}, worker: { skills: ['lore', 'heavy'] } },
        skills: {
          lore: entryFile('lore', ['version: 2.1.0']),
          heavy: entryFile('heavy', ['process: true']),
        },
      }),
    );
    expect((await at.run(['--auto-approve', 'all'])).exit).toBe(0);
    const spawned = (await at.of('member.spawned')).find(({ seat }) => seat.member === 'worker');
    await rm(join(at.mission, 'orchestrator'), { recursive: true });
    const id = await at.id();
    const words = ['skills', 'audit', id.slice(0, 12)];
    const options = { env: { BNERD_MISSION_REPO: undefined } };
    const json = JSON.parse((await at.bnerd([...words, '--json'], options)).stdout);
    expect(json).toMatchObject({ v: 1, team: id, recipe: 'job' });
    const worker = json.members.find(({ member }: { member: string }) => member === 'worker');
    expect(worker.entries).toEqual(spawned?.seat.entries.map((entry) => ({ ...entry, task: null })));
    expect(worker.withheld).toMatchObject([{ type: 'entry.omitted', entry: 'heavy', reason: 'process' }]);
    expect(worker.prompt_sha256).toBe(spawned?.seat.prompt_sha256);
    const table = await at.bnerd(words, options);
    expect(table).toMatchObject({ exit: 0, stderr: '' });
    expect(table.stdout).toMatch(
      /^worker +lore +skill +2\.1\.0 +mission +instruction +role +\d+ +1:[0-9a-f]{12} +[0-9a-f]{12}$/m,
    );
    expect(table.stdout).toMatch(/^worker +heavy +omitted +process: /m);
    const cyclonedx = await at.bnerd([...words, '--format', 'cyclonedx'], options);
    expect(await againstCycloneDx(cyclonedx.stdout)).toBeNull();
    const lore = JSON.parse(cyclonedx.stdout).components.find(
      ({ name }: { name: string }) => name === 'lore',
    );
    expect(lore.properties).toContainEqual({ name: 'bnerd:used-by', value: 'member worker' });
    const spdx = await at.bnerd([...words, '--format', 'spdx'], options);
    expect(againstSpdx(JSON.parse(spdx.stdout))).toBeNull();
    const unknown = await at.bnerd(['skills', 'audit', 'run-none'], options);
    expect(unknown).toMatchObject({ exit: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/unknown-team/);
  });
});
