// Text that nobody has approved, and files that change while a chat goes on (spec/skills.md §4, §8).
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/shared/errors.js';
import { decideRegistry } from '../../src/skills/registry.js';
import { anEntry, fileOf, registryOf } from '../skills/entries.js';
import { loads, NEVER, provides, results, section, systemOf, talk, toolNames } from './talk.js';

const answers = (): { text: string } => ({ text: 'ok' });

/** Loads a name in the first round and ends in the second. */
const asks =
  (name: string) =>
  (_: unknown, count: number): { calls: ReturnType<typeof loads>[] } | { text: string } =>
    count === 1 ? { calls: [loads(name)] } : { text: 'ok' };

describe('untrusted text', () => {
  const secret = {
    name: 'lore',
    description: 'UNTRUSTED-DESCRIPTION',
    body: 'UNTRUSTED-BODY',
    keywords: ['untrustedword'],
    tools: [provides('untrusted_tool')],
    tier: 'project' as const,
    path: '/p/.bnerd/skills/lore.md',
    trust: 'reference' as const,
  };
  const verdict = { kind: 'untrusted', changed: false } as const;

  test('no byte of it is sent, by no way, and the way out is told to the operator alone', async () => {
    const always = anEntry({
      ...secret,
      name: 'lore-rule',
      kind: 'rule',
      path: '/p/.bnerd/rules/lore-rule.md',
      alwaysOn: true,
    });
    const registry = decideRegistry([
      fileOf(anEntry(secret), { verdict }),
      fileOf(always, { verdict }),
      fileOf(anEntry({ name: 'other' })),
    ]);
    const { say, chat, requests } = await talk(registry, asks('lore'));
    await say('hello untrustedword');
    expect(await chat.load('lore', NEVER)).toMatch(
      /^"lore" was not loaded: not used: nobody has approved it \(\/p\/\.bnerd\/skills\/lore\.md; bnerd trust /,
    );
    await say('again');
    for (const { system, tools } of requests) {
      expect(JSON.stringify([system, tools])).not.toMatch(/lore|UNTRUSTED|untrusted_tool|untrustedword/);
    }
    expect(results(requests[1])).toEqual(['"lore" was not loaded: nobody has approved it']);
    expect(await chat.skills(NEVER)).not.toContain('lore');
  });

  test('the trusted entry of the same name still is', async () => {
    const trusted = anEntry({
      name: 'lore',
      description: 'What we know',
      body: 'The trusted text.',
      keywords: ['known'],
    });
    const registry = decideRegistry([fileOf(trusted), fileOf(anEntry(secret), { verdict })]);
    const { say, requests } = await talk(registry, asks('lore'));
    await say('hello untrustedword');
    expect(section(requests[0], 'available-skills')).toContain('- lore: What we know');
    expect(results(requests[1])).toEqual(['[Skill: lore]\nThe trusted text.']);
    expect(section(requests[1], 'active-skills')).toContain('The trusted text.');
    expect(JSON.stringify(requests)).not.toMatch(/UNTRUSTED-|untrusted_tool/);
  });

  test('an approval that is taken away while the chat goes on: the entry leaves before the next round', async () => {
    const entry = anEntry({ ...secret, trust: 'instruction', keywords: [], alwaysOn: true });
    const trusted = decideRegistry([fileOf(entry, { verdict: { kind: 'trusted', by: 'ann' } })]);
    const { say, requests, files, notes } = await talk(trusted, answers);
    await say('one');
    files(
      decideRegistry([fileOf({ ...entry, trust: 'reference' }, { verdict: { kind: 'revoked', by: 'bob' } })]),
    );
    await say('two');
    expect(section(requests[0], 'active-skills')).toContain('UNTRUSTED-BODY');
    expect(toolNames(requests[0])).toEqual(['untrusted_tool']);
    expect(systemOf(requests[1])).not.toContain('UNTRUSTED');
    expect(toolNames(requests[1])).toEqual([]);
    expect(notes).toContainEqual({
      kind: 'left-out',
      name: 'lore',
      reason: 'its file is gone, or nobody has approved it as it is',
    });
  });

  test('an approval that is taken away between the offer and the call refuses the call', async () => {
    const entry = anEntry({ ...secret, trust: 'instruction', keywords: [] });
    const trusted = decideRegistry([fileOf(entry, { verdict: { kind: 'trusted', by: 'ann' } })]);
    const gone = decideRegistry([fileOf({ ...entry, trust: 'reference' }, { verdict })]);
    const { say, requests, files } = await talk(trusted, (_, count) => {
      if (count > 1) return { text: 'ok' };
      files(gone);
      return { calls: [loads('lore')] };
    });
    await say('go');
    expect(results(requests[1])).toEqual(['"lore" was not loaded: nobody has approved it']);
    expect(systemOf(requests[1])).not.toContain('UNTRUSTED');
  });
});

describe('an approval that is taken away inside of one message', () => {
  const entry = anEntry({ name: 'lore', alwaysOn: true, body: 'LORE-BODY', tools: [provides('lore_tool')] });
  const withLore = registryOf([entry]);
  const without = registryOf([]);

  test('the text is not in the next round, though nobody has typed anything', async () => {
    const { say, requests, files } = await talk(withLore, (_, count) => {
      if (count > 1) return { text: 'ok' };
      files(without);
      return { calls: [{ tool: 'no_such_tool', arguments: {} }] };
    });
    await say('go');
    expect(systemOf(requests[0])).toContain('LORE-BODY');
    expect(systemOf(requests[1])).not.toContain('LORE-BODY');
    expect(toolNames(requests[1])).toEqual([]);
  });

  test('a tool that the model was told of does not run any more', async () => {
    const call = { tool: 'lore_tool', arguments: {} };
    const { say, requests, files } = await talk(withLore, (_, count) => {
      if (count === 2) files(without);
      return count > 2 ? { text: 'ok' } : { calls: [call] };
    });
    await say('go');
    expect(results(requests[1])).toEqual(['lore_tool ran']);
    expect(results(requests[2])).toEqual([
      'denied, not run: "lore", which brings lore_tool, is not active any more as it was',
    ]);
  });

  test('nor does one whose entry says something else by now', async () => {
    const other = registryOf([anEntry({ ...entry, body: 'Another text.' })]);
    const { say, requests, files } = await talk(withLore, (_, count) => {
      if (count > 1) return { text: 'ok' };
      files(other);
      return { calls: [{ tool: 'lore_tool', arguments: {} }] };
    });
    await say('go');
    expect(results(requests[1])[0]).toMatch(/^denied, not run: "lore"/);
    expect(toolNames(requests[1])).toEqual(['lore_tool']);
  });
});

describe('files that cannot be looked at', () => {
  test('end the message as failed, and nothing is asked', async () => {
    const { say, requests } = await talk([anEntry()], answers, {
      reload: async () => {
        throw new UserError('places-refused', 'the folder is gone');
      },
    });
    expect(await say('go')).toEqual({ kind: 'failed', code: 'places-refused', error: 'the folder is gone' });
    expect(requests).toEqual([]);
  });

  test('refuse a load as a result', async () => {
    const registry = registryOf([anEntry({ name: 'that' })]);
    let looks = 0;
    const { say, requests } = await talk(registry, asks('that'), {
      reload: async () => {
        if (++looks === 2) throw new UserError('places-refused', 'the folder is gone');
        return registry;
      },
    });
    expect(await say('go')).toEqual({ kind: 'answered' });
    expect(results(requests[1])).toEqual(['"that" was not loaded: the folder is gone']);
  });

  test('end a message between two rounds as well, and give the place at the provider back', async () => {
    const registry = registryOf([anEntry({ name: 'that' })]);
    let looks = 0;
    let left = 0;
    const { say, requests } = await talk(registry, asks('that'), {
      reload: async () => {
        if (++looks > 2) throw new UserError('places-refused', 'the folder is gone');
        return registry;
      },
      gate: {
        enter: () => ({ kind: 'open' }),
        refused: () => 5,
        unanswered: () => 7,
        answered: () => {},
        left: () => left++,
      },
    });
    expect(await say('go')).toEqual({ kind: 'failed', code: 'places-refused', error: 'the folder is gone' });
    expect([requests.length, left]).toEqual([1, 1]);
  });
});

describe('files that change', () => {
  const lore = anEntry({ name: 'lore', alwaysOn: true });

  test.each([
    ['a tool of ours', [provides('fs_write_file')], /its tool "fs_write_file" has the name of a tool/],
    ['a tool of another active entry', [provides('say')], /its tool "say" has the name of a tool of zebra/],
  ])(
    'an active entry that is edited to bring %s leaves: it gets in by no other way either',
    async (_, tools, reason) => {
      const zebra = anEntry({ name: 'zebra', alwaysOn: true, tools: [provides('say')] });
      const { say, requests, notes, files } = await talk([lore, zebra], answers);
      await say('one');
      files(registryOf([{ ...lore, tools, digest: '1:edited' }, zebra]));
      await say('two');
      expect(section(requests[0], 'active-skills')).toContain('Body of lore.');
      expect(section(requests[1], 'active-skills')).not.toContain('Body of lore.');
      expect(toolNames(requests[1]).filter((name) => name !== 'skill')).toEqual(['say']);
      expect(notes).toContainEqual({ kind: 'left-out', name: 'lore', reason: expect.stringMatching(reason) });
    },
  );

  test('an active skill does not become a process by an edit', async () => {
    const { say, requests, notes, files } = await talk([lore], answers);
    await say('one');
    files(registryOf([{ ...lore, process: true, digest: '1:edited' }]));
    await say('two');
    expect(systemOf(requests[1])).not.toContain('Body of lore.');
    expect(notes).toContainEqual({
      kind: 'left-out',
      name: 'lore',
      reason: 'it has become a process, which only a person begins',
    });
  });

  test('an edited entry of a trusted place is shown as it is from the next message on', async () => {
    const { say, requests, files } = await talk(
      [anEntry({ name: 'a', alwaysOn: true, body: 'Old.' })],
      answers,
    );
    await say('one');
    files(registryOf([anEntry({ name: 'a', alwaysOn: true, body: 'New.' }), anEntry({ name: 'b' })]));
    await say('two');
    expect(section(requests[1], 'active-skills')).toContain('New.');
    expect(section(requests[1], 'available-skills')).toContain('- b: ');
  });
});
