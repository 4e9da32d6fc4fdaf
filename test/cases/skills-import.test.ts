// Cases of importing (cases/skills.md): each row under its id, through the built program, against repositories that are
// served over file:// and over a smart-HTTP server on the loopback interface.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readLock } from '../../src/skills/lock/lock-file.js';
import { type BnerdPlace, type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { gitServer } from '../helpers/git-http.js';
import { git, putFiles } from '../helpers/repository.js';
import { foreignText, treeOf, URL_OF_PIN, upstreamOf } from '../skills/import/importing.js';

const PRELOAD = pathToFileURL(join(import.meta.dirname, '../fixtures/kill/at-write.js')).href;

function imports(place: BnerdPlace, source: string, ...more: readonly string[]): Promise<BnerdRun> {
  const args = ['skills', 'import', '--url', URL_OF_PIN, '--source', source, '--ref', 'main', ...more];
  return bnerd(args, { place });
}

function entry(place: BnerdPlace): string {
  return join(place.work, 'skills/pdf/SKILL.md');
}

describe('L13: import of branch main', () => {
  test.each(['file', 'http'] as const)(
    'over %s: upstream is the url that was given, at the full commit, never main',
    async (protocol) => {
      const upstream = await upstreamOf(foreignText('1.0.0'));
      const commit = git(upstream.path, 'rev-parse', 'HEAD');
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      const source =
        protocol === 'file'
          ? upstream.source
          : `${(await gitServer(join(upstream.path, '..'))).url}/pdf/.git`;
      const place = await bnerdPlace();
      const run = await imports(place, source);
      expect(run.exit).toBe(0);
      const text = await readFile(entry(place), 'utf8');
      expect(text).toContain(`\nupstream: ${URL_OF_PIN}@${commit}\n`);
      expect(text).not.toMatch(/upstream:.*main/);
      expect(await readLock(join(place.work, 'skills'))).toMatchObject({
        entries: [
          {
            name: 'pdf',
            version: '1.0.0',
            import: { upstream: `${URL_OF_PIN}@${commit}`, file: 'SKILL.md' },
          },
        ],
      });
      expect(run.stdout).toContain(`\`${URL_OF_PIN}@${commit}\``);
      expect(run.stdout + run.stderr + text).not.toContain(source);
      // Another commit of the branch is another pin.
      const later = await upstream.put(foreignText('1.1.0'));
      expect((await imports(place, source)).exit).toBe(0);
      expect(await readFile(entry(place), 'utf8')).toContain(`\nupstream: ${URL_OF_PIN}@${later}\n`);
    },
  );
});

describe('L15: upstream name', () => {
  test.each([['../x'], ['a/b'], ['""'], ['.']])('%s is refused, tree untouched', async (name) => {
    const upstream = await upstreamOf(foreignText('1.0.0').replace('name: pdf', `name: ${name}`));
    const place = await bnerdPlace();
    await putFiles(join(place.work, 'skills'), { 'other/SKILL.md': 'mine\n' });
    const before = await treeOf(place.root);
    const run = await imports(place, upstream.source);
    expect(run.exit).toBe(1);
    expect(run.stderr).toMatch(/^upstream:SKILL\.md:2: error (?:unsafe-name|name-missing) /m);
    expect(run.stdout).toBe('');
    expect(await treeOf(place.root)).toEqual(before);
  });
});

describe('L16: re-import', () => {
  test.each<[string, string, boolean]>([
    ['1.0.0', '1.0.0', false],
    ['0.9', '1.0.0', false],
    ['0.9.0', '1.0.0', false],
    ['1.0.0-rc.1', '1.0.0', false],
    ['1.0.0+other', '1.0.0', false],
    ['1.10.0', '1.9.0', true],
    ['1.9.0', '1.9.0-rc.1', true],
  ])('%s over %s: %s (numeric, not text)', async (version, over, taken) => {
    const upstream = await upstreamOf(foreignText(over));
    const place = await bnerdPlace();
    expect((await imports(place, upstream.source)).exit).toBe(0);
    const before = await treeOf(place.work);
    await upstream.put(foreignText(version, 'keywords: [other]\n'));
    const run = await imports(place, upstream.source);
    expect(run.exit).toBe(taken ? 0 : 1);
    if (taken) {
      expect(await readFile(entry(place), 'utf8')).toContain(`\nversion: ${version}\n`);
      expect(run.stderr).toContain(`-version: ${over}\n`);
    } else {
      expect(run.stderr).toMatch(/error (?:version-not-greater|version-form) /);
      expect(await treeOf(place.work)).toEqual(before);
    }
  });
});

describe('L20: write fails half way in an import', () => {
  // The disk is full at each thing that is written, texts half written. Killed there: faults/import-kill.test.ts.
  test('the old file is intact, nothing is left beside it, and the same import goes through later', async () => {
    const upstream = await upstreamOf(foreignText('1.0.0'));
    const seed = await bnerdPlace();
    expect((await imports(seed, upstream.source)).exit).toBe(0);
    const before = await treeOf(join(seed.work, 'skills'));
    await upstream.put(foreignText('1.1.0'));
    const args = ['skills', 'import', '--url', URL_OF_PIN, '--source', upstream.source, '--ref', 'main'];
    const failing = async (at: string | undefined) => {
      const place = await bnerdPlace();
      const folder = join(place.work, 'skills');
      await putFiles(folder, before);
      const log = join(place.root, 'steps');
      const env = { KILL_BELOW: folder, KILL_LOG: log, KILL_AT: at, KILL_HOW: 'full' };
      const run = await bnerd(args, { place, env, node: ['--import', PRELOAD] });
      return {
        run,
        place,
        tree: await treeOf(folder),
        steps: (await readFile(log, 'utf8')).trimEnd().split('\n'),
      };
    };
    const whole = await failing(undefined);
    expect(whole.run.exit).toBe(0);
    const put = whole.steps.findIndex((step) => step.startsWith('rename') && step.endsWith('/entry')) + 1;
    expect(put).toBeGreaterThan(0);
    let failures = 0;
    for (const [index, step] of whole.steps.entries()) {
      const number = index + 1;
      if (!/^(?:mkdir|open|write|link|rename) /.test(step) || number > put) continue;
      // The folder of the entries is there already: that it cannot be made again is no failure.
      if (step === `mkdir ${join(whole.place.work, 'skills')}`) continue;
      const { run, place, tree } = await failing(step.startsWith('write') ? `${number}.5` : `${number}`);
      failures += 1;
      expect(run.exit, step).toBe(1);
      expect(run.stderr).toMatch(/error cannot-write .*ENOSPC/);
      expect(tree, step).toEqual(before);
      if (number === put) {
        expect((await imports(place, upstream.source)).exit).toBe(0);
        expect(await treeOf(join(place.work, 'skills'))).toEqual(whole.tree);
      }
    }
    expect(failures).toBeGreaterThan(7);
  }, 300_000);
});
