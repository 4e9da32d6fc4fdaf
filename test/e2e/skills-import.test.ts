// `bnerd skills import`, `govern` and `lock` as typed: exit codes, streams, defaults, and an environment that would
// lead git astray.
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BnerdPlace, bnerd, bnerdPlace, startBnerd } from '../helpers/bnerd.js';
import { gitServer } from '../helpers/git-http.js';
import { git, makeRepository, putFiles } from '../helpers/repository.js';
import { until } from '../helpers/until.js';
import { foreignText, treeOf, URL_OF_PIN, upstreamOf } from '../skills/import/importing.js';

const from = (source: string): readonly string[] => [
  'skills',
  'import',
  '--url',
  URL_OF_PIN,
  '--ref',
  'main',
  '--source',
  source,
];

/** What the program leaves beside the files of the test: nothing of a fetch. */
async function expectNoScratch(place: BnerdPlace): Promise<void> {
  expect((await readdir(place.root)).filter((name) => name.startsWith('bnerd-import-'))).toEqual([]);
}

describe('skills import', () => {
  test('prints the checklist on stdout and the difference on stderr; the entry is loaded and listed', async () => {
    const { source } = await upstreamOf(foreignText('1.0.0', 'metadata: {author: someone}\n'));
    const place = await bnerdPlace();
    const run = await bnerd(from(source), { place });
    expect(run.exit).toBe(0);
    expect(run.stdout).toMatch(/^## Vetting: `pdf` `1\.0\.0`\n/);
    expect(run.stdout).toContain('- [ ] The licence `MIT` is compatible');
    expect(run.stdout).not.toContain('+name: pdf');
    expect(run.stderr).toContain('--- /dev/null\n+++ skills/pdf/SKILL.md\n');
    expect(run.stderr).toContain('+origin: third-party\n+license: MIT\n');
    expect(run.stderr).toContain('left out: metadata: {"author":"someone"}\n');
    expect(run.stderr).toMatch(/^imported skills\/pdf\/SKILL\.md: pdf 1\.0\.0 1:[0-9a-f]{64}$/m);
    expect(Object.keys(await treeOf(place.work)).sort()).toEqual([
      'skills/pdf/SKILL.md',
      'skills/skills.lock',
    ]);
    expect(run.stderr).toMatch(/^no run reads skills here: .* --into \.bnerd\/skills$/m);
    await expectNoScratch(place);
    expect((await bnerd(['skills', 'lock'], { place })).stderr).toContain(
      '1 entry locked; nothing has changed\n',
    );
  });

  test('--json is one document, and a dry run writes nothing', async () => {
    const { source, path } = await upstreamOf(foreignText('1.0.0'));
    const place = await bnerdPlace();
    const run = await bnerd([...from(source), '--json', '--dry-run'], { place });
    expect(run.exit).toBe(0);
    const commit = git(path, 'rev-parse', 'HEAD');
    expect(JSON.parse(run.stdout)).toMatchObject({
      v: 1,
      written: false,
      name: 'pdf',
      version: '1.0.0',
      origin: 'third-party',
      license: 'MIT',
      upstream: `${URL_OF_PIN}@${commit}`,
      commit,
      file: 'SKILL.md',
      path: 'skills/pdf/SKILL.md',
      replaces: false,
      dropped: [],
      checklist: expect.stringContaining('## Vetting'),
    });
    expect(await treeOf(place.work)).toEqual({});
  });

  test('writes into the mission repository that is named, and into --into where that is said', async () => {
    const { source } = await upstreamOf(foreignText('1.0.0'));
    const place = await bnerdPlace();
    const mission = await makeRepository(join(place.root, 'mission'));
    await putFiles(mission, { '.bnerd/context.md': '---\nskills: governed\n---\n' });
    expect((await bnerd([...from(source), '--mission-repo', mission], { place })).exit).toBe(0);
    expect(existsSync(join(mission, 'orchestrator/skills/pdf/SKILL.md'))).toBe(true);
    expect(existsSync(join(mission, 'orchestrator/skills/skills.lock'))).toBe(true);
    expect(await treeOf(place.work)).toEqual({});
    const listed = await bnerd(['skills', 'list', '--mission-repo', mission, '--tier', 'mission'], { place });
    expect(listed.stdout).toMatch(/pdf/);
    expect(
      (await bnerd([...from(source), '--mission-repo', mission, '--into', 'mine'], { place })).exit,
    ).toBe(0);
    expect(Object.keys(await treeOf(place.work)).sort()).toEqual(['mine/pdf/SKILL.md', 'mine/skills.lock']);
  });

  test.each<[string, readonly string[], number, RegExp]>([
    ['no url', ['--ref', 'main'], 2, /^--url: error missing-flag /m],
    ['no ref', ['--url', URL_OF_PIN], 2, /^--ref: error missing-flag /m],
    ['a transport helper', ['--url', 'ext::sh -c x', '--ref', 'main'], 2, /^--url: error url-protocol /m],
    ['an option for a ref', ['--url', URL_OF_PIN, '--ref=--upload-pack=x'], 2, /^--ref: error bad-ref /m],
    [
      'a path that climbs',
      ['--url', URL_OF_PIN, '--ref', 'v1', '--file', '../x'],
      2,
      /^--file: error bad-file /m,
    ],
    ['user and password', ['--url', 'https://me:secret@example.org/x', '--ref', 'v1'], 2, /url-user-info/],
  ])('%s is wrong use', async (_, args, exit, words) => {
    const run = await bnerd(['skills', 'import', ...args]);
    expect(run.exit).toBe(exit);
    expect(run.stderr).toMatch(words);
    expect(run.stderr).not.toContain('secret');
    expect(run.stdout).toBe('');
  });

  test('an environment that would lead git elsewhere has no effect', async () => {
    const { source, path } = await upstreamOf(foreignText('1.0.0'));
    const evil = await upstreamOf(foreignText('6.6.6'));
    const place = await bnerdPlace();
    const ran = join(place.root, 'ran');
    const program = join(place.root, 'program');
    await writeFile(program, `#!/bin/sh\ntouch ${ran}\nexit 1\n`);
    await chmod(program, 0o755);
    await putFiles(place.home, {
      '.gitconfig': `[url "${evil.source}"]\n\tinsteadOf = ${source}\n[core]\n\tfsmonitor = ${program}\n[credential]\n\thelper = ${program}\n`,
      '.config/git/config': `[url "${evil.source}"]\n\tinsteadOf = ${source}\n`,
    });
    const env = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.${evil.source}.insteadOf`,
      GIT_CONFIG_VALUE_0: source,
      GIT_CONFIG_PARAMETERS: `'url.${evil.source}.insteadof=${source}'`,
      GIT_CONFIG_GLOBAL: join(place.home, '.gitconfig'),
      GIT_DIR: join(evil.path, '.git'),
      GIT_WORK_TREE: evil.path,
      GIT_OBJECT_DIRECTORY: join(evil.path, '.git/objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(evil.path, '.git/objects'),
      GIT_INDEX_FILE: join(evil.path, '.git/index'),
      GIT_NAMESPACE: 'evil',
      GIT_SSH_COMMAND: program,
      GIT_PROXY_COMMAND: program,
      GIT_ASKPASS: program,
      SSH_ASKPASS: program,
      GIT_EXTERNAL_DIFF: program,
      GIT_PAGER: program,
      GIT_TEMPLATE_DIR: evil.path,
      GIT_TRACE: join(place.root, 'trace'),
      GIT_ALLOW_PROTOCOL: 'ext:file:https',
    };
    const run = await bnerd(from(source), { place, env });
    expect(run.stderr).toContain('+version: 1.0.0\n');
    expect(run.exit).toBe(0);
    expect(await readFile(join(place.work, 'skills/pdf/SKILL.md'), 'utf8')).toContain(
      `upstream: ${URL_OF_PIN}@${git(path, 'rev-parse', 'HEAD')}\n`,
    );
    expect(existsSync(ran)).toBe(false);
    expect(existsSync(join(place.root, 'trace'))).toBe(false);
  });

  test('Ctrl-C while a server says nothing ends it with 130 and leaves nothing', async () => {
    const place = await bnerdPlace();
    const silent = await gitServer(place.root, { first: () => true });
    const running = await startBnerd(from(`${silent.url}/pdf`), { place });
    await until(() => silent.asked.length > 0, { what: 'the server is asked' });
    running.signal('SIGINT');
    const run = await running.ended;
    expect(run.exit).toBe(130);
    expect(run.stderr).toContain('error cancelled ');
    expect(await treeOf(place.work)).toEqual({});
    await expectNoScratch(place);
  });
});

describe('skills govern and skills lock', () => {
  test('an own open file is rewritten, its path on stdout, and the lock agrees', async () => {
    const place = await bnerdPlace();
    await putFiles(place.work, {
      'skills/own/SKILL.md': '---\nname: own\ndescription: d\nmore: 1\n---\nB.\n',
    });
    const args = ['skills', 'govern', 'own', '--version', '1.0.0', '--origin', 'proprietary'];
    const dry = await bnerd([...args, '--dry-run'], { place });
    expect([dry.exit, dry.stdout]).toEqual([0, '']);
    const run = await bnerd(args, { place });
    expect([run.exit, run.stdout]).toEqual([0, 'skills/own/SKILL.md\n']);
    expect(run.stderr).toContain('-more: 1\n');
    expect(run.stderr).toContain('left out: more: 1\n');
    expect((await bnerd(args, { place })).exit).toBe(1);
    const lock = await bnerd(['skills', 'lock', '--json'], { place });
    expect(JSON.parse(lock.stdout)).toMatchObject({ v: 1, entries: 1, added: [], changed: [], removed: [] });
  });

  test.each<[string, readonly string[], number, string]>([
    ['no origin', ['own', '--version', '1.0.0'], 2, 'missing-flag'],
    ['an origin that comes by import', ['own', '--origin', 'third-party'], 2, 'bad-origin'],
    ['a name that is not there', ['own', '--origin', 'proprietary'], 1, 'no-such-entry'],
    ['a name that climbs', ['../own', '--origin', 'proprietary'], 1, 'unsafe-name'],
  ])('govern with %s', async (_, args, exit, code) => {
    const run = await bnerd(['skills', 'govern', ...args]);
    expect(run.exit).toBe(exit);
    expect(run.stderr).toContain(`error ${code} `);
  });

  test('an entry of another folder: govern names the flag that leads there', async () => {
    const place = await bnerdPlace();
    const path = '.bnerd/skills/own/SKILL.md';
    await putFiles(place.work, { [path]: '---\nname: own\ndescription: d\n---\nB.\n' });
    const args = ['skills', 'govern', 'own', '--version', '1.0.0', '--origin', 'proprietary'];
    const run = await bnerd(args, { place });
    expect(run.exit).toBe(1);
    const [flag = ''] = /--into \S+(?=\))/.exec(run.stderr) ?? [];
    expect(flag).toBe('--into .bnerd/skills');
    const again = await bnerd([...args, ...flag.split(' ')], { place });
    expect([again.exit, again.stdout]).toEqual([0, `${path}\n`]);
    expect(again.stderr).not.toContain('no run reads');
  });

  test('the command that lint names writes the lock, in whatever folder it is', async () => {
    const place = await bnerdPlace();
    const text = '---\nname: own\ndescription: d\nversion: 1.0.0\n---\nB.\n';
    await putFiles(place.work, { 'my notes/skills/own/SKILL.md': text });
    const folder = 'my notes/skills';
    await bnerd(['skills', 'lock', folder], { place });
    await putFiles(place.work, { 'my notes/skills/new/SKILL.md': text.replace('own', 'new') });
    const lint = await bnerd(['skills', 'lint', folder], { place });
    const [, named = ''] = /not-locked .*\(run bnerd skills lock '(.*)'\)$/m.exec(lint.stdout) ?? [];
    const locked = await bnerd(['skills', 'lock', named], { place });
    expect(locked).toMatchObject({ exit: 0, stderr: '2 entries locked; added: new\n' });
    expect((await bnerd(['skills', 'lint', folder], { place })).stdout).not.toContain('not-locked');
  });

  test('lock writes the lock of the folder that is named, and is refused while a text changed under its version', async () => {
    const place = await bnerdPlace();
    const text = '---\nname: own\ndescription: d\nversion: 1.0.0\n---\nB.\n';
    await putFiles(place.work, { 'mine/own/SKILL.md': text });
    const first = await bnerd(['skills', 'lock', 'mine'], { place });
    expect([first.exit, first.stdout, first.stderr]).toEqual([
      0,
      'mine/skills.lock\n',
      '1 entry locked; added: own\n',
    ]);
    await writeFile(join(place.work, 'mine/own/SKILL.md'), `${text}More.\n`);
    const refused = await bnerd(['skills', 'lock', 'mine'], { place });
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toContain('mine/own/SKILL.md: error version-not-bumped ');
    expect((await bnerd(['skills', 'lock', 'absent'], { place })).exit).toBe(1);
  });
});
