// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted texts hold templates.

/** Each rule of the house is tried on planted breaches, and on what looks like one. */

import { describe, expect, test } from 'vitest';
import * as rules from './architecture.js';

const HEAD = '/** What it owns. */\n';

/** A tree in memory; every file gets a head comment of one line. */
function planted(files: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(files).map(([path, text]) => [path, HEAD + text]));
}

type Row = readonly [what: string, files: Readonly<Record<string, string>>, breach?: string];

/** Expects each tree's breaches: the one given, which may be the beginning of its line, or none. */
function tryRule(rule: rules.Rule, rows: readonly Row[]): void {
  for (const [what, files, breach] of rows) {
    test(what, () => {
      const found = rule(planted(files));
      expect(found.map((line) => line.slice(0, breach?.length))).toEqual(
        breach === undefined ? [] : [breach],
      );
    });
  }
}

describe('layers', () => {
  const shared = { 'src/shared/x.ts': '' };
  tryRule(rules.layers, [
    ['downwards is allowed', { ...shared, 'src/events/a.ts': "import { x } from '../shared/x.js';" }],
    ['within a folder is allowed', { ...shared, 'src/shared/a.ts': "import { x } from './x.js';" }],
    [
      'upwards is not, for a type either',
      { 'src/team/x.ts': '', 'src/shared/a.ts': "\nimport type { X } from '../team/x.js';" },
      'src/shared/a.ts:3: shared/ may not import src/team/x.ts',
    ],
    [
      'sideways is not, written as an import type in the middle of code',
      { 'src/models/x.ts': '', 'src/events/a.ts': "type A = import('../models/x.js').X;" },
      'src/events/a.ts:2: events/ may not import src/models/x.ts',
    ],
    [
      'what the row does not list is not, though it lies lower',
      { 'src/config/x.ts': '', 'src/team/a.ts': "export * from '../config/x.js';" },
      'src/team/a.ts:2: team/ may not import src/config/x.ts',
    ],
    [
      'of a folder a row may list one file',
      { 'src/catalog/tiers.ts': '', 'src/skills/a.ts': "import '../catalog/tiers.js';" },
    ],
    [
      'and then not another',
      { 'src/catalog/roles/role.ts': '', 'src/skills/a.ts': "import '../catalog/roles/role.js';" },
      'src/skills/a.ts:2: skills/ may not import src/catalog/roles/role.ts',
    ],
    [
      'everything above is all rows before',
      { 'src/tools/x.ts': '', 'src/runtime/a.ts': "import '../tools/x.js';" },
    ],
    [
      'and none after',
      { 'src/web/x.ts': '', 'src/runtime/a.ts': "import '../web/x.js';" },
      'src/runtime/a.ts:2: runtime/ may not import src/web/x.ts',
    ],
    [
      'the entry point may import the command line',
      { 'src/cli/x.ts': '', 'src/cli.ts': "await import('./cli/x.js');" },
    ],
    [
      'and nothing imports the entry point',
      { 'src/cli.ts': '', 'src/cli/a.ts': "import '../cli.js';" },
      'src/cli/a.ts:2: cli/ may not import src/cli.ts',
    ],
    ['a new folder needs its row', { 'src/engine/a.ts': '' }, 'src/engine/a.ts: engine is no folder'],
    ['a file beside the folders does too', { 'src/main.ts': '' }, 'src/main.ts: main.ts is no folder'],
    [
      'an import without .js is not followed',
      { ...shared, 'src/events/a.ts': "import '../shared/x';" },
      'src/events/a.ts:2: "../shared/x"',
    ],
    [
      'src imports nothing of test',
      { 'test/x.ts': '', 'src/events/a.ts': "import '../../test/x.js';" },
      'src/events/a.ts:2: "../../test/x.js"',
    ],
    [
      'a computed import is refused',
      { 'src/cli/a.ts': 'await import(name);' },
      'src/cli/a.ts:2: import of something computed',
    ],
    ['comments import nothing', { 'src/shared/a.ts': "// import '../team/x.js';" }],
    [
      'queues belong to dispatch/',
      { 'src/runtime/a.ts': "import { Queue } from 'bullmq';" },
      'src/runtime/a.ts:2: only dispatch/ may import bullmq',
    ],
    ['and are allowed there', { 'src/dispatch/a.ts': "import { Queue } from 'bullmq';" }],
    [
      'Redis belongs to dispatch/ and events/',
      { 'src/tools/a.ts': "import Redis from 'ioredis';" },
      'src/tools/a.ts:2: only dispatch/ and events/ may import ioredis',
    ],
    [
      'model libraries belong to models/',
      { 'src/agent/a.ts': "import { generateText } from 'ai';" },
      'src/agent/a.ts:2: only models/ may import ai',
    ],
    [
      'with their providers',
      { 'src/agent/a.ts': "import('@ai-sdk/openai')" },
      'src/agent/a.ts:2: only models/ may import @ai-sdk/openai',
    ],
    [
      'process by import hides its use',
      { 'src/cli/a.ts': "import { env } from 'node:process';" },
      'src/cli/a.ts:2: nobody may import node:process',
    ],
    ['other packages are free', { 'src/agent/a.ts': "import { z } from 'zod';" }],
  ]);
});

describe('cycles', () => {
  tryRule(rules.noCycle, [
    [
      'a diamond is none',
      {
        'src/shared/a.ts': "import './b.js'; import './c.js';",
        'src/shared/b.ts': "import './d.js';",
        'src/shared/c.ts': "import './d.js';",
        'src/shared/d.ts': '',
      },
    ],
    [
      'a ring of types is one, and named once',
      {
        'src/shared/a.ts': "import type { B } from './b.js';",
        'src/shared/b.ts': "import type { C } from './c.js';",
        'src/shared/c.ts': "import type { A } from './a.js';",
      },
      'src/shared/a.ts → src/shared/b.ts → src/shared/c.ts → src/shared/a.ts: a cycle',
    ],
    [
      'a file that imports itself is one',
      { 'src/shared/a.ts': "import './a.js';" },
      'src/shared/a.ts → src/shared/a.ts',
    ],
  ]);
});

describe('length', () => {
  tryRule(rules.fileLength, [
    ['as long as allowed', { 'src/shared/a.ts': 'x;\n'.repeat(rules.MAX_LINES - 1) }],
    [
      'one line more',
      { 'src/shared/a.ts': 'x;\n'.repeat(rules.MAX_LINES) },
      `src/shared/a.ts: ${rules.MAX_LINES + 1} lines`,
    ],
    [
      'a test is a file like any other',
      { 'test/a.test.ts': '\n'.repeat(rules.MAX_LINES) },
      'test/a.test.ts: 401 lines',
    ],
  ]);
});

describe('owners', () => {
  const breach = (path: string, what: string): string => `${path}:2: ${what}`;
  const ENVIRONMENT = 'the environment belongs to src/config/env.ts';
  const OUTPUT = 'stdout, stderr or the console belongs to src/cli/output.ts';
  const PROCESS = 'the end of the process or its signals belongs to src/cli.ts';
  const CLOCK = 'a clock belongs to src/shared/clock.ts';
  const REDIS = 'a Redis name belongs to src/shared/redis-names.ts';
  const TIER = 'a path of a tier belongs to src/catalog/tiers.ts';
  const at = 'src/tools/a.ts';
  const bad = (text: string, what: string): Row => [text, { [at]: text }, breach(at, what)];
  const good = (path: string, text: string): Row => [`${text} in ${path}`, { [path]: text }];
  tryRule(rules.owners, [
    bad('const home = process.env.HOME;', ENVIRONMENT),
    bad("process['env']", ENVIRONMENT),
    bad('const { env } = process;', ENVIRONMENT),
    bad("const a = `x${process.env['A']}`;", ENVIRONMENT),
    good('src/config/env.ts', 'process.env'),
    bad("console.log('x');", OUTPUT),
    bad("process.stdout.write('x');", OUTPUT),
    bad('pipe(process\n  .stderr);', OUTPUT),
    good('src/cli/output.ts', 'process.stdout.write(text); console.error(text);'),
    good(at, 'child.stdout; this.console; // console.log'),
    bad('process.exit(1);', PROCESS),
    bad('process.exitCode = 1;', PROCESS),
    bad("process.on('SIGINT', stop);", PROCESS),
    bad("process.once('SIGTERM', stop);", PROCESS),
    good('src/cli.ts', 'process.exitCode = 1; process.on(signal, stop);'),
    good(at, "child.on('exit', f); process.kill(-pid, 'SIGKILL'); process.pid;"),
    bad('const at = Date.now();', CLOCK),
    bad('const at = new Date();', CLOCK),
    bad('const at = new Date;', CLOCK),
    bad('const at = Date();', CLOCK),
    bad('const at = performance.now();', CLOCK),
    bad('const at = process.hrtime.bigint();', CLOCK),
    good('src/shared/clock.ts', 'Date.now(); performance.now();'),
    good(at, 'new Date(wallMs).toISOString(); clock.now(); class LogDate {} new LogDate();'),
    bad('const key = `bnerd:{${id}}:log`;', REDIS),
    bad("const queue = 'bnerd-turns';", REDIS),
    bad('const key = `${prefix}:{${id}}:log`;', REDIS),
    bad('const queue = `${prefix}-briefs.${pool}`;', REDIS),
    good('src/shared/redis-names.ts', '`bnerd:{${id}}:log`'),
    good(at, '// the stream bnerd:{<id>}:log'),
    bad("join(root, 'orchestrator/teams')", TIER),
    bad("join(root, 'orchestrator', 'teams')", TIER),
    bad("join(home, '.claude')", TIER),
    bad('const path = `${home}/.agents/skills`;', TIER),
    bad("'put it in .bnerd/rules/'", TIER),
    good('src/catalog/tiers.ts', "'orchestrator/teams'"),
    good(at, "'the orchestrator is busy'; 'bnerd.yaml'; 'my-orchestrator/x'; '.claude-code'"),
  ]);
});

test('an exception that nothing needs any more is a breach', () => {
  const [path] = Object.keys(rules.TIER_PATH_EXCEPTIONS);
  const others = new Map(Object.keys(rules.TIER_PATH_EXCEPTIONS).map((one) => [one, "'.claude'"]));
  expect(rules.owners(others)).toEqual([]);
  expect(rules.exceptionsAreUsed(others)).toEqual([]);
  expect(rules.exceptionsAreUsed(new Map([...others, [String(path), "'src'"]]))).toEqual([
    `${path}: is excepted from the owner of tier paths and names none; remove the exception`,
  ]);
});

describe('shape of code', () => {
  describe('any', () => {
    const found = (text: string): Row => [text, { 'src/shared/a.ts': text }, 'src/shared/a.ts:2: any'];
    const free = (text: string): Row => [text, { 'src/shared/a.ts': text }];
    tryRule(rules.noAny, [
      found('const a: any = 1;'),
      found('const a = b as any;'),
      found('function f(a: any[]): void {}'),
      found('const a: Record<string, any> = {};'),
      found('type A = string | any;'),
      found('const a = z.any();'),
      free('AbortSignal.any([a, b]); Promise.any(all); const many = company;'),
      free("const a = 'any'; // any"),
      free('const a = { any: 1 };'),
    ]);
  });

  describe('default exports', () => {
    tryRule(rules.noDefaultExport, [
      ['a default export', { 'src/shared/a.ts': 'export default 1;' }, 'src/shared/a.ts:2: default export'],
      [
        'under another name',
        { 'src/shared/a.ts': 'export { a as default };' },
        'src/shared/a.ts:2: default export',
      ],
      ['a named one', { 'src/shared/a.ts': 'export const a = 1; switch (a) { default: }' }],
    ]);
  });

  describe('traps of the Redis client', () => {
    const found = (text: string): Row => [text, { 'src/events/a.ts': text }, 'src/events/a.ts:2: an option'];
    tryRule(rules.noTrapsOfRedis, [
      found('const options = { commandTimeout: 500 };'),
      found("options.keyPrefix = 'a';"),
      ['in a comment', { 'src/events/a.ts': '// never commandTimeout' }],
      ['others', { 'src/events/a.ts': 'const options = { connectTimeout: 500 };' }],
    ]);
  });

  describe('module variables', () => {
    const found = (text: string): Row => [text, { 'src/shared/a.ts': text }, 'src/shared/a.ts:2: state in'];
    const free = (text: string): Row => [text, { 'src/shared/a.ts': text }];
    tryRule(rules.noModuleState, [
      found('let count = 0;'),
      found('export let count = 0;'),
      found('const cache = new Map<string, number>();'),
      found('const seen: Set<string> = new Set();'),
      found('export const list: string[] = [];'),
      free('function f() {\n  let count = 0;\n  const all = new Map();\n}'),
      free('const NAMES = new Set(allNames);'),
      free('const STEPS: readonly Step[] = [];'),
      free('export const TABLE: Readonly<Record<string, string>> = { a: "b" };'),
    ]);
  });
});

describe('shape of files', () => {
  tryRule(rules.noInnerIndex, [
    ['the list of names of the package', { 'src/index.ts': '' }],
    ['one in a folder', { 'src/team/index.ts': '' }, 'src/team/index.ts: inner index.ts'],
  ]);

  test.each([
    ['none', 'export const a = 1;', 1],
    ['one behind the imports', "import { z } from 'zod';\n/** What it owns. */", 1],
    ['an empty one', '/** */\nexport const a = 1;', 1],
    ['one line', '/** The clocks. */', 0],
    ['several lines', '/**\n * The clocks.\n */', 0],
    ['line comments', '// The clocks.', 0],
    ['behind the line that names the interpreter', '#!/usr/bin/env node\n/** The entry point. */', 0],
  ])('head comment: %s', (_, text, breaches) => {
    expect(rules.headComments(new Map([['src/shared/a.ts', text]]))).toHaveLength(breaches);
  });

  tryRule(rules.fileNames, [
    ['kebab-case', { 'src/shared/did-you-mean.ts': '', 'src/events/facts/run.ts': '' }],
    [
      'camelCase',
      { 'src/shared/didYouMean.ts': '' },
      'src/shared/didYouMean.ts: "didYouMean" is not kebab-case',
    ],
    ['utils', { 'src/shared/utils.ts': '' }, 'src/shared/utils.ts: "utils" names no idea'],
    ['lock-manager', { 'src/team/lock-manager.ts': '' }, 'src/team/lock-manager.ts: "manager" names no idea'],
    [
      'a folder of helpers',
      { 'src/team/helpers/a.ts': '' },
      'src/team/helpers/a.ts: "helpers" names no idea',
    ],
    ['base-url is an idea', { 'src/config/base-url.ts': '' }],
  ]);

  tryRule(rules.mirroredInTest, [
    ['a folder with its tests', { 'src/team/a.ts': '', 'test/team/b.test.ts': '' }],
    ['one without', { 'src/team/a.ts': '', 'test/teams/b.test.ts': '' }, 'src/team: no test in test/team/'],
    [
      'one whose folder holds no test',
      { 'src/team/a.ts': '', 'test/team/b.ts': '' },
      'src/team: no test in test/team/',
    ],
    ['files above the folders', { 'src/cli.ts': '' }],
  ]);
});

describe('completeness', () => {
  describe('facts', () => {
    tryRule(rules.everyFactIsFolded(['task.created', 'task.claimed']), [
      [
        'all folded, in several files',
        { 'src/team/evolve.ts': "case 'task.created':", 'src/team/evolve/board.ts': "case 'task.claimed':" },
      ],
      [
        'one only in a comment',
        { 'src/team/evolve.ts': "case 'task.created': // task.claimed" },
        'src/team/evolve.ts: the fact task.claimed is not folded',
      ],
      [
        'one only elsewhere',
        { 'src/team/evolve.ts': "case 'task.created':", 'src/team/decide.ts': "'task.claimed'" },
        'src/team/evolve.ts: the fact task.claimed',
      ],
    ]);
  });

  describe('ports', () => {
    const port = { 'src/models/model.ts': '' };
    const suite = { 'test/contracts/model.ts': '' };
    tryRule(rules.everyPortHasItsSuite, [
      ['no port, no suite', { 'src/models/other.ts': '' }],
      [
        'a suite that a test runs',
        { ...port, ...suite, 'test/models/a.test.ts': "import { s } from '../contracts/model.js';" },
      ],
      ['no suite', port, 'src/models/model.ts: no contract suite test/contracts/model.ts'],
      [
        'a suite that nothing runs',
        { ...port, ...suite, 'test/models/a.test.ts': '' },
        'test/contracts/model.ts: no test runs',
      ],
    ]);
  });

  describe('texts written once', () => {
    tryRule(rules.writtenOnce, [
      [
        'one writer, twice in its file',
        { 'src/skills/render.ts': "'[Skill: x]'; `[Skill:`; '<!-- provenance'" },
      ],
      [
        'two writers',
        { 'src/skills/a.ts': "'[Skill: x]'", 'src/team/b.ts': '`a [Skill:`' },
        'src/skills/a.ts, src/team/b.ts: "[Skill:"',
      ],
      [
        'a comment is no writer',
        { 'src/skills/a.ts': "'<!-- provenance'", 'src/team/b.ts': '// <!-- provenance' },
      ],
    ]);
  });
});
