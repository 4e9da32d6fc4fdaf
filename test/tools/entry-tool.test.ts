import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tool, ToolResult } from '../../src/agent/tool.js';
import type { ToolDefinition } from '../../src/skills/entry.js';
import { entryTool } from '../../src/tools/entry-tool.js';
import { toolContract } from '../contracts/tool.js';
import { type House, house } from './house.js';

const NEVER = new AbortController().signal;

function definition(changes: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name: 'say_back',
    description: 'Says back what it was given, and how it was called.',
    parameters: {
      type: 'object',
      properties: {
        word: { type: 'string', description: 'what to say', pattern: '^[^!]*$' },
        times: { type: 'integer', description: 'how often', minimum: 1 },
      },
      required: ['word'],
      additionalProperties: false,
    },
    run: ['cat'],
    class: 'write',
    ...changes,
  };
}

function toolOf(at: House, changes: Partial<ToolDefinition> = {}): Tool {
  const made = entryTool(definition(changes), at.parts.shell);
  if (made.kind === 'unusable') throw new Error(made.why);
  return made.tool;
}

async function call(tool: Tool, args: unknown, signal = NEVER): Promise<ToolResult> {
  const prepared = await tool.prepare(args);
  if (prepared.kind === 'refused') return { text: prepared.text, outcome: 'error' };
  return tool.run(JSON.parse(JSON.stringify(prepared.arguments)), signal);
}

describe('the contract of every work tool', () => {
  toolContract(async () => {
    const at = await house();
    const run = ['sh', '-c', 'read -r line; case $line in *linger*) exec sleep 100;; esac; echo "$line"'];
    return {
      tool: toolOf(at, { run }),
      good: { word: 'hello' },
      bad: [
        { args: { word: 7 }, field: 'word' },
        { args: {}, field: 'word' },
        { args: { word: 'hello', times: 0 }, field: 'times' },
        { args: { word: 'hello!' }, field: 'word' },
      ],
      long: { word: 'linger' },
      secretPaths: [at.top],
    };
  });
});

describe('E1 no argument becomes a word of the command line', () => {
  test('a program is given its words as written, and its arguments as one line of JSON on standard input', async () => {
    const at = await house();
    const run = ['sh', '-c', 'for word; do echo "[$word]"; done; cat', 'sh', '--', '{{word}}', '$HOME', ''];
    expect(await call(toolOf(at, { run }), { word: '--help; $(id)', times: 2 })).toEqual({
      outcome: 'ok',
      text: 'exit 0\n[--]\n[{{word}}]\n[$HOME]\n[]\n{"word":"--help; $(id)","times":2}',
    });
  });

  test('whatever a model writes, the program sees the same words and reads the same values', {
    timeout: 60_000,
  }, async () => {
    const at = await house();
    const tool = toolOf(at, {
      run: ['sh', '-c', 'echo $#; cat'],
      parameters: { type: 'object', properties: { word: { type: 'string' } } },
    });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async (word) => {
        const { text, outcome } = await call(tool, { word });
        const [exit, count, line = ''] = text.split('\n');
        expect([outcome, exit, count, JSON.parse(line)]).toEqual(['ok', 'exit 0', '0', { word }]);
      }),
      { numRuns: 25, examples: [['-rf'], ['--'], ['\n'], ['\u2028'], ['"; exit 7']] },
    );
  });

  test('a program that reads nothing, or ends before it was given all, gives its own exit', async () => {
    const at = await house();
    const word = 'x'.repeat(60_000);
    expect(await call(toolOf(at, { run: ['true'] }), { word })).toEqual({
      outcome: 'ok',
      text: 'exit 0\n(no output)',
    });
    expect(await call(toolOf(at, { run: ['sh', '-c', 'exec 0<&-; echo done; exit 3'] }), { word })).toEqual({
      outcome: 'error',
      text: 'exit 3\ndone',
    });
  });

  test('arguments that are too many bytes together are refused before anything runs', async () => {
    const at = await house();
    const { text } = await call(toolOf(at, { run: ['touch', 'ran'] }), { word: 'x'.repeat(70_000) });
    expect(text).toMatch(/together they have 70011 bytes; at most 65536 are passed on/);
    await expect(readFile(join(at.roots.workspace, 'ran'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('E2 what is shown is what runs', () => {
  test('the command line and the arguments are in the summary and in what is stored', async () => {
    const at = await house();
    expect(await toolOf(at, { run: ['cat', '-', 'a b'] }).prepare({ word: "it's" })).toEqual({
      kind: 'ready',
      class: 'write',
      summary: `cat - 'a b' <<< {"word":"it's"}`,
      subject: `{"word":"it's"}`,
      runsProgram: true,
      arguments: { run: ['cat', '-', 'a b'], arguments: { word: "it's" } },
    });
  });

  test('a stored call of another command line is not run', async () => {
    const at = await house();
    const prepared = await toolOf(at, { run: ['touch', 'old'] }).prepare({ word: 'x' });
    if (prepared.kind === 'refused') throw new Error(prepared.text);
    const { text, outcome } = await toolOf(at, { run: ['touch', 'new'] }).run(prepared.arguments, NEVER);
    expect(outcome).toBe('error');
    expect(text).toMatch(/no call of this tool/);
    await expect(readFile(join(at.roots.workspace, 'new'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each(['read', 'write', 'destructive'] as const)(
    'E3 a call of class %s says that it runs a program',
    async (toolClass) => {
      const at = await house();
      expect(await toolOf(at, { class: toolClass }).prepare({ word: 'x' })).toMatchObject({
        class: toolClass,
        runsProgram: true,
      });
    },
  );
});

describe('under the rules of shell_exec', () => {
  test('it runs in the workspace with the environment of members, and nothing else of ours', async () => {
    const at = await house({ environment: { SECRET_TOKEN: 'never', LANG: 'C' } });
    const { text } = await call(toolOf(at, { run: ['sh', '-c', 'pwd; env'] }), { word: 'x' });
    expect(text).toContain(`exit 0\n${at.roots.workspace}\n`);
    expect(text).toContain('BNERD_MEMBER=writer');
    expect(text).not.toContain('SECRET_TOKEN');
  });

  test('E4 a program without a path is not one that lies in the workspace', async () => {
    const at = await house();
    const bin = join(at.roots.workspace, 'bin');
    await mkdir(bin);
    await at.put('bin/greeter', '#!/bin/sh\necho planted\n');
    await chmod(join(bin, 'greeter'), 0o755);
    const planted = await house({ environment: { PATH: `${bin}:/usr/bin:/bin` } });
    const parts = { ...planted.parts.shell, roots: at.roots };
    const made = entryTool(definition({ run: ['greeter'] }), parts);
    if (made.kind === 'unusable') throw new Error(made.why);
    expect(await call(made.tool, { word: 'x' })).toMatchObject({
      outcome: 'error',
      text: expect.stringMatching(/^exit 127\n/),
    });
  });

  test('a program with a path is taken from the workspace', async () => {
    const at = await house();
    await at.put('tools/greeter', '#!/bin/sh\necho from the workspace\n');
    await chmod(join(at.roots.workspace, 'tools/greeter'), 0o755);
    expect(await call(toolOf(at, { run: ['./tools/greeter'] }), { word: 'x' })).toEqual({
      outcome: 'ok',
      text: 'exit 0\nfrom the workspace',
    });
  });

  test('of a long output the head and the tail', async () => {
    const at = await house();
    const run = ['sh', '-c', 'echo first; head -c 300000 /dev/zero | tr "\\0" x; echo; echo last'];
    const { text } = await call(toolOf(at, { run }), { word: 'x' });
    expect(text).toMatch(/^exit 0\nfirst\n/);
    expect(text).toMatch(/bytes left out/);
    expect(text).toMatch(/last$/);
  });
});

describe('arguments against the whole schema', () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      when: { if: { type: 'string' }, ['then' as string]: { minLength: 3 } },
      slow: { type: 'string', pattern: '^(a+)+$' },
      quick: { type: 'string', pattern: '^b*$' },
    },
    dependentRequired: { tags: ['kind'] },
  };

  test.each([
    [{ kind: 'c' }, '- argument "kind": found "c"; allowed: equal to one of the allowed values: ["a","b"]'],
    [
      { kind: 'a', tags: ['x', 'x'] },
      '- argument "tags": found ["x","x"]; allowed: must NOT have duplicate items',
    ],
    [{ tags: [] }, 'must have property kind when property tags is present'],
    [{ when: 'no' }, '- argument "when": found "no"; allowed: must NOT have fewer than 3 characters'],
    [{ quick: 'a' }, '- argument "quick": found "a"; allowed: must match pattern "^b*$"'],
    [{ slow: `${'a'.repeat(40)}!` }, 'the check against the schema of this tool took too long'],
  ])('%j is refused', async (args, words) => {
    const at = await house();
    expect(await toolOf(at, { parameters: schema }).prepare(args)).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining(words),
    });
  });

  // 2 to the power of 60 checks in 4 kB, and one that never ends.
  const doubling = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => {
      const below = { $ref: `#/$defs/d${at}` };
      return [`d${at + 1}`, { allOf: [below, below] }];
    }),
  );
  test.each([
    ['doubles with each step', { $defs: { d0: { type: 'object' }, ...doubling }, $ref: '#/$defs/d60' }],
    [
      'goes in a circle',
      {
        $defs: { x: { allOf: [{ $ref: '#/$defs/y' }] }, y: { allOf: [{ $ref: '#/$defs/x' }] } },
        $ref: '#/$defs/x',
      },
    ],
  ])('a schema whose work %s refuses the call, and the program goes on', async (_, { $defs, $ref }) => {
    const at = await house();
    const parameters = { type: 'object', properties: { a: { $ref } }, $defs };
    expect(await toolOf(at, { parameters }).prepare({ a: {} })).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('took too long'),
    });
  });

  test('many texts that are each slow are together as long as one', async () => {
    const at = await house();
    const slow = { type: 'string', pattern: '^(a|a)*$' };
    const parameters = { type: 'object', properties: { all: { type: 'array', items: slow } } };
    const all = Array.from({ length: 500 }, () => `${'a'.repeat(22)}!`);
    expect(await toolOf(at, { parameters }).prepare({ all })).toMatchObject({
      text: expect.stringContaining('took too long'),
    });
  });

  test('what the schema leaves open is passed on', async () => {
    const at = await house();
    const { text } = await call(toolOf(at, { parameters: schema }), { kind: 'a', more: { deep: [1, null] } });
    expect(text).toBe('exit 0\n{"kind":"a","more":{"deep":[1,null]}}');
  });
});
