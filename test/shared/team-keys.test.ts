import { expect, test } from 'vitest';
import { newKeyPair } from '../../src/shared/signature.js';
import { checkTeamKeys, signTeamKeys, teamKeysOf } from '../../src/shared/team-keys.js';
import { accepted } from '../helpers/briefs.js';

const operator = newKeyPair();
const worker = newKeyPair();
const known = [accepted(operator, 'operator'), accepted(worker, 'worker')];
const keys = known.map(({ retired: _, ...key }) => key);
const fresh = { team: 'tidy-01J', keys, key_id: null, signature: null, prompt: 'tidy up' };

test('the list of a team is signed with its id, shown without the rest, and taken where the key counts', () => {
  const started = signTeamKeys(fresh, operator);
  expect(started.prompt).toBe('tidy up');
  const shown = JSON.parse(JSON.stringify(teamKeysOf(started)));
  expect(Object.keys(shown)).toEqual(['team', 'keys', 'key_id', 'signature']);
  expect(checkTeamKeys(shown, known)).toMatchObject({ kind: 'signed', by: { id: operator.id } });
});

const signedList = signTeamKeys(fresh, operator);
test.each<[string, Parameters<typeof checkTeamKeys>[0], Parameters<typeof checkTeamKeys>[1], string]>([
  ['nobody has signed', fresh, known, 'unsigned'],
  ['of another team', { ...signedList, team: 'other-01J' }, known, 'bad_signature'],
  ['with one key more', { ...signedList, keys: [...keys, keys[0] as never] }, known, 'bad_signature'],
  [
    'whose worker was made an operator',
    { ...signedList, keys: keys.map((key) => ({ ...key, role: 'operator' as const })) },
    known,
    'bad_signature',
  ],
  ['that a worker has signed', signTeamKeys(fresh, worker), known, 'wrong_role'],
  ['of somebody unknown', signTeamKeys(fresh, newKeyPair()), known, 'unknown_key'],
  ['of a retired key', signedList, known.map((key) => ({ ...key, retired: true })), 'retired_key'],
])('a list %s is refused', (_, said, counts, code) => {
  expect(checkTeamKeys(said, counts)).toMatchObject({ kind: 'refused', code });
});
