import { appendFile, mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Result } from '../../../src/delegate/brief/result.js';
import { Outbox } from '../../../src/delegate/runner/outbox.js';
import { sha256 } from '../../../src/shared/digest.js';
import { newKeyPair, signed } from '../../../src/shared/signature.js';
import { aBrief, resultOrder } from '../../helpers/briefs.js';
import { tempDir } from '../../helpers/temp-dir.js';

const PAIR = newKeyPair();
const BUNDLE = '# v2 git bundle\n';

function aResult(offer: number, change: Partial<Result> = {}): Result {
  return signed('result', resultOrder(aBrief(PAIR, { offer }), change), PAIR);
}

const bundled = { bundle: { sha256: sha256(BUNDLE), bytes: BUNDLE.length } };

async function scene() {
  const workdir = await tempDir('outbox');
  const bundle = join(workdir, 'made');
  await writeFile(bundle, BUNDLE);
  return {
    workdir,
    bundle,
    outbox: new Outbox(workdir),
    at: (...path: string[]) => join(workdir, 'outbox', ...path),
  };
}

test('a result is read as it was put, with its bundle, until it is acknowledged', async () => {
  const { outbox, bundle, at } = await scene();
  const result = aResult(1, bundled);
  expect(await outbox.read(result.brief)).toEqual({ kind: 'none' });
  expect(await outbox.put(result, bundle)).toBe('put');
  expect(await outbox.read(result.brief)).toMatchObject({
    kind: 'result',
    waiting: { result, text: JSON.stringify(result), bundle: at(result.brief, 'bundle') },
  });
  expect(await readdir(at(result.brief))).toEqual(['bundle', 'result.json']);
  const without = aResult(2);
  await outbox.put(without, null);
  expect((await outbox.list()).waiting.map(({ result: { brief } }) => brief)).toEqual([
    result.brief,
    without.brief,
  ]);
  await outbox.acknowledge(result.brief);
  await outbox.acknowledge(result.brief);
  expect(await outbox.read(result.brief)).toEqual({ kind: 'none' });
  expect(await readdir(at())).toEqual([without.brief]);
});

test('one brief has one result, whoever puts another at the same time', async () => {
  const { outbox } = await scene();
  const puts = await Promise.all(
    ['first', 'second', 'third'].map((message) => outbox.put(aResult(1, { message }), null)),
  );
  expect(puts.sort()).toEqual(['put', 'there', 'there']);
  expect(await outbox.put(aResult(1, { message: 'later' }), null)).toBe('there');
});

test('what is damaged is a finding with its place, hides no other result and stays', async () => {
  const { outbox, bundle, at } = await scene();
  const whole = aResult(1);
  await outbox.put(whole, null);
  const damages: readonly (readonly [
    offer: number,
    what: string,
    damage: (folder: string) => Promise<unknown>,
  ])[] = [
    [2, 'not JSON', (folder) => writeFile(join(folder, 'result.json'), '{"v":1')],
    [3, 'it is the result of', (folder) => writeFile(join(folder, 'result.json'), JSON.stringify(whole))],
    [4, 'its bundle is gone', (folder) => rm(join(folder, 'bundle'))],
    [5, 'its bundle is not the one', (folder) => appendFile(join(folder, 'bundle'), 'x')],
    [
      6,
      'is a link',
      async (folder) => {
        await rm(join(folder, 'result.json'));
        await symlink(at(whole.brief, 'result.json'), join(folder, 'result.json'));
      },
    ],
    [
      7,
      'no regular file',
      async (folder) => {
        await rm(join(folder, 'result.json'));
        await mkdir(join(folder, 'result.json'));
      },
    ],
    [8, 'version 2', (folder) => writeFile(join(folder, 'result.json'), '{"v":2}')],
  ];
  for (const [offer, , damage] of damages) {
    await writeFile(bundle, BUNDLE);
    const result = aResult(offer, bundled);
    expect(await outbox.put(result, bundle)).toBe('put');
    await damage(at(result.brief));
  }
  const { waiting, findings } = await outbox.list();
  expect(waiting.map(({ result: { brief } }) => brief)).toEqual([whole.brief]);
  expect(findings.map(({ message }) => message)).toEqual(
    damages.map(([, what]) => expect.stringContaining(what)),
  );
  expect(findings.map(({ path }) => path)).toEqual(
    damages.map(([offer]) => at(aResult(offer).brief, 'result.json')),
  );
  expect((await readdir(at())).length).toBe(1 + damages.length);
  expect(await outbox.put(aResult(2), null)).toBe('there');
});

test('a bundle without a result is none yet, and names of others are left alone', async () => {
  const { outbox, at } = await scene();
  await mkdir(at('run-feature-01.t1.a1.o1'), { recursive: true });
  await writeFile(at('run-feature-01.t1.a1.o1', 'bundle'), BUNDLE);
  await writeFile(at('a file'), '');
  const { waiting, findings } = await outbox.list();
  expect(waiting).toEqual([]);
  expect(findings).toMatchObject([{ message: expect.stringContaining('no id of a brief') }]);
  expect(await outbox.put(aResult(1), null)).toBe('put');
});

test('what nobody takes goes by age, and is told', async () => {
  const { outbox, at } = await scene();
  const [old, young] = [aResult(1), aResult(2)];
  for (const result of [old, young]) await outbox.put(result, null);
  const now = 1_800_000_000_000;
  await utimes(at(old.brief, 'result.json'), now / 1000 - 3_000, now / 1000 - 3_000);
  await utimes(at(young.brief, 'result.json'), now / 1000 - 10, now / 1000 - 10);
  await mkdir(at('.going-1', 'half'), { recursive: true });
  expect((await outbox.expire(now, 60_000)).map(({ result: { brief } }) => brief)).toEqual([old.brief]);
  expect(await readdir(at())).toEqual([young.brief]);
});
