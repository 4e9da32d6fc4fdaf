// spec/team.md §1, spec/skills.md §10 through the program: the forms of lint, and where its findings point.
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSarif } from '../cli/findings/sarif-shape.js';
import { type BnerdPlace, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/roles');

/** A folder of role files below the working directory. */
async function roles(files: Readonly<Record<string, string>>): Promise<BnerdPlace> {
  const place = await bnerdPlace();
  const folder = join(place.work, 'agents');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return place;
}

const GOOD = '---\nname: good\ndescription: Good.\n---\nYou are good.\n';
const ODD = '---\nname: odd\ndescription: Odd.\nmaxTurns: none\n---\nYou are odd.\n';

describe('the forms of team lint', () => {
  test('text: a finding a line on stdout, the count on stderr', async () => {
    const place = await roles({ 'good.md': GOOD, 'odd.md': ODD });
    const lint = await bnerd(['team', 'lint', './agents'], { place });
    expect(lint).toMatchObject({
      exit: 1,
      stderr: '2 files: 1 loaded, 0 repaired, 1 refused; 1 error, 0 warnings, 0 remarks\n',
    });
    expect(lint.stdout).toMatch(
      /^agents\/odd\.md:4: error wrong-type `maxTurns` is the text "none"; .+ \(.+\)\n$/,
    );
  });

  test('github: an annotation a finding', async () => {
    const place = await roles({ 'odd.md': ODD });
    const lint = await bnerd(['team', 'lint', './agents', '--format', 'github'], { place });
    expect(lint.exit).toBe(1);
    expect(lint.stdout).toMatch(/^::error file=agents\/odd\.md,line=4,title=wrong-type::`maxTurns` .+\n$/);
  });

  test('sarif: one log, whatever was found', async () => {
    const place = await roles({ 'good.md': GOOD, 'odd.md': ODD });
    const lint = await bnerd(['team', 'lint', './agents', '--format', 'sarif'], { place });
    expect(lint.exit).toBe(1);
    expect(readSarif(lint.stdout).results).toMatchObject([
      {
        ruleId: 'wrong-type',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'agents/odd.md', uriBaseId: '%SRCROOT%' },
              region: { startLine: 4 },
            },
          },
        ],
      },
    ]);
    const clean = await bnerd(['team', 'lint', './agents/good.md', '--format', 'sarif'], { place });
    expect(clean.exit).toBe(0);
    expect(readSarif(clean.stdout).results).toEqual([]);
  });

  test('json: --json and --format json are one thing; beside another form they contradict', async () => {
    const place = await roles({ 'odd.md': ODD });
    const short = await bnerd(['team', 'lint', './agents', '--json'], { place });
    const long = await bnerd(['team', 'lint', './agents', '--format', 'json', '--json'], { place });
    expect(JSON.parse(short.stdout)).toMatchObject({
      v: 1,
      files: 1,
      findings: [{ path: 'agents/odd.md', line: 4 }],
    });
    expect(long.stdout).toBe(short.stdout);
    const both = await bnerd(['team', 'lint', '--format', 'sarif', '--json'], { place });
    expect(both).toMatchObject({ exit: 2, stdout: '' });
    expect(both.stderr).toMatch(/--format: error bad-value "sarif" .*--json/);
  });

  test('a form that there is not: exit 2 with those there are', async () => {
    const lint = await bnerd(['team', 'lint', '--format', 'xml']);
    expect(lint).toMatchObject({ exit: 2, stdout: '' });
    expect(lint.stderr).toContain('text, json, github, sarif');
  });

  test('names of files and what stands in them cannot speak in any form', async () => {
    const place = await roles({
      '::add-mask::x.md': '---\nname: "a\\u001b[2J"\ndescription: "x\n---\n',
      '100%,a:b.md':
        '---\nname: odd\ndescription: Odd.\nmaxTurns: "\\n::error::taken [x](https://example.org) {0}"\n---\nx\n',
      'line\nbreak.md': '---\n::error::\n',
    });
    for (const format of ['text', 'github', 'sarif', 'json']) {
      // The helper refuses control codes on both streams.
      const lint = await bnerd(['team', 'lint', '--format', format, 'agents'], { place });
      expect(lint.exit).toBe(1);
      const lines = lint.stdout.trimEnd().split('\n');
      if (format === 'text') for (const line of lines) expect(line).toMatch(/^agents\/.+: error /);
      if (format === 'github')
        for (const line of lines)
          expect(line).toMatch(/^::error file=agents\/[^,:]+,(line=\d+,)?title=[a-z-]+::/);
      if (format === 'sarif') expect(readSarif(lint.stdout).results.length).toBeGreaterThan(2);
    }
  });
});

describe('the targets of team lint', () => {
  test('slugs, role names, files and folders in one call, each file once', async () => {
    const at = await job(oneTask([]));
    await writeFile(join(at.workspace, 'odd.md'), ODD);
    await mkdir(join(at.workspace, 'agents'));
    await writeFile(join(at.workspace, 'agents/good.md'), GOOD);
    const lint = await at.bnerd(['team', 'lint', 'job', 'worker', 'odd.md', 'agents', './agents/good.md']);
    expect(lint.exit).toBe(1);
    expect(lint.stdout).toMatch(/^odd\.md:4: error wrong-type /);
    expect(lint.stderr).toBe('4 files: 3 loaded, 0 repaired, 1 refused; 1 error, 0 warnings, 0 remarks\n');
  });

  test.skipIf(!existsSync(CORPUS))(
    'needs the corpus: every file of the role corpus in one call, in every form',
    async () => {
      const files = (await readdir(CORPUS, { recursive: true }))
        .filter((file) => file.endsWith('.md'))
        .map((file) => join(CORPUS, file));
      expect(files.length).toBeGreaterThan(700);
      const text = await bnerd(['team', 'lint', ...files]);
      expect(text.stderr).toMatch(
        new RegExp(`^${files.length} files: \\d+ loaded, \\d+ repaired, \\d+ refused; \\d+ errors, `, 'm'),
      );
      const [, ...counts] = /files: (\d+) loaded, (\d+) repaired, (\d+) refused/.exec(text.stderr) ?? [];
      expect(counts.map(Number).reduce((sum, one) => sum + one, 0)).toBe(files.length);
      const place = text.place;
      const sarif = await bnerdHere(['team', 'lint', '--format', 'sarif', ...files], { place });
      const count = text.stdout.trimEnd().split('\n').length;
      expect(readSarif(sarif.stdout).results).toHaveLength(count);
      const github = await bnerdHere(['team', 'lint', '--format', 'github', ...files], { place });
      const annotations = github.stdout.trimEnd().split('\n');
      expect(annotations).toHaveLength(count);
      for (const line of annotations)
        expect(line).toMatch(/^::(error|warning|notice) file=[^,:]+,(line=\d+,)?title=[a-z-]+::/);
      for (const run of [sarif, github]) expect(run).toMatchObject({ exit: text.exit, stderr: text.stderr });
    },
    120_000,
  );
});
