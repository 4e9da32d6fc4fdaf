import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRedisPrefix, redisNames } from '../../src/shared/redis-names.js';
import { matchesWildcard } from '../../src/shared/wildcard.js';

const TEAM = 'run-feature-01KBA2ZZZZZZZZZZZZZZZZZZZZ';

test('names begin with their prefix, and what is of one team has its id between braces', () => {
  const names = redisNames('acme');
  expect(names.log(TEAM)).toBe(`acme:{${TEAM}}:log`);
  expect(names.transcript(TEAM, 'Ann Lee')).toBe(`acme:{${TEAM}}:t:Ann Lee`);
  expect(names.turnLease(TEAM, 17)).toBe(`acme:{${TEAM}}:turn:17`);
  expect(names.up(TEAM, 'b.1')).toBe(`acme:{${TEAM}}:up:b.1`);
  expect(names.teams).toBe('acme:teams');
  expect(names.turns).toBe('acme-turns');
  expect(names.turnsOf('build-1.example')).toBe('acme-turns.build-1.example');
  expect(names.briefs('default')).toBe('acme-briefs.default');
});

test.each([
  ['', 'empty'],
  ['Acme', 'capitals'],
  ['a:b', 'a colon'],
  ['a{b', 'a brace'],
  ['-a', 'a hyphen in front'],
  ['a'.repeat(33), 'too long'],
  ['a\n', 'a line break'],
])('%j is no prefix: %s', (text) => {
  expect(isRedisPrefix(text)).toBe(false);
  expect(() => redisNames(text)).toThrow(
    expect.objectContaining({ code: 'redis-prefix', name: 'UserError' }),
  );
});

test.each(['a:b', 'a}b', '', '../x', 'a*b', 'a b'])(
  '%j cannot be the id of a team, a host or a brief',
  (id) => {
    const names = redisNames('acme');
    const refused = expect.objectContaining({ code: 'redis-name' });
    expect(() => names.log(id)).toThrow(refused);
    expect(() => names.turnsOf(id)).toThrow(refused);
    expect(() => names.brief(TEAM, id)).toThrow(refused);
  },
);

test.each(['a:b', '{a}', '', ' a', 'a\n'])('%j cannot be the name of a member', (member) => {
  expect(() => redisNames('acme').transcript(TEAM, member)).toThrow(
    expect.objectContaining({ code: 'redis-name' }),
  );
});

test('two tenants, or two teams of one, never share a name', () => {
  const prefix = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/);
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}$/);
  const all = (at: string, team: string, other: string): readonly string[] => {
    const names = redisNames(at);
    return [
      ...[
        names.log,
        names.blobs,
        names.snapshot,
        names.sizes,
        names.runLease,
        names.live,
        names.sweep,
        names.inbox,
        names.desk,
      ].map((name) => name(team)),
      ...[names.transcript, names.brief, names.taken, names.up].map((name) => name(team, other)),
      ...[names.teams, names.worker(other), names.runner(other), names.drain(other), names.queueKeys],
      ...[names.turns, names.turnsOf(other), names.briefs(other)],
    ];
  };
  return fc.assert(
    fc.property(prefix, prefix, id, id, (one, two, team, other) => {
      const mine = all(one, team, other);
      expect(new Set(mine).size).toBe(mine.length);
      if (one !== two) expect(mine.filter((name) => all(two, team, other).includes(name))).toEqual([]);
    }),
  );
});

test('every key has one kind, by which the users of a server are given it', () => {
  const names = redisNames('acme');
  const queue = (name: string): string => `${names.queueKeys}:${name}:wait`;
  const special: Readonly<Record<string, string>> = {
    seed: names.seed(names.log(TEAM)),
    turnLease: names.turnLease(TEAM, 7),
    turns: queue(names.turns),
    turnsOf: queue(names.turnsOf('h1')),
    briefs: queue(names.briefs('vm')),
  };
  const keys = Object.entries(names)
    .filter(([name]) => !/^(every|prefix$|outside$|queueKeys$)/.test(name))
    .map(([name, made]) => special[name] ?? (typeof made === 'function' ? made(TEAM, 'b.1') : made));
  const kindsOf = (key: string): readonly string[] =>
    Object.entries(names.everyOf).flatMap(([kind, pattern]) => (matchesWildcard(pattern, key) ? [kind] : []));
  expect(keys.filter((key) => kindsOf(key).length !== 1)).toEqual([]);
  expect(new Set(keys.flatMap(kindsOf))).toEqual(new Set(Object.keys(names.everyOf)));
});
