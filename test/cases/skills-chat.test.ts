// Cases of the chat that loads on demand (spec/skills.md §8), by id: what the model is sent, round by round.
import { describe, expect, test } from 'vitest';
import type { ChatParts } from '../../src/chat/parts.js';
import type { ModelRequest } from '../../src/models/model.js';
import { decideRegistry } from '../../src/skills/registry.js';
import { shuffled } from '../chat/shuffled.js';
import {
  loads,
  provides,
  results,
  section,
  systemOf,
  type Talk,
  talk,
  told,
  toolNames,
} from '../chat/talk.js';
import { tokensSent } from '../chat/tokens-sent.js';
import { toolDefinitionOf } from '../chat/tool-of.js';
import { anEntry, fileOf, registryOf } from '../skills/entries.js';

describe('active at round 1', () => {
  test('B1: a rule without always_on is in the active rules at round 1', async () => {
    const { say, requests } = await talk(
      [anEntry({ kind: 'rule', name: 'house', body: 'Be plain.' })],
      () => ({
        text: 'ok',
      }),
    );
    await say('hello');
    expect(section(requests[0], 'active-rules')).toContain('[Rule: house] v1.0.0\n');
    expect(section(requests[0], 'active-rules')).toContain('Be plain.');
  });

  test('B3: a rule with always_on: false whose mode matches is absent from all three sections', async () => {
    const rule = anEntry({ kind: 'rule', name: 'quiet-rule', alwaysOn: false, appliesTo: ['chat'] });
    const others = [
      anEntry({ kind: 'rule', name: 'house' }),
      anEntry({ name: 'active', alwaysOn: true }),
      anEntry({ name: 'there' }),
    ];
    const { say, requests } = await talk([rule, ...others], () => ({ text: 'ok' }));
    await say('hello');
    for (const name of ['active-rules', 'active-skills', 'available-skills']) {
      expect(section(requests[0], name)).toBeDefined();
      expect(section(requests[0], name)).not.toContain('quiet-rule');
    }
    expect(systemOf(requests[0])).not.toContain('quiet-rule');
    expect(JSON.stringify(requests[0]?.tools)).not.toContain('quiet-rule');
  });

  test('N31: an on-demand skill is listed; one that is always on, and one that nobody approved, is not', async () => {
    const listed = anEntry({ name: 'on-demand' });
    const always = anEntry({ name: 'always', alwaysOn: true });
    const stranger = anEntry({
      name: 'stranger',
      tier: 'project',
      path: '/p/.bnerd/skills/stranger.md',
      trust: 'reference',
    });
    const registry = decideRegistry([
      fileOf(listed),
      fileOf(always),
      fileOf(stranger, { verdict: { kind: 'untrusted', changed: false } }),
    ]);
    const { say, requests } = await talk(registry, () => ({ text: 'ok' }));
    await say('hello');
    expect(section(requests[0], 'available-skills')).toContain('- on-demand: What on-demand is for');
    expect(section(requests[0], 'available-skills')).not.toContain('always');
    expect(section(requests[0], 'active-skills')).toContain('Body of always.');
    expect(systemOf(requests[0])).not.toContain('stranger');
    expect(toolDefinitionOf(requests[0], 'skill').names).toEqual(['on-demand']);
  });
});

describe('a load by the model', () => {
  const loadsOnce =
    (
      name: string,
    ): ((request: ModelRequest, count: number) => { calls: ReturnType<typeof loads>[] } | { text: string }) =>
    (_, count) =>
      count === 1 ? { calls: [loads(name)] } : { text: `got ${count}` };

  test('B5: the result at round n is the body; at n+1 it is in active skills and not in the directory', async () => {
    const skill = anEntry({ name: 'flux', body: 'Look at the conditions.' });
    const { say, requests } = await talk([skill, anEntry({ name: 'other' })], loadsOnce('flux'));
    await say('why does it not reconcile?');
    const [n, next] = requests;
    expect(section(n, 'active-skills')).toBeUndefined();
    expect(section(n, 'available-skills')).toContain('- flux: ');
    expect(systemOf(n)).not.toContain('Look at the conditions.');
    expect(results(next)).toEqual(['[Skill: flux]\nLook at the conditions.']);
    expect(section(next, 'active-skills')).toContain('Look at the conditions.');
    expect(section(next, 'available-skills')).not.toContain('flux');
    expect(section(next, 'available-skills')).toContain('- other: ');
    expect(toolDefinitionOf(next, 'skill').names).toEqual(['other']);
  });

  test('B6: its tool is not in the list of round n, where a call to it is an unknown tool; at n+1 it is there and runs', async () => {
    const skill = anEntry({ name: 'deployer', tools: [provides('deploy')], tier: 'global' });
    const { say, requests } = await talk([skill], (_, count) => {
      if (count === 1) return { calls: [loads('deployer'), { tool: 'deploy', arguments: {} }] };
      if (count === 2) return { calls: [{ tool: 'deploy', arguments: {} }] };
      return { text: 'done' };
    });
    await say('ship it');
    const [n, next, last] = requests;
    expect(toolNames(n)).toEqual(['skill']);
    expect(results(next)[1]).toContain('unknown tool "deploy"');
    expect(toolNames(next)).toEqual(['deploy']);
    expect(results(last)).toEqual(['deploy ran']);
  });

  test('B6: when the entry stops being active its tool leaves at the next round', async () => {
    const skill = anEntry({ name: 'deployer', tools: [provides('deploy')], tier: 'global' });
    const { say, chat, requests } = await talk([skill], loadsOnce('deployer'));
    await say('ship it');
    expect(toolNames(requests[1])).toEqual(['deploy']);
    chat.unload('deployer');
    await say('and now?');
    expect(toolNames(requests[2])).toEqual(['skill']);
  });

  test('N33: loaded twice: the second says already loaded, and the system message is byte-identical', async () => {
    const { say, requests } = await talk(
      [anEntry({ name: 'flux' }), anEntry({ name: 'other' })],
      (_, count) => (count < 3 ? { calls: [loads('flux')] } : { text: 'ok' }),
    );
    await say('go');
    const [, second, third] = requests;
    expect(results(third)).toEqual(['"flux" is already loaded: its full text stands in the system prompt.']);
    expect(third?.system).toEqual(second?.system);
    expect(third?.tools).toEqual(second?.tools);
  });

  test('N33: twice in one reply: once the text, then already loaded', async () => {
    const { say, requests } = await talk([anEntry({ name: 'flux' })], (_, count) =>
      count === 1 ? { calls: [loads('flux'), loads('flux')] } : { text: 'ok' },
    );
    await say('go');
    expect(results(requests[1])).toEqual([
      '[Skill: flux]\nBody of flux.',
      '"flux" is already loaded: its full text stands in the system prompt.',
    ]);
  });

  test('U18: requested again when the catalogue offers nothing any more: already loaded, nothing is attached', async () => {
    const { say, requests } = await talk([anEntry({ name: 'flux' })], (_, count) =>
      count < 3 ? { calls: [loads('flux')] } : { text: 'ok' },
    );
    await say('go');
    expect(toolNames(requests[1])).toEqual([]);
    expect(results(requests[2])).toEqual([
      '"flux" is already loaded: its full text stands in the system prompt.',
    ]);
    expect(requests[2]?.system).toEqual(requests[1]?.system);
    expect(JSON.stringify(requests[2]).split('Body of flux.').length - 1).toBe(2); // the first result, and the section
  });

  test.each([
    ['missing', {}, 'found nothing'],
    ['empty', { name: '' }, 'found ""'],
    ['blank', { name: '  ' }, 'found "  "'],
    ['an empty list', { name: [] }, 'found []'],
    ['no text', { name: ['flux'] }, 'found ["flux"]'],
    ['not even an object', 'flux', 'found nothing'],
  ])('U20: a name that is %s is an input error naming the field', async (_, args, found) => {
    const { say, requests } = await talk([anEntry({ name: 'flux' })], (_request, count) =>
      count === 1 ? { calls: [{ tool: 'skill', arguments: args }] } : { text: 'ok' },
    );
    await say('go');
    expect(results(requests[1])).toEqual([
      `skill was not run, its arguments are wrong:\n- argument "name": ${found}; allowed: the exact name of one skill that is offered`,
    ]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', failed: true });
    expect(requests[1]?.system).toEqual(requests[0]?.system);
  });
});

describe('the same bytes', () => {
  test('B8: 50 rounds in which nothing changes, over registries in random order: the block is byte-identical 50 times', async () => {
    const entries = [
      ...['zeta', 'alpha', 'Mid', 'ähnlich', 'b'].map((name) => anEntry({ kind: 'rule', name })),
      ...['zz', 'aa', 'Aa', 'é', 'm'].map((name) => anEntry({ name, alwaysOn: true })),
      ...['y', 'x', 'Ö', 'o'].map((name) => anEntry({ name, tools: [provides(`t_${name.charCodeAt(0)}`)] })),
    ];
    const { say, requests, files } = await talk(registryOf(shuffled(entries, 0)), () => ({ text: 'ok' }));
    for (let round = 1; round <= 50; round++) {
      files(registryOf(shuffled(entries, round)));
      await say(`message ${round}`);
    }
    expect(requests).toHaveLength(50);
    const blocks = new Set(requests.map(({ system, tools }) => JSON.stringify([system, tools])));
    expect(blocks.size).toBe(1);
  });

  test('B8: the order in which entries were loaded does not show either', async () => {
    const entries = ['a', 'b', 'c'].map((name) => anEntry({ name, tools: [provides(`tool_${name}`)] }));
    const sent = async (order: readonly string[]): Promise<string> => {
      const { say, chat, requests } = await talk(entries, () => ({ text: 'ok' }));
      for (const name of order) await chat.load(name, new AbortController().signal);
      await say('go');
      return JSON.stringify([requests[0]?.system, requests[0]?.tools]);
    };
    expect(await sent(['a', 'b', 'c'])).toBe(await sent(['c', 'a', 'b']));
  });
});

describe('N35: the tenth of the window that a load has to leave', () => {
  const skill = anEntry({ name: 'large', description: 'Large', body: 'x'.repeat(4_001) });
  const play = (_: ModelRequest, count: number): { calls: ReturnType<typeof loads>[] } | { text: string } =>
    count === 1 ? { calls: [loads('large')] } : { text: 'ok' };

  /** What the request after the load has in it, counted from the request itself. */
  async function used(): Promise<number> {
    const { say, requests } = await talk([skill], play);
    await say('go');
    return tokensSent(requests[1]);
  }

  const within = (tokens: number): Promise<Talk> =>
    talk([skill], play, { window: { tokens, known: true, model: 'test/far-side' }, maxOutputTokens: 1 });

  test('a section that leaves exactly 10 % is accepted, one token less is refused with the sizes', async () => {
    const after = await used();
    // The largest window of which the load leaves too little, and the smallest of which it leaves enough.
    const enough = Math.ceil((after * 10) / 9);
    expect((enough - after) * 10).toBeGreaterThanOrEqual(enough);
    expect((enough - 1 - after) * 10).toBeLessThan(enough - 1);
    const accepted = await within(enough);
    await accepted.say('go');
    expect(results(accepted.requests[1])[0]).toContain('[Skill: large]');
    const refused = await within(enough - 1);
    await refused.say('go');
    const [text] = results(refused.requests[1]);
    expect(text).toContain('"large" was not loaded: it takes ');
    expect(text).toContain(
      `would leave ${enough - 1 - after} of the ${enough - 1} of test/far-side, less than 10 %`,
    );
    expect(refused.requests[1]?.system).toEqual(refused.requests[0]?.system);
  });

  test('exactly a tenth: a window of ten times what is left', async () => {
    const after = await used();
    // Padded by the message until the window divides by ten.
    for (let pad = 0; pad < 40; pad++) {
      const { say, requests } = await talk([skill], play);
      await say(`go${'.'.repeat(pad)}`);
      const tokens = tokensSent(requests[1]);
      if (tokens % 9 !== 0) continue;
      const window = (tokens / 9) * 10;
      const exact = await within(window);
      await exact.say(`go${'.'.repeat(pad)}`);
      expect(window - tokens).toBe(window / 10);
      expect(results(exact.requests[1])[0]).toContain('[Skill: large]');
      const oneLess = await within(window - 1);
      await oneLess.say(`go${'.'.repeat(pad)}`);
      expect(results(oneLess.requests[1])[0]).toContain('was not loaded');
      return;
    }
    throw new Error(`no length fits, from ${after} on`);
  });

  test('a window that nobody knows counts 32,768 and says so', async () => {
    const huge = anEntry({ name: 'large', description: 'Large', body: 'x'.repeat(65_536) });
    const window = { tokens: 32_768, known: false, model: 'local/m' };
    const { say, requests } = await talk([huge], play, { window });
    await say('go');
    expect(results(requests[1])[0]).toContain('the window of local/m is not known and counts as 32768');
  });
});

describe('allowed tools', () => {
  test('N36: A allows nothing, B that lists tools is loaded: B loads, tools are still none, the load tool is still callable', async () => {
    const a = anEntry({ name: 'a', alwaysOn: true, allowedTools: [] });
    const b = anEntry({ name: 'b', allowedTools: ['Read', 'run_b'], tools: [provides('run_b')] });
    const tools: ChatParts['tools'] = new Map([['fs_read_file', told(provides('fs_read_file'))]]);
    const { say, requests } = await talk(
      [a, b, anEntry({ name: 'c' })],
      (_, count) => {
        if (count === 1) return { calls: [loads('b')] };
        if (count === 2) return { calls: [{ tool: 'fs_read_file', arguments: {} }, loads('c')] };
        return { text: 'ok' };
      },
      { tools },
    );
    await say('go');
    const [first, second, third] = requests;
    expect(toolNames(first)).toEqual(['skill']);
    expect(results(second)[0]).toContain('[Skill: b]');
    expect(section(second, 'active-skills')).toContain('Body of b.');
    expect(toolNames(second)).toEqual(['skill']);
    expect(results(third)).toEqual([
      expect.stringContaining('unknown tool "fs_read_file"'),
      '[Skill: c]\nBody of c.',
    ]);
  });
});
