// Whose briefs a runner takes (spec/runner.md §3 "Keys"): those it was told of, and those that a known operator has listed.
import { expect, test } from 'vitest';
import { keysForBrief } from '../../../src/runtime/runners/team-keys.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { signTeamKeys } from '../../../src/shared/team-keys.js';
import { accepted } from '../../helpers/briefs.js';

const OPERATOR = newKeyPair();
const WORKER = newKeyPair();
const OF = { team: 'run-x', brief: 'run-x.t1.a1.o1' };
const named = { id: WORKER.id, key: WORKER.key, name: 'vm', role: 'worker' as const };
const list = (team = OF.team, pair = OPERATOR): string =>
  JSON.stringify(signTeamKeys({ team, keys: [named], key_id: null, signature: null }, pair));
const known = [accepted(OPERATOR, 'operator')];

test.each([
  ['signed by a known operator', list(), known, true],
  ['signed by a stranger', list(OF.team, newKeyPair()), known, false],
  ['of another team', list('run-y'), known, false],
  ['signed by one whose key was retired', list(), [accepted(OPERATOR, 'operator', { retired: true })], false],
  [
    'that names a worker whose key is retired here',
    list(),
    [...known, accepted(WORKER, 'worker', { retired: true })],
    false,
  ],
  ['that is no list', '{"team":1}', known, false],
  ['that is not JSON', 'nothing', known, false],
  ['that is not there', null, known, false],
] as const)('a list %s', async (_, text, keys, counts) => {
  const found = await keysForBrief({ teamKeys: async () => text }, OF, keys);
  expect(found.some(({ id, retired }) => id === WORKER.id && !retired)).toBe(counts);
});
