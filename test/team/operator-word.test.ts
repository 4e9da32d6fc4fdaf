import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { newKeyPair } from '../../src/shared/signature.js';
import { fold } from '../../src/state/team-store.js';
import { OPERATOR } from '../helpers/build-start.js';
import { sameState, Team } from '../helpers/build-state.js';
import { named, signedTeam } from '../helpers/signed-team.js';
import { decide, resume } from './refusals/given.js';

const ann = newKeyPair();
const ben = newKeyPair();

/** A signed team whose worker waits for a decision. */
function waiting(): Team {
  const team = signedTeam(ann);
  team.mail('operator', 'worker');
  team.awake('worker');
  team.park('worker', { always: 'git status' });
  return team;
}

/** The record, as it was written, with its newest entry changed. */
function tampered(team: Team, change: (entry: LogEntry) => LogEntry): () => unknown {
  const entries: LogEntry[] = JSON.parse(JSON.stringify(team.entries));
  const newest = entries.at(-1);
  if (newest === undefined) throw new Error('an empty record');
  return () => fold([...entries.slice(0, -1), change(newest)]);
}

const nobody = /is an operator's word, and carries no signature/;
const unsigned = undefined;

describe('a signed team', () => {
  test("folds from what was written to the state it had, operators' words and all", () => {
    const team = waiting();
    team.ok({
      kind: 'request.decide',
      by: OPERATOR,
      request: 'r1',
      decision: 'always',
      text: null,
      digest: null,
    });
    team.mail('operator', 'lead', 'go on');
    team.ok(resume);
    expect(sameState(fold(JSON.parse(JSON.stringify(team.entries))), team.state)).toBe(true);
  });

  test('says of every word whose it is, and of nothing else', () => {
    const team = waiting();
    team.ok(decide('r1'));
    const signers = team.entries.map(({ commands: [mark] }) => [
      mark?.id.split('/')[0],
      mark?.signed?.key_id,
    ]);
    expect(signers.filter(([, key]) => key !== undefined)).toEqual([
      ['run.start', ann.id],
      ['mail.send', ann.id],
      ['request.decide', ann.id],
    ]);
  });

  test('takes what members and processes record without a signature', () => {
    const team = waiting();
    team.ok(decide('r1'));
    team.pairs = [];
    team.awake('worker');
    team.end('worker');
    team.sweep();
    expect(() => fold(team.entries)).not.toThrow();
  });
});

describe('a record that holds what no operator of it has signed is refused', () => {
  const of = (type: string): Team => {
    const team = waiting();
    if (type === 'request.decided') team.ok(decide('r1'));
    if (type === 'mail.sent') team.mail('operator', 'lead', 'go on');
    if (type === 'run.resumed') team.ok(resume);
    if (type === 'run.stopping') team.ok({ kind: 'run.stop', by: 'ann', cause: 'stop' });
    return team;
  };
  const withMark =
    (signed: unknown) =>
    (entry: LogEntry): LogEntry =>
      ({ ...entry, commands: entry.commands.map((mark) => ({ ...mark, signed })) }) as LogEntry;

  test.each(['request.decided', 'mail.sent', 'run.resumed', 'run.stopping'])(
    '%s without a signature',
    (type) => {
      expect(tampered(of(type), withMark(unsigned))).toThrow(nobody);
      expect(tampered(of(type), withMark(unsigned))).toThrow(
        expect.objectContaining({ code: 'record-forged' }),
      );
    },
  );

  test.each(['request.decided', 'mail.sent', 'run.resumed', 'run.stopping'])(
    '%s with the signature of another word',
    (type) => {
      const other = signedTeam(ann).entries[0]?.commands[0]?.signed;
      expect(tampered(of(type), withMark(other))).toThrow(/is not what key [0-9a-f]{16} \(ann\) has signed/);
    },
  );

  test('a decision that was turned into another', () => {
    const turn = (entry: LogEntry): LogEntry => ({
      ...entry,
      facts: entry.facts.map((fact) =>
        fact.type === 'request.decided' ? { ...fact, decision: 'deny' } : fact,
      ),
    });
    expect(tampered(of('request.decided'), turn)).toThrow(/is not what key/);
  });

  test('a decision that was given about another call than the record tells of', () => {
    const team = waiting();
    const [request] = team.facts('request.opened');
    team.ok({ ...decide('r1'), digest: request?.digest ?? '' } as Parameters<Team['ok']>[0]);
    const entries: LogEntry[] = JSON.parse(JSON.stringify(team.entries));
    const swapped = entries.map((entry) => ({
      ...entry,
      facts: entry.facts.map((fact) =>
        fact.type === 'request.opened' ? { ...fact, digest: 'f'.repeat(64) } : fact,
      ),
    }));
    expect(() => fold(swapped)).toThrow(/r1 was decided about digest of .+ and is about ffffffffffff/);
  });

  test('a word of a key that a worker has, or that nobody knows', () => {
    const team = signedTeam(ann, { keys: [named(ben, 'vm-1', 'worker')] });
    team.mail('operator', 'lead');
    const bens = signedTeam(ben);
    bens.mail('operator', 'lead');
    const signed = bens.entries.at(-1)?.commands[0]?.signed;
    expect(tampered(team, withMark(signed))).toThrow(
      /key [0-9a-f]{16} \(vm-1\) is of a worker, which signs no word/,
    );
    const alone = signedTeam(ann);
    alone.mail('operator', 'lead');
    expect(tampered(alone, withMark(signed))).toThrow(/which nobody has accepted here/);
  });

  test.each<[string, (entry: LogEntry) => LogEntry, RegExp]>([
    [
      'with another task in its first entry',
      (entry) => ({
        ...entry,
        facts: entry.facts.map((fact) => (fact.type === 'mail.sent' ? { ...fact, body: 'other' } : fact)),
      }),
      /is not what key/,
    ],
    [
      'with one more operator',
      (entry) => ({
        ...entry,
        facts: entry.facts.map((fact) =>
          fact.type === 'run.started' ? { ...fact, keys: [...fact.keys, named(ben, 'ben')] } : fact,
        ),
      }),
      /run.started: the team is not what key/,
    ],
    [
      'whose operator has the key of another',
      (entry) => ({
        ...entry,
        facts: entry.facts.map((fact) =>
          fact.type === 'run.started' ? { ...fact, keys: [{ ...named(ann, 'ann'), key: ben.key }] } : fact,
        ),
      }),
      /run.started names a key [0-9a-f]{16} that is none/,
    ],
    [
      'whose start stands behind another fact',
      (entry) => ({ ...withMark(unsigned)(entry), facts: [...entry.facts].reverse() }),
      nobody,
    ],
  ])('a team %s', (_, change, says) => {
    expect(tampered(signedTeam(ann), change)).toThrow(says);
  });

  test('a word taken from where it stood', () => {
    const team = waiting();
    team.mail('operator', 'lead', 'delete it');
    const word = team.entries.at(-1);
    team.mail('operator', 'lead', 'no, keep it');
    expect(
      tampered(team, (entry) => ({ ...entry, facts: word?.facts ?? [], commands: word?.commands ?? [] })),
    ).toThrow(/is not what key/);
  });
});

describe('whose word counts', () => {
  test('changes by the word of who counts: a key that is taken in at a resume, one that is retired by it', () => {
    const team = waiting();
    team.pairs = [ben];
    expect(team.refusal({ ...resume, keys: [named(ben, 'ben')] })).toMatch(/^unknown_signer/);
    team.pairs = [ann];
    team.ok({ ...resume, keys: [named(ben, 'ben')] });
    team.pairs = [ben, ann];
    team.mail('operator', 'lead', 'from ben');
    expect(team.entries.at(-1)?.commands[0]?.signed?.key_id).toBe(ben.id);
    team.ok({ ...resume, retiredKeys: [ann.id] });
    team.pairs = [ann];
    expect(team.refusal(decide('r1'))).toMatch(/^unknown_signer: key [0-9a-f]{16} is retired in this team/);
    expect(sameState(fold(JSON.parse(JSON.stringify(team.entries))), team.state)).toBe(true);
  });

  test('is not asked in a team that nobody has signed', () => {
    const team = Team.start();
    team.mail('operator', 'lead');
    team.ok(resume);
    expect(team.entries.flatMap(({ commands }) => commands).some(({ signed }) => signed !== undefined)).toBe(
      false,
    );
  });
});
