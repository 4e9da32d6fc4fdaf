// spec/skills.md §5, §8: the request bodies that a provider receives from a chat, round by round.
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { farSide } from '../helpers/provider-team.js';
import type { Deed, Seen } from '../helpers/providers/far-side.js';
import { type Chatting, chatting, skill, WIRES, wayTo } from './chatting.js';

/** Everything that a request says beside the conversation: the system prompt and the tools, as they went over the wire. */
function frameOf({ body }: Seen): string {
  const { messages, ...rest } = body;
  const system = Array.isArray(messages)
    ? messages.filter((one: { role?: unknown }) => one.role === 'system')
    : [];
  return JSON.stringify([rest, system]);
}

function offered(seen: Seen | undefined): readonly string[] {
  const tool = seen?.tools.find(({ name }) => name === 'skill');
  const schema = tool?.parameters as { properties: { name: { enum: string[] } } } | undefined;
  return schema?.properties.name.enum ?? [];
}

const toolNames = (seen: Seen | undefined): readonly string[] => (seen?.tools ?? []).map(({ name }) => name);

const resultsOf = (seen: Seen | undefined): readonly string[] =>
  (seen?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.text] : []));

const says = (text: string): Deed => ({ kind: 'reply', text });
const calls = (...list: { tool: string; arguments: Record<string, unknown> }[]): Deed => ({
  kind: 'reply',
  text: '',
  calls: list,
});

const OWN = {
  'skills/deployer/SKILL.md': skill('deployer', 'Call ship with the name of the place.', [
    'tools: [{name: ship, description: Ships it, class: read, parameters: {type: object, properties: {to: {type: string}}}, run: [cat]}]',
  ]),
  'skills/plain.md': skill('plain', 'Plain words.'),
  'rules/house.md': skill('house', 'Be brief.'),
};

/** Loads what is offered as `deployer` and calls its tool at once; calls it again when it is there; tells what came of it. */
function loader(seen: Seen): Deed {
  const results = resultsOf(seen);
  if (results.length === 0)
    return calls(
      { tool: 'skill', arguments: { name: 'deployer' } },
      { tool: 'ship', arguments: { to: 'moon' } },
    );
  if (toolNames(seen).includes('ship') && results.length === 2)
    return calls({ tool: 'ship', arguments: { to: 'mars' } });
  return says(`It said: ${results.at(-1)}`);
}

describe.each(WIRES)('over the wire of %s', (wire) => {
  async function talkedTo(
    at: Chatting,
    respond: (seen: Seen, count: number) => Deed,
    lines: readonly string[],
    words: readonly string[] = [],
  ) {
    const far = await farSide(wire, respond);
    const way = wayTo(wire, far.url);
    const run = await at.chat(lines, [...way.words, ...words], { env: way.env });
    return { run, seen: far.seen };
  }

  test('B5 and B6: rounds n and n+1 in the request bodies', async () => {
    const at = await chatting(OWN);
    const { run, seen } = await talkedTo(at, loader, ['ship it'], ['--auto-approve', 'all']);
    const [n, next, last] = seen;
    // Round n: advertised by one line, no text, no tool.
    expect(n?.system.join('\n')).toContain('- deployer: What deployer is for');
    expect(n?.system.join('\n')).not.toContain('Call ship');
    expect(offered(n)).toContain('deployer');
    expect(toolNames(n)).not.toContain('ship');
    // Its results: the body, and an unknown tool.
    const [body, unknown] = resultsOf(next);
    expect(body).toBe('[Skill: deployer]\nCall ship with the name of the place.');
    expect(unknown).toContain('unknown tool "ship"');
    // Round n+1: active, no longer in the directory, its tool there.
    const system = next?.system.join('\n') ?? '';
    expect(system).toContain('## Active Skills');
    expect(system).toContain(
      '[Skill: deployer]\nWhat deployer is for\n\nCall ship with the name of the place.',
    );
    expect(system).not.toContain('- deployer: ');
    expect(system).toContain('- plain: What plain is for');
    expect(offered(next)).not.toContain('deployer');
    expect(toolNames(next)).toContain('ship');
    expect(next?.tools.find(({ name }) => name === 'ship')).toMatchObject({ description: 'Ships it' });
    // And it runs, on what it was given.
    expect(resultsOf(last).at(-1)).toContain('{"to":"mars"}');
    expect(run.stdout).toContain('It said: ');
    expect(run.stdout).toContain('{"to":"mars"}');
    expect(run.exit).toBe(0);
  });

  test('the parts that stay come first, and what is sent has the same bytes while nothing changes', async () => {
    const at = await chatting(OWN);
    const { seen } = await talkedTo(at, () => says('ok'), ['one', 'two', 'three']);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(frameOf)).size).toBe(1);
    const [first] = seen;
    if (wire === 'anthropic') {
      expect(first?.system).toHaveLength(3);
      const blocks = first?.body['system'] as { cache_control?: unknown }[];
      expect(blocks.map((block) => block.cache_control)).toEqual([
        undefined,
        undefined,
        { type: 'ephemeral' },
      ]);
      expect(JSON.stringify(first?.body).split('cache_control').length - 1).toBe(1);
    } else {
      expect(first?.system).toHaveLength(1);
    }
    const text = first?.system.join('\n\n') ?? '';
    const places = ['You are an assistant', '## Active Rules', '[Rule: house]', '## Available Skills'].map(
      (part) => text.indexOf(part),
    );
    expect(places.every((place) => place >= 0)).toBe(true);
    expect([...places].sort((one, other) => one - other)).toEqual(places);
  });

  test('no byte of an untrusted entry stands in a system prompt or a tool schema; the trusted one of the same name does', async () => {
    const tool = 'tools: [{name: leaktool, description: LEAK-TOOL, run: [cat]}]';
    const theirs = {
      '.bnerd/skills/lore.md': skill('lore', 'LEAK-BODY', ['keywords: [leakword]', tool]).replace(
        'What lore',
        'LEAK-DESCRIPTION',
      ),
      '.bnerd/skills/plain.md': skill('plain', 'LEAK-BODY', ['keywords: [leakword]']).replace(
        'What plain',
        'LEAK-DESCRIPTION',
      ),
      '.bnerd/rules/leakrule.md': skill('leakrule', 'LEAK-BODY', ['keywords: [leakword]']),
      '.claude/skills/leakclaude/SKILL.md': skill('leakclaude', 'LEAK-BODY'),
    };
    const at = await chatting(OWN, theirs);
    const respond = (_: Seen, count: number): Deed =>
      count === 1
        ? calls(
            { tool: 'skill', arguments: { name: 'plain' } },
            { tool: 'skill', arguments: { name: 'lore' } },
          )
        : says('ok');
    const { run, seen } = await talkedTo(at, respond, ['hello leakword', '/skill load lore', 'again']);
    expect(seen).toHaveLength(3);
    for (const one of seen) expect(frameOf(one)).not.toMatch(/LEAK|lore|leak/);
    expect(seen[0]?.system.join('\n')).toContain('- plain: What plain is for');
    expect(seen[1]?.system.join('\n')).toContain('[Skill: plain]\nWhat plain is for\n\nPlain words.');
    expect(resultsOf(seen[1])).toEqual([
      '[Skill: plain]\nPlain words.',
      '"lore" was not loaded: nobody has approved it',
    ]);
    expect(JSON.stringify(seen.map(({ body }) => body))).not.toContain('LEAK-');
    expect(run.stderr).toMatch(
      /"lore" was not loaded: not used: nobody has approved it \(.*lore\.md; bnerd trust /,
    );
  });

  test('an approval counts from the next message on, and so does its end', async () => {
    const at = await chatting(
      {},
      { '.bnerd/skills/lore.md': skill('lore', 'LORE-BODY', ['always_on: true']) },
    );
    const listed: { readonly files: readonly { readonly name: string; readonly digest: string }[] } =
      JSON.parse((await at.bnerd(['trust', '--json'])).stdout);
    const digest = listed.files.find(({ name }) => name === 'lore')?.digest ?? '';
    const approve = await at.bnerd(['trust', 'lore', '--digest', digest, '--as', 'ann']);
    expect(approve.exit).toBe(0);
    const respond = async (_: Seen, count: number): Promise<Deed> => {
      if (count === 1) expect((await at.bnerd(['trust', '--revoke', 'lore', '--as', 'bob'])).exit).toBe(0);
      return says('ok');
    };
    const far = await farSide(wire, respond);
    const way = wayTo(wire, far.url);
    const run = await at.chat(['one', 'two'], way.words, { env: way.env });
    expect(far.seen[0]?.system.join('\n')).toContain('LORE-BODY');
    expect(frameOf(far.seen[1] ?? fail())).not.toMatch(/LORE|lore/);
    expect(run.stderr).toContain('lore is not active: ');
  });

  test('a role: its text, its skills, its reference text in front of the first message, and the tool skill', async () => {
    const at = await chatting(
      {
        ...OWN,
        'roles/keeper.md':
          '---\nname: keeper\ndescription: Keeps\nskills: [plain, lore]\ntools: [Read]\n---\nYou keep things.\n',
      },
      { '.bnerd/skills/lore.md': skill('lore', 'LORE-BODY') },
    );
    const { seen, run } = await talkedTo(at, () => says('ok'), ['one', 'two'], ['--role', 'keeper']);
    expect(run.exit).toBe(0);
    for (const one of seen) {
      const text = one.system.join('\n\n');
      expect(text).toContain('You keep things.');
      expect(text).toContain('[Skill: plain]\nWhat plain is for\n\nPlain words.');
      expect(frameOf(one)).not.toMatch(/LORE|lore/);
      expect(one.messages[0]?.text).toMatch(/^Between the two fence marks[\s\S]*LORE-BODY[\s\S]*\none$/);
      expect(toolNames(one)).toEqual(['fs_read_file', 'skill']);
      expect(offered(one)).toContain('deployer');
    }
  });
});

function fail(): never {
  throw new Error('there was no such request');
}

describe('the window of the model', () => {
  test('N35 through the program: exactly a tenth left is accepted, one token less is refused', async () => {
    const at = await chatting({ 'skills/large.md': skill('large', 'x'.repeat(6_000)) });
    const run = async (context: number | null) => {
      const far = await farSide('openai-compatible', (seen) =>
        resultsOf(seen).length === 0 ? calls({ tool: 'skill', arguments: { name: 'large' } }) : says('ok'),
      );
      const way = wayTo('openai-compatible', far.url);
      await putSettings(at, context);
      const ran = await at.chat(['go'], way.words, { env: way.env });
      return { result: resultsOf(far.seen[1])[0] ?? '', stderr: ran.stderr };
    };
    const wide = await run(100_000);
    expect(wide.result).toContain('[Skill: large]');
    // A window in which it does not fit says how much it would leave: the rest is counting.
    const narrow = await run(4_000);
    const left = Number(/would leave (-?\d+) of the 4000 /.exec(narrow.result)?.[1]);
    const after = 4_000 - left;
    const enough = Math.ceil((after * 10) / 9);
    expect((await run(enough)).result).toContain('[Skill: large]');
    expect((await run(enough - 1)).result).toContain(
      `would leave ${enough - 1 - after} of the ${enough - 1} of openai-compatible/local, less than 10 %`,
    );
    const unknown = await run(null);
    expect(unknown.result).toContain('[Skill: large]');
    expect(unknown.stderr).toContain('counts as 32768 tokens');
  });
});

async function putSettings(at: Chatting, context: number | null): Promise<void> {
  const text =
    context === null ? '' : `models: { openai-compatible/local: { context: ${context}, max-output: 100 } }\n`;
  await writeFile(`${at.place.home}/.bnerd.yaml`, text);
}
