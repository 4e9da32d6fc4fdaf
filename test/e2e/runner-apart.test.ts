// A runner that teams on other machines reach does not start before it is said whom it obeys and as whom engineers run
// (spec/runner.md §3): what it refuses, it refuses before anybody sees it.
import { expect, test } from 'vitest';
import { KeyFolder } from '../../src/delegate/keys/key-folder.js';
import { systemClock } from '../../src/shared/clock.js';
import { newKeyPair } from '../../src/shared/signature.js';
import { type BnerdPlace, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';

/** No loopback address as it is written, and on it nobody listens. */
const APART = ['runner', '--redis', 'redis://0.0.0.0:1'];
const NO_KEYS = 'no key of a team is accepted here';
const SAME_USER = 'engineers would run as the user of this runner';

type Accepts = (keys: KeyFolder) => Promise<unknown>;

const nobody: Accepts = async () => {};
const worker: Accepts = (keys) => keys.accept(newKeyPair().key, 'team', 'worker');

async function ofPlace(accepts: Accepts): Promise<BnerdPlace> {
  const place = await bnerdPlace();
  await accepts(new KeyFolder(place.state, systemClock));
  return place;
}

test.each<[string, Accepts, readonly string[], readonly string[]]>([
  ['nothing is said', nobody, [], [NO_KEYS, SAME_USER]],
  ['a worker key is accepted', worker, [], [SAME_USER]],
  [
    'an operator key is accepted',
    (keys) => keys.accept(newKeyPair().key, 'ann', 'operator'),
    [],
    [SAME_USER],
  ],
  [
    'the only key is that of a runner',
    (keys) => keys.accept(newKeyPair().key, 'vm', 'runner'),
    [],
    [NO_KEYS, SAME_USER],
  ],
  [
    'the only key is retired',
    async (keys) => {
      const { key, id } = newKeyPair();
      await keys.accept(key, 'team', 'worker');
      await keys.retire(id);
    },
    ['--same-user'],
    [NO_KEYS],
  ],
  ['the machine is disposable, and nobody is obeyed', nobody, ['--same-user'], [NO_KEYS]],
  ['engineers are wrapped, and nobody is obeyed', nobody, ['--engineer-wrap', 'sandbox'], [NO_KEYS]],
])('off this machine, where %s, it is refused with what to do', async (_, accepts, words, refused) => {
  const run = await bnerdHere([...APART, ...words], { place: await ofPlace(accepts) });
  expect(run.exit).toBe(2);
  for (const reason of [NO_KEYS, SAME_USER])
    expect(run.stderr.includes(reason), run.stderr).toBe(refused.includes(reason));
  if (refused.includes(NO_KEYS)) expect(run.stderr).toContain('bnerd keys accept');
  if (refused.includes(SAME_USER)) expect(run.stderr).toContain('--same-user');
});

test('off this machine, with a key of a team and the word that the machine is disposable, it asks for the server', async () => {
  const place = await ofPlace(worker);
  const run = await bnerdHere([...APART, '--same-user'], { place, env: { BNERD_RUNNER_MIN_FREE: '0' } });
  expect(run.stderr).not.toContain(SAME_USER);
  expect(run.stderr).not.toContain(NO_KEYS);
  expect(run.stderr).toContain('0.0.0.0');
  expect(run.exit).toBe(1);
});
