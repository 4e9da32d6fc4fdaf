// What an open file says beyond the fields that set something: keys of other programs, tools, text of placeholders.
import { describe, expect, test } from 'vitest';
import type { EntrySource, EntryText } from '../../../src/skills/entry.js';
import { parseOpen } from '../../../src/skills/parse/open.js';
import { NAMED, OPEN_SOURCE, openText } from '../entries.js';

const CLAUDE: EntrySource = { ...OPEN_SOURCE, tree: 'claude', path: '.claude/skills/an-entry/SKILL.md' };

function read(text: string, source: EntrySource = OPEN_SOURCE): { entry: EntryText; rows: string[] } {
  const parsed = parseOpen(text, source);
  if (parsed.kind !== 'entry') throw new Error(JSON.stringify(parsed.findings));
  const rows = parsed.findings.map(
    ({ code, severity, line, message }) => `${line} ${severity} ${code}: ${message}`,
  );
  return { entry: parsed.entry, rows };
}

describe('under .claude', () => {
  const extended = [
    ...NAMED,
    'kind: rule',
    'always_on: true',
    'keywords: [a]',
    'applies_to: [team]',
    'tools: [{name: t, description: d, run: [x]}]',
  ];

  test('the keys that bnerd adds set nothing, and each is named', () => {
    const { entry, rows } = read(openText(extended), CLAUDE);
    expect(entry).toMatchObject({ kind: 'skill', alwaysOn: false, keywords: [], appliesTo: null, tools: [] });
    expect(rows).toEqual(
      ['4 kind', '5 always_on', '6 keywords', '7 applies_to', '8 tools'].map((place) => {
        const [line, key] = place.split(' ');
        return `${line} info ignored-under-claude: ${key} sets nothing in a folder of Claude Code; a file there is a plain skill`;
      }),
    );
  });

  test('whatever they hold: values that would refuse a file elsewhere load here', () => {
    const text = openText([...NAMED, 'kind: [x]', 'always_on: maybe', 'applies_to: {a: b}', 'tools: Read']);
    expect(read(text, CLAUDE).entry.kind).toBe('skill');
    expect(parseOpen(text, OPEN_SOURCE).kind).toBe('refused');
  });

  test('they are no part of what is approved: the digest is that of the file without them', () => {
    expect(read(openText(extended), CLAUDE).entry.digest).toBe(read(openText(NAMED), CLAUDE).entry.digest);
  });

  test.each(['bnerd', 'agents', 'orchestrator'] as const)('under %s they are in effect', (tree) => {
    expect(read(openText(extended), { ...OPEN_SOURCE, tree }).entry).toMatchObject({
      kind: 'rule',
      alwaysOn: true,
      keywords: ['a'],
      appliesTo: ['team'],
      tools: [{ name: 't', class: 'write' }],
    });
  });

  test('process and page are in effect in every tree', () => {
    const text = openText([...NAMED, 'process: true', 'page: none', 'allowed-tools: Read']);
    expect(read(text, CLAUDE).entry).toMatchObject({ process: true, page: 'none', allowedTools: ['Read'] });
  });
});

describe('keys that set nothing', () => {
  test('keys of other programs are kept with their values and reported by name', () => {
    const keys = {
      'disable-model-invocation': true,
      'user-invocable': false,
      when_to_use: 'Often',
      paths: ['src/**'],
      context: 'fork',
      hooks: { Stop: [] },
      compatibility: 'any',
      metadata: { author: 'x' },
    };
    const { entry, rows } = read(
      openText([...NAMED, ...Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)]),
    );
    expect(entry.data).toEqual(keys);
    expect(rows).toEqual(
      Object.keys(keys).map(
        (key, at) => `${at + 4} info kept-as-data: ${key} is kept as data and has no effect here`,
      ),
    );
  });

  test('a key nobody knows is kept too; one that looks like ours is told which', () => {
    const parsed = parseOpen(openText([...NAMED, 'alway_on: true', 'github_stars: 3']), OPEN_SOURCE);
    expect(parsed).toMatchObject({
      entry: { alwaysOn: false, data: { alway_on: true, github_stars: 3 } },
      findings: [
        { code: 'unknown-key', line: 4, remedy: 'did you mean "always_on"?' },
        { code: 'unknown-key', line: 5, remedy: 'nothing reads it; it may stay' },
      ],
    });
  });

  test('no such key changes the digest', () => {
    const lines = ['license: MIT', 'metadata: {a: b}', 'hooks: {}', 'requires: [shell]', 'stars: 3'];
    const digest = read(openText(NAMED)).entry.digest;
    for (const line of lines) expect(read(openText([...NAMED, line])).entry.digest).toBe(digest);
  });
});

describe('tools that an entry provides', () => {
  test('definitions are read whole and are part of the digest', () => {
    const tool =
      'tools: [{name: lint, description: Lints, run: [npx, lint], parameters: {type: object}, class: read}]';
    const { entry, rows } = read(openText([...NAMED, tool]));
    expect(entry.tools).toEqual([
      {
        name: 'lint',
        description: 'Lints',
        run: ['npx', 'lint'],
        parameters: { type: 'object' },
        class: 'read',
      },
    ]);
    expect(rows).toEqual([]);
    const other = read(openText([...NAMED, tool.replace('[npx, lint]', '[rm, lint]')]));
    expect(other.entry.digest).not.toBe(entry.digest);
  });

  test('class is write and parameters are empty unless the file says otherwise', () => {
    const { entry } = read(openText([...NAMED, 'tools: [{name: t, description: d, run: [x]}]']));
    expect(entry.tools).toEqual([
      {
        name: 't',
        description: 'd',
        run: ['x'],
        parameters: { type: 'object', properties: {} },
        class: 'write',
      },
    ]);
  });

  test.each([
    ['tools: Read, Grep', 'the text "Read, Grep"; expected a list'],
    ['tools: [Read]', 'the text "Read"; expected a mapping'],
    ['tools: [{name: a b, description: d, run: [x]}]', '`tools[0].name`'],
    ['tools: [{name: a, description: d}]', '`tools[0].run` is missing'],
    ['tools: [{name: a, description: d, run: []}]', '`tools[0].run`'],
    ['tools: [{name: a, description: d, run: rm -rf /}]', '`tools[0].run`'],
    ['tools: [{name: a, description: d, run: [x], class: root}]', 'read, write, destructive'],
    ['tools: [{name: a, description: d, run: [x], parameters: {n: .nan}}]', '`tools[0].parameters'],
    ['tools: [{name: a, description: d, run: [x]}, {name: b}]', '`tools[1].run`'],
    ['tools: [{name: a, description: d, run: [-x]}]', 'begins with the name of a program'],
    ['tools: [{name: a, description: d, run: ["", x]}]', 'begins with the name of a program'],
    ['tools: [{name: a, description: d, run: ["x\\0"]}]', 'text without NUL'],
    [
      'tools: [{name: a, description: d, run: [x], parameters: {type: array}}]',
      'parameters of a: at the top',
    ],
    [
      'tools: [{name: a, description: d, run: [x], parameters: {type: object, requird: [b]}}]',
      'parameters of a: strict mode: unknown keyword: "requird"; the entry provides no tools',
    ],
  ])('%s: the entry loads and provides none', (line, says) => {
    const { entry, rows } = read(openText([...NAMED, line]));
    expect(entry.tools).toEqual([]);
    expect(rows.join('\n')).toContain('4 warning tools-not-read: ');
    expect(rows.join('\n')).toContain(says);
  });
});

describe('placeholders stay literal', () => {
  test.each([
    ['Use $ARGUMENTS here.', '$ARGUMENTS'],
    [`First.\n\nRead \`\${CLAUDE_SKILL_DIR}/x\`.`, `\${…}`],
    ['Now:\n!`git status`', '!`…`'],
  ])('%j: kept as it is, one remark at its line', (body, shown) => {
    const { entry, rows } = read(openText(NAMED, `${body}\n`));
    expect(entry.body).toBe(body);
    expect(rows).toEqual([
      `${4 + body.split('\n').length} info not-substituted: the body holds ${shown}; nothing is put in its place and nothing is run`,
    ]);
  });

  test('several forms are one remark, at the first', () => {
    const { rows } = read(openText(NAMED, `\na\nb \${x}\n$ARGUMENTS\n`));
    expect(rows).toEqual([
      expect.stringMatching(/^7 info not-substituted: the body holds \$ARGUMENTS, \$\{…\};/),
    ]);
  });

  test.each(['Call `println!` and `x`.', '$ARGUMENTSX', '${', 'a! `b`', '$x'])('%j holds none', (body) => {
    expect(read(openText(NAMED, `${body}\n`)).rows).toEqual([]);
  });

  test.each(['${', '$ARGUMENTS ', '!`', ' !`x'])('64 KiB of %j are searched without delay', (piece) => {
    const body = piece.repeat(Math.floor(65_000 / piece.length));
    expect(read(openText(NAMED, `${body}\n`)).entry.body).toBe(body.trimEnd());
  });
});
