/** Refusals of what operators say to a team that is signed, in which their word does not count. */

import { newKeyPair } from '../../../src/shared/signature.js';
import type { Command } from '../../../src/team/command.js';
import { OPERATOR } from '../../helpers/build-start.js';
import type { Team } from '../../helpers/build-state.js';
import { signedTeam } from '../../helpers/signed-team.js';
import { decide, type Row, resume } from './given.js';

const ann = newKeyPair();
const ben = newKeyPair();

/** A signed team of ann's in which somebody speaks without a key, or with another. */
const spokenTo = (pairs: Team['pairs']): Team => {
  const team = signedTeam(ann);
  team.mail('operator', 'worker');
  team.awake('worker');
  team.park('worker');
  team.pairs = pairs;
  return team;
};

const mail: Command = { kind: 'mail.send', by: OPERATOR, to: 'lead', body: 'go on', task: null };
const lose: Command = { kind: 'workspace.lose', host: 'vm-1', detail: 'gone', missingArtifacts: [] };

const WORDS: readonly Command[] = [
  decide('r1'),
  mail,
  lose,
  resume,
  { kind: 'run.stop', by: 'ben', cause: 'stop' },
  { kind: 'run.kill', by: 'ben' },
  { kind: 'run.archive', by: 'ben' },
  { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough' },
  { kind: 'task.create', by: OPERATOR, tasks: [] },
];

export const SIGNED_REFUSALS: readonly Row[] = WORDS.flatMap((word): Row[] => [
  [
    'unsigned_word',
    new RegExp(`you have no key here; it counts of ${ann.id} \\(ann\\)\\. Make one with bnerd keys init`),
    () => spokenTo([]),
    () => word,
  ],
  [
    'unknown_signer',
    new RegExp(
      `key ${ben.id} is not one of this team, .* ${ann.id} \\(ann\\); one of them takes your key in`,
    ),
    () => spokenTo([ben]),
    () => word,
  ],
]).concat([
  [
    'unknown_signer',
    new RegExp(`key ${ann.id} is retired in this team, in which the word counts of ${ben.id}`),
    () => {
      const team = spokenTo([ann]);
      const keys = [{ id: ben.id, key: ben.key, name: 'ben', role: 'operator' as const }];
      team.ok({ ...resume, keys, retiredKeys: [ann.id] });
      return team;
    },
    () => mail,
  ],
]);
