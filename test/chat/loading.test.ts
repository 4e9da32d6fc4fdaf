// What becomes active in a chat, by which way, and what is refused with which words (spec/skills.md §8).
import { describe, expect, test } from 'vitest';
import { decideRegistry } from '../../src/skills/registry.js';
import { anEntry, fileOf } from '../skills/entries.js';
import { loads, NEVER, provides, results, section, systemOf, talk, toolNames } from './talk.js';
import { toolDefinitionOf } from './tool-of.js';

const answers = (): { text: string } => ({ text: 'ok' });

/** Loads a name in the first round and ends in the second. */
const asks =
  (name: string) =>
  (_: unknown, count: number): { calls: ReturnType<typeof loads>[] } | { text: string } =>
    count === 1 ? { calls: [loads(name)] } : { text: 'ok' };

describe('a keyword in the newest message of the user', () => {
  const helm = anEntry({ name: 'helm', keywords: ['helm', 'chart'], tools: [provides('lint_chart')] });

  test('wakes an entry at the round of that message, with its tools, and it stays', async () => {
    const { say, requests, notes } = await talk([helm], answers);
    await say('hello');
    await say('look at the Chart');
    await say('go on');
    expect(requests.map((request) => section(request, 'active-skills') !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    expect(requests.map(toolNames)).toEqual([['skill'], ['lint_chart'], ['lint_chart']]);
    expect(notes).toContainEqual({ kind: 'became-active', name: 'helm', why: 'keyword', detail: 'chart' });
  });

  test('never in the result of a tool, nor in what the model says', async () => {
    const teller = anEntry({ name: 'teller', body: 'All about the chart.' });
    const { say, requests } = await talk([helm, teller], (_, count) =>
      count === 1 ? { text: 'helm helm', calls: [loads('teller')] } : { text: 'the chart' },
    );
    await say('hello');
    await say('go on');
    expect(results(requests[1])[0]).toContain('chart');
    for (const request of requests)
      expect(section(request, 'active-skills') ?? '').not.toContain('[Skill: helm]');
  });

  test('wakes a rule that is not always on, too', async () => {
    const rule = anEntry({ kind: 'rule', name: 'charts', alwaysOn: false, keywords: ['chart'] });
    const { say, requests } = await talk([rule], answers);
    await say('a chart');
    expect(section(requests[0], 'active-rules')).toContain('Body of charts.');
  });

  test('a manual unload wins for the session; a manual load brings it back', async () => {
    const { say, chat, requests } = await talk([helm], answers);
    await say('helm');
    expect(chat.unload('helm')).toBe('"helm" is unloaded');
    await say('helm again');
    expect(await chat.load('helm', NEVER)).toBe('"helm" is loaded');
    await say('and now');
    expect(requests.map((request) => section(request, 'active-skills') !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('an unload before any match wins as well', async () => {
    const { say, chat, requests } = await talk([helm], answers);
    expect(chat.unload('helm')).toBe('"helm" was not active; no keyword will load it');
    await say('helm');
    expect(section(requests[0], 'active-skills')).toBeUndefined();
  });

  test.each([
    ['another mode', { appliesTo: ['code'] }],
    ['a capability that the chat lacks', { requires: ['shell'] as const }],
    ['a process', { process: true }],
  ])('does not wake %s', async (_, fields) => {
    const { say, requests } = await talk([anEntry({ name: 'helm', keywords: ['helm'], ...fields })], answers);
    await say('helm');
    expect(systemOf(requests[0])).not.toContain('Body of helm.');
  });

  test('what would leave too little room is not woken, and that is told', async () => {
    const large = anEntry({ name: 'helm', keywords: ['helm'], body: 'x'.repeat(8_000) });
    const window = { tokens: 2_100, known: true, model: 'test/m' };
    const { say, requests, notes } = await talk([large], answers, { window, maxOutputTokens: 100 });
    await say('helm');
    expect(section(requests[0], 'active-skills')).toBeUndefined();
    expect(notes).toContainEqual({
      kind: 'left-out',
      name: 'helm',
      reason: expect.stringContaining('of the 2100 of test/m, less than 10 %'),
    });
  });
});

describe('what is offered', () => {
  test('by applies_to: the mode or the role, and nothing where neither is named', async () => {
    const entries = [
      anEntry({ name: 'for-all' }),
      anEntry({ name: 'for-chat', appliesTo: ['chat'] }),
      anEntry({ name: 'for-code', appliesTo: ['code', 'team'] }),
      anEntry({ name: 'for-role', appliesTo: ['Code Reviewer'] }),
    ];
    const plain = await talk(entries, answers);
    await plain.say('hi');
    expect(toolDefinitionOf(plain.requests[0], 'skill').names).toEqual(['for-all', 'for-chat']);
    const role = await talk(entries, answers, { use: { mode: 'chat', role: 'code-reviewer' } });
    await role.say('hi');
    expect(toolDefinitionOf(role.requests[0], 'skill').names).toEqual(['for-all', 'for-chat', 'for-role']);
  });

  test('chat.skills limits it by names and globs, where only * is special', async () => {
    const entries = ['demo.a', 'demoXa', 'a+b', 'aab', 'named'].map((name) => anEntry({ name }));
    const { say, requests } = await talk(entries, answers, { offered: ['demo.*', 'a+*', 'named'] });
    await say('hi');
    expect(toolDefinitionOf(requests[0], 'skill').names).toEqual(['a+b', 'demo.a', 'named']);
    expect(section(requests[0], 'available-skills')).not.toContain('demoXa');
  });

  test('the section, the schema and the mark + say the same', async () => {
    const entries = [
      anEntry({ name: 'one', description: 'First line\n  second line' }),
      anEntry({ name: 'two', appliesTo: ['code'] }),
      anEntry({ name: 'three', process: true }),
      anEntry({ name: 'four', alwaysOn: true }),
      anEntry({ kind: 'rule', name: 'five', alwaysOn: false }),
    ];
    const { say, chat, requests } = await talk(entries, answers);
    await say('hi');
    const { names, words } = toolDefinitionOf(requests[0], 'skill');
    expect(names).toEqual(['one']);
    expect(words).toBe('The skill to load:\n- one: First line second line');
    expect(section(requests[0], 'available-skills')).toMatch(/\n- one: First line second line$/);
    const marked = (await chat.skills(NEVER)).split('\n').filter((line) => line.startsWith('+'));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toContain('+ one ');
  });

  test('nothing offered, no tool', async () => {
    const { say, requests } = await talk([anEntry({ kind: 'rule', name: 'house' })], answers);
    await say('hi');
    expect(toolNames(requests[0])).toEqual([]);
  });
});

describe('a load that the model asks for is refused with the reason', () => {
  test.each([
    [
      'a rule',
      { kind: 'rule' as const, alwaysOn: false },
      'it is a rule, and only skills are loaded by this tool',
    ],
    ['another mode', { appliesTo: ['code'] }, 'it does not apply to the mode chat'],
    ['a process', { process: true }, 'it is a process entry, which is never loaded by this tool'],
    ['a capability', { requires: ['shell'] as const }, 'it requires shell, which this chat is not granted'],
  ])('%s', async (_, fields, reason) => {
    const { say, requests } = await talk([anEntry({ name: 'that', ...fields })], asks('that'));
    await say('go');
    expect(results(requests[1])).toEqual([`"that" was not loaded: ${reason}`]);
    expect(requests[1]?.system).toEqual(requests[0]?.system);
  });

  test('what chat.skills does not offer', async () => {
    const { say, requests } = await talk([anEntry({ name: 'that' })], asks('that'), { offered: ['other*'] });
    await say('go');
    expect(results(requests[1])).toEqual([
      '"that" was not loaded: chat.skills of the settings does not offer it',
    ]);
  });

  test('an unknown name, with what is meant of what is offered', async () => {
    const { say, requests } = await talk([anEntry({ name: 'terraform' })], asks('teraform'));
    await say('go');
    expect(results(requests[1])).toEqual([
      '"teraform" was not loaded: no skill of this name is offered; did you mean "terraform"?',
    ]);
  });

  test('one that was switched off, with who says so', async () => {
    const entry = anEntry({ name: 'that' });
    const registry = decideRegistry([fileOf(entry)], [], [{ name: 'that', place: '~/.bnerd.yaml' }]);
    const { say, chat, requests } = await talk(registry, asks('that'));
    await say('go');
    expect(results(requests[1])).toEqual(['"that" was not loaded: it is disabled in ~/.bnerd.yaml']);
    expect(await chat.load('that', NEVER)).toBe('"that" was not loaded: it is disabled in ~/.bnerd.yaml');
    expect(systemOf(requests[0])).not.toContain('that: ');
  });

  test('one that a guard hits at the moment of the call: guard, rule and reason', async () => {
    let asked = 0;
    const { say, requests } = await talk([anEntry({ name: 'that' })], asks('that'), {
      guard: async () =>
        ++asked === 1 ? [] : [{ guard: 'size-cap', rule: '~/.bnerd.yaml:7', reason: 'its body has 9 bytes' }],
    });
    await say('go');
    expect(results(requests[1])).toEqual([
      '"that" was not loaded: guard size-cap (~/.bnerd.yaml:7): its body has 9 bytes',
    ]);
  });

  test.each([
    [
      'a tool of ours',
      [provides('fs_write_file')],
      'its tool "fs_write_file" has the name of a tool of this program',
    ],
    ['the tool skill', [provides('skill')], 'its tool "skill" has the name of a tool of this program'],
    [
      'a tool of an active entry',
      [provides('deploy')],
      'its tool "deploy" has the name of a tool of first, which is active',
    ],
    [
      'another tool of its own',
      [provides('x'), provides('x')],
      'its tool "x" has the name of another tool of it',
    ],
  ])('a tool with the name of %s', async (_, tools, reason) => {
    const first = anEntry({ name: 'first', alwaysOn: true, tools: [provides('deploy')] });
    const { say, chat, requests } = await talk([first, anEntry({ name: 'that', tools })], asks('that'));
    await say('go');
    expect(results(requests[1])).toEqual([`"that" was not loaded: ${reason}`]);
    expect(await chat.load('that', NEVER)).toBe(`"that" was not loaded: ${reason}`);
  });
});

describe('what a guard hits', () => {
  test('is neither advertised nor active, whatever made it so, and is told once', async () => {
    const hit = { guard: 'exfiltration', rule: null, reason: 'its description holds a marker' } as const;
    const { say, requests, notes, chat } = await talk(
      [
        anEntry({ name: 'bad', alwaysOn: true }),
        anEntry({ name: 'bad-too', keywords: ['go'] }),
        anEntry({ name: 'good' }),
      ],
      answers,
      { guard: async ({ name }) => (name.startsWith('bad') ? [hit] : []) },
    );
    await say('go');
    await say('go');
    for (const request of requests) {
      expect(JSON.stringify([request.system, request.tools])).not.toContain('bad');
      expect(toolDefinitionOf(request, 'skill').names).toEqual(['good']);
    }
    const told = notes.filter(({ kind }) => kind === 'left-out');
    expect(told).toEqual(
      ['bad', 'bad-too'].map((name) => ({
        kind: 'left-out',
        name,
        reason: 'guard exfiltration: its description holds a marker',
      })),
    );
    expect(await chat.load('bad', NEVER)).toBe(
      '"bad" was not loaded: guard exfiltration: its description holds a marker',
    );
  });
});

describe('/skill load', () => {
  test('works on rules, on entries of other modes, and on what the chat cannot serve, which it says', async () => {
    const entries = [
      anEntry({ kind: 'rule', name: 'a-rule', alwaysOn: false }),
      anEntry({ name: 'of-code', appliesTo: ['code'] }),
      anEntry({ name: 'wants-shell', requires: ['shell'] }),
      anEntry({ name: 'steps', process: true }),
    ];
    const { say, chat, requests } = await talk(entries, answers, { offered: [] });
    expect(await chat.load('a-rule', NEVER)).toBe('"a-rule" is loaded');
    expect(await chat.load('of-code', NEVER)).toBe('"of-code" is loaded');
    expect(await chat.load('wants-shell', NEVER)).toBe(
      '"wants-shell" is loaded; it requires shell, which this chat is not granted',
    );
    expect(await chat.load('steps', NEVER)).toBe('"steps" is loaded');
    expect(await chat.load('steps', NEVER)).toBe(
      '"steps" is already loaded: its full text stands in the system prompt.',
    );
    await say('hi');
    expect(requests[0]?.system.map(({ name }) => name)).toEqual([
      'preamble',
      'process',
      'active-rules',
      'active-skills',
    ]);
    expect(
      (await chat.skills(NEVER))
        .split('\n')
        .slice(0, 4)
        .map((line) => line[0]),
    ).toEqual(['*', '*', '*', '*']);
  });

  test('of two processes only one is active at a time', async () => {
    const { chat } = await talk(
      [anEntry({ name: 'one', process: true }), anEntry({ name: 'two', process: true })],
      answers,
    );
    await chat.load('one', NEVER);
    expect(await chat.load('two', NEVER)).toBe(
      '"two" was not loaded: the process one is active; unload it first',
    );
  });

  test('an unknown name is told with what there is', async () => {
    const { chat } = await talk([anEntry({ name: 'terraform' })], answers);
    expect(await chat.load('terrafrom', NEVER)).toBe(
      '"terrafrom" was not loaded: no rule or skill is called that; did you mean "terraform"?',
    );
    expect(chat.unload('nobody')).toBe('no rule or skill is called "nobody"');
  });
});

describe('a tool of an entry whose class the safety mode does not admit', () => {
  test('is absent, not merely refused, and that is told when the entry becomes active', async () => {
    const writes = { ...provides('ship'), class: 'write' as const };
    const entry = anEntry({ name: 'shipper', tools: [provides('look'), writes] });
    const { say, requests, notes } = await talk(
      [entry],
      (_, count) => (count === 1 ? { calls: [loads('shipper')] } : { text: 'ok' }),
      { policy: { safety: 'read-only', autoApprove: 'all', rules: [], patterns: [] } },
    );
    await say('go');
    expect(toolNames(requests[1])).toEqual(['look']);
    expect(notes).toContainEqual({ kind: 'withheld', name: 'shipper', tools: ['ship'] });
  });
});

describe('at the start', () => {
  test('what is always on and applies, and what the role lists, whatever its mode', async () => {
    const entries = [
      anEntry({ kind: 'rule', name: 'r-chat', appliesTo: ['chat'] }),
      anEntry({ kind: 'rule', name: 'r-team', appliesTo: ['team'] }),
      anEntry({ name: 's-always', alwaysOn: true }),
      anEntry({ name: 's-listed', appliesTo: ['code'] }),
      anEntry({ name: 's-process', alwaysOn: true, process: true }),
    ];
    const { say, requests } = await talk(entries, answers, { listed: ['s-listed'] });
    await say('hi');
    const system = systemOf(requests[0]);
    for (const name of ['r-chat', 's-always', 's-listed']) expect(system).toContain(`Body of ${name}.`);
    for (const name of ['r-team', 's-process']) expect(system).not.toContain(name);
  });

  test('the role stands behind the preamble, ahead of everything that changes', async () => {
    const { say, requests } = await talk(
      [anEntry({ kind: 'rule', name: 'r' }), anEntry({ name: 's' })],
      answers,
      {
        rolePrompt: 'You review.',
      },
    );
    await say('hi');
    expect(requests[0]?.system.map(({ name }) => name)).toEqual([
      'preamble',
      'role',
      'active-rules',
      'available-skills',
    ]);
  });

  test('of two always-on entries whose tools collide the first by name stays', async () => {
    const entries = ['b', 'a'].map((name) => anEntry({ name, alwaysOn: true, tools: [provides('deploy')] }));
    const { say, requests, notes } = await talk(entries, answers);
    await say('hi');
    expect(section(requests[0], 'active-skills')).toContain('Body of a.');
    expect(systemOf(requests[0])).not.toContain('Body of b.');
    expect(notes[0]).toMatchObject({ kind: 'left-out', name: 'b' });
  });
});
