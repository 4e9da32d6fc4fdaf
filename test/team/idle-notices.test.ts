// Idle notices wake nobody but the lead, and coalesce; dead letters are told of (spec/team.md §5).
import { expect, test } from 'vitest';
import { renderMessages } from '../../src/team/show/render-message.js';
import { statusView } from '../../src/team/show/status.js';
import type { Message } from '../../src/team/state.js';
import { OPERATOR, Team } from '../helpers/build-state.js';

const idle = (team: Team): string[] =>
  team.facts('mail.sent').flatMap((fact) => (fact.kind === 'idle' ? [`${fact.from}: ${fact.body}`] : []));

test('one without a text adds nothing while one of the same member is unread; a text is never left out', () => {
  const team = Team.start({ seats: ['lead', 'worker', 'other'] });
  team.awake('lead');
  const turns = (member: string, text: string | null): void => {
    team.mail('operator', member);
    team.awake(member);
    team.end(member, { text, calls: 1 });
  };
  turns('worker', null);
  turns('worker', null);
  turns('other', null);
  turns('worker', 'found it');
  turns('worker', '  ');
  turns('worker', 'and more');
  expect(idle(team)).toEqual(['worker: ', 'other: ', 'worker: found it', 'worker: and more']);
  team.read('lead');
  turns('worker', null);
  expect(idle(team).at(-1)).toBe('worker: ');
  expect(idle(team)).toHaveLength(5);
});

test('an idle notice is due for nobody but the lead', () => {
  const team = Team.start({ seats: ['lead', 'worker', 'other'] });
  team.idles('lead');
  team.mail('operator', 'worker');
  team.idles('worker');
  expect(team.due()).toEqual(['lead']);
});

test('several in one input are one block, at the place of the first', () => {
  const message = (id: string, kind: Message['kind'], from: string, body: string): Message => ({
    id,
    number: 1,
    kind,
    from,
    to: ['lead'],
    body,
    task: null,
    sentAt: 0,
    pending: new Set(['lead']),
  });
  const text = renderMessages([
    message('m1', 'idle', 'worker', ''),
    message('m2', 'report', 'runtime', 'a report'),
    message('m3', 'idle', 'other', 'all is well'),
  ]);
  expect(text).toMatch(
    /^\[m1: worker is idle\]\n\[m3: other is idle; its last words\]\n<<text m3 by other (~\w+)\nall is well\n\1>>\n\n\[m2: from the team runtime\]\na report$/,
  );
});

test('a message that nobody will read is told of: who, to whom, why, its head', () => {
  const team = Team.start({ seats: ['lead', 'worker', 'other'] });
  team.awake('lead');
  team.mail('lead', 'wroker', 'where are you?\nI wait');
  team.mail('lead', 'other', 'stay');
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'other', reason: '' });
  const [misspelt, bounced] = statusView(team.state, 'team').dead_letters;
  expect(misspelt).toEqual({
    id: 'd1',
    from: 'lead',
    to: 'wroker',
    reason: 'unknown',
    line: 'where are you?\\nI wait',
  });
  expect(bounced).toMatchObject({ from: 'lead', to: 'other', reason: 'stopped', line: 'stay' });
  expect(statusView(team.state, 'team').mail.dead).toBe(2);
});
