import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noAdditions, parseAdditions } from '../../../src/skills/choose/additions.js';
import { type ForceLoaded, type ForceLoadRequest, forceLoad } from '../../../src/skills/choose/force-load.js';
import type { Capability, Entry } from '../../../src/skills/entry.js';
import { renderForSystem } from '../../../src/skills/render.js';
import { anEntry, registryOf } from '../entries.js';

interface Given extends Partial<Omit<ForceLoadRequest, 'registry' | 'additions'>> {
  readonly entries: readonly Entry[];
  readonly adds?: string;
}

function load({ entries, adds = '', ...request }: Given): ForceLoaded {
  return forceLoad({
    registry: registryOf(entries),
    role: 'code-reviewer',
    rolePath: 'roles/code-reviewer.md',
    roleSkills: [],
    additions: parseAdditions(adds, 'BNERD_AGENT_SKILLS').additions,
    granted: [],
    ...request,
  });
}

const namesOf = (loaded: ForceLoaded): string[] => loaded.entries.map(({ name }) => name);

const skills = ['a', 'b', 'c'].map((name) => anEntry({ name }));

describe('what a member starts with', () => {
  test('a role with skills: [a] has a and nothing else', () => {
    const loaded = load({ entries: skills, roleSkills: ['a'] });
    expect(namesOf(loaded)).toEqual(['a']);
    expect(loaded).toMatchObject({ rejected: [], omitted: [], refusals: [], notes: [] });
  });

  test('additions come on top of the list, for every role or for one', () => {
    expect(namesOf(load({ entries: skills, roleSkills: ['b'], adds: 'c,a' }))).toEqual(['a', 'b', 'c']);
    expect(namesOf(load({ entries: skills, adds: 'Code_Reviewer=a;writer=b' }))).toEqual(['a']);
  });

  test('named by the list and by an addition: composed once', () => {
    expect(namesOf(load({ entries: skills, roleSkills: ['a', 'a'], adds: 'a' }))).toEqual(['a']);
  });

  test('always-on rules that apply come along, always-on skills do not', () => {
    const entries = [
      anEntry({ kind: 'rule', name: 'everyone' }),
      anEntry({ kind: 'rule', name: 'team-mode', appliesTo: ['team'] }),
      anEntry({ kind: 'rule', name: 'by-role', appliesTo: ['Code Reviewer'] }),
      anEntry({ kind: 'rule', name: 'chat-only', appliesTo: ['chat', 'code', 'pa'] }),
      anEntry({ kind: 'rule', name: 'nobody', appliesTo: [] }),
      anEntry({ kind: 'rule', name: 'on-demand', alwaysOn: false }),
      anEntry({ kind: 'skill', name: 'always-on-skill', alwaysOn: true }),
    ];
    expect(namesOf(load({ entries }))).toEqual(['by-role', 'everyone', 'team-mode']);
  });

  test('applies_to never blocks what a role names', () => {
    const entries = [
      anEntry({ kind: 'rule', name: 'chat-rule', appliesTo: ['chat'] }),
      anEntry({ name: 'other-role', appliesTo: ['writer'] }),
    ];
    expect(namesOf(load({ entries, roleSkills: ['other-role', 'chat-rule'] }))).toEqual([
      'chat-rule',
      'other-role',
    ]);
  });

  test('rules stand before skills, each in byte order of name', () => {
    const entries = [
      anEntry({ name: 'B' }),
      anEntry({ name: 'a' }),
      anEntry({ kind: 'rule', name: 'z' }),
      anEntry({ kind: 'rule', name: 'Ä' }),
    ];
    expect(namesOf(load({ entries, roleSkills: ['a', 'B'] }))).toEqual(['z', 'Ä', 'B', 'a']);
  });
});

describe('names', () => {
  test('an unknown skill refuses, with the name and a suggestion', () => {
    const loaded = load({ entries: [anEntry({ name: 'code-review' })], roleSkills: ['code-reveiw'] });
    expect(loaded.refusals).toEqual([
      {
        code: 'unknown-skill',
        severity: 'error',
        path: 'roles/code-reviewer.md',
        message: 'no skill or rule is named "code-reveiw"',
        remedy: 'did you mean "code-review"?',
      },
    ]);
  });

  test('an unknown addition refuses too and points at the variable', () => {
    expect(load({ entries: skills, adds: 'zzz' }).refusals).toMatchObject([
      { code: 'unknown-skill', path: 'BNERD_AGENT_SKILLS' },
    ]);
  });

  test('one unknown name hides no other', () => {
    expect(load({ entries: skills, roleSkills: ['x1', 'a', 'x2'] }).refusals).toHaveLength(2);
  });

  test('a directory name that is unique is accepted for a name, with a note', () => {
    const entry = anEntry({ name: 'Write a news article', path: 'skills/news/SKILL.md' });
    const flat = anEntry({ name: 'Another', path: 'skills/other.md' });
    const loaded = load({ entries: [entry, flat], roleSkills: ['news', 'other'] });
    expect(loaded.entries).toEqual([flat, entry]);
    expect(loaded.refusals).toEqual([]);
    expect(loaded.notes).toMatchObject([
      {
        code: 'skill-by-directory',
        severity: 'info',
        message: expect.stringContaining('Write a news article'),
      },
      { code: 'skill-by-directory', severity: 'info' },
    ]);
  });

  test('a directory name that two entries share is refused', () => {
    const entries = [
      anEntry({ name: 'One', path: 'x/news/SKILL.md' }),
      anEntry({ name: 'Two', path: 'y/news/SKILL.md' }),
    ];
    const loaded = load({ entries, roleSkills: ['news'] });
    expect(loaded.entries).toEqual([]);
    expect(loaded.refusals).toMatchObject([
      { code: 'unknown-skill', message: expect.stringContaining('more than one') },
    ]);
  });

  test('a name wins over a directory name', () => {
    const named = anEntry({ name: 'news' });
    const other = anEntry({ name: 'Other', path: 'x/news/SKILL.md' });
    expect(load({ entries: [other, named], roleSkills: ['news'] }).entries).toEqual([named]);
  });
});

describe('gates', () => {
  test('requires: [repo-workspace] and a member: the entry is absent and named with the capability, the member starts', () => {
    const engineer = anEntry({ name: 'implementation-craft', requires: ['repo-workspace'] });
    const loaded = load({
      entries: [engineer, ...skills],
      roleSkills: ['implementation-craft', 'a'],
      granted: ['workspace-write', 'shell', 'network', 'delegate'],
    });
    expect(namesOf(loaded)).toEqual(['a']);
    expect(loaded.rejected).toEqual([
      {
        entry: engineer,
        capability: 'repo-workspace',
        detail: 'implementation-craft requires repo-workspace, which this member is not granted',
      },
    ]);
    expect(loaded.refusals).toEqual([]);
  });

  test.each<[Capability[], boolean]>([
    [[], false],
    [['shell'], false],
    [['network'], false],
    [['network', 'shell'], true],
  ])('requires: [shell, network] with %j granted: composed %s', (granted, composed) => {
    const loaded = load({
      entries: [anEntry({ name: 'x', requires: ['shell', 'network'] })],
      roleSkills: ['x'],
      granted,
    });
    expect(namesOf(loaded)).toEqual(composed ? ['x'] : []);
    expect(loaded.rejected).toHaveLength(composed ? 0 : 1);
  });

  test('an always-on rule that requires what the member lacks is rejected, not silent', () => {
    const loaded = load({ entries: [anEntry({ kind: 'rule', name: 'r', requires: ['shell'] })] });
    expect(loaded).toMatchObject({ entries: [], rejected: [{ entry: { name: 'r' }, capability: 'shell' }] });
  });

  test('a process entry is omitted from a list of a role, with the reason', () => {
    const process = anEntry({ name: 'p', process: true, requires: ['shell'] });
    const loaded = load({ entries: [process, ...skills], roleSkills: ['p', 'a'] });
    expect(namesOf(loaded)).toEqual(['a']);
    expect(loaded.omitted).toEqual([
      { entry: process, reason: 'process', detail: expect.stringContaining('p is a process entry') },
    ]);
    expect(loaded.rejected).toEqual([]);
  });
});

test('the order of registry, list and additions changes no byte of what is composed', () => {
  const entries = ['r1', 'r2', 's1', 's2', 's3', 's4'].map((name) =>
    anEntry({ kind: name.startsWith('r') ? 'rule' : 'skill', name }),
  );
  const composed = (
    registryOrder: readonly Entry[],
    list: readonly string[],
    added: readonly string[],
  ): string => {
    const loaded = forceLoad({
      registry: registryOf(registryOrder),
      role: 'r',
      rolePath: 'r.md',
      roleSkills: list,
      additions: { ...noAdditions(), everyone: added },
      granted: [],
    });
    return loaded.entries.map((entry) => renderForSystem(entry)).join('\n\n');
  };
  const expected = composed(entries, ['s1', 's2'], ['s3', 's4']);
  const all = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
    fc.shuffledSubarray([...items], { minLength: items.length });
  fc.assert(
    fc.property(all(entries), all(['s1', 's2']), all(['s3', 's4']), (...orders) => {
      expect(composed(...orders)).toBe(expected);
    }),
  );
});
