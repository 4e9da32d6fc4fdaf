// Whose keys count for a team now: those of its start, and what each resume has changed of them (spec/runner.md §3 "Keys").
import { expect, test } from 'vitest';
import { KeyFolder } from '../../../src/delegate/keys/key-folder.js';
import { acceptedRunners, listedPair } from '../../../src/runtime/briefs/shared-keys.js';
import { systemClock } from '../../../src/shared/clock.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { accepted } from '../../helpers/briefs.js';
import { tempDir } from '../../helpers/temp-dir.js';

const [NEW, OLD, RUNNER] = [newKeyPair(), newKeyPair(), newKeyPair()];
const [OLDS, NEWS] = [accepted(OLD, 'worker'), accepted(NEW, 'worker')];
const retired = { retired: true };

test.each([
  ['started with', [OLDS], OLD],
  ['taken in by a resume', [NEWS], NEW],
  ['started with, beside a newer one that a resume has taken in', [OLDS, NEWS], OLD],
  ['taken in where that of the start was retired', [{ ...OLDS, ...retired }, NEWS], NEW],
  ['retired by a resume', [{ ...NEWS, ...retired }], undefined],
  ['listed as a runner', [accepted(NEW, 'runner')], undefined],
  ['listed under the id of another key', [{ ...NEWS, key: OLD.key }], undefined],
])('a worker key %s', (_, keys, pair) => {
  const run = { keys: [OLDS] } as never;
  expect(listedPair([NEW, OLD], { run, keys })).toBe(pair);
});

test.each([
  ['named by the record alone', null, accepted(RUNNER, 'runner'), true],
  ['accepted here alone', 'accepted', undefined, true],
  ['retired by a resume', null, accepted(RUNNER, 'runner', retired), false],
  ['retired by a resume, and accepted here', 'accepted', accepted(RUNNER, 'runner', retired), false],
  ['retired here', 'retired', accepted(RUNNER, 'runner'), false],
  ['listed as a worker', null, accepted(RUNNER, 'worker'), false],
] as const)('a runner %s', async (_, here, listed, counts) => {
  const home = await tempDir('home');
  const folder = new KeyFolder(home, systemClock);
  if (here !== null) await folder.accept(RUNNER.key, 'vm', 'runner');
  if (here === 'retired') await folder.retire(RUNNER.id);
  const keys = listed === undefined ? [] : [listed];
  const found = await acceptedRunners({ home, clock: systemClock }, { keys });
  expect(found.some(({ id, retired: off }) => id === RUNNER.id && !off)).toBe(counts);
});
