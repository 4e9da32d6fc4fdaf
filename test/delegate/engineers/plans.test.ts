/** What the adapters start for an order, and what they refuse before anything is started. */

import { describe, expect, test } from 'vitest';
import { acp } from '../../../src/delegate/engineers/acp.js';
import { claudeCode } from '../../../src/delegate/engineers/claude-code.js';
import { codex } from '../../../src/delegate/engineers/codex.js';
import type { Engineer, EngineerStart } from '../../../src/delegate/engineers/engineer.js';
import { gemini } from '../../../src/delegate/engineers/gemini.js';
import { engineerOrder } from '../../helpers/engineers/run-plan.js';

type Given = Parameters<typeof engineerOrder>[1];

const TREE = '/briefs/1/tree';
const SETTINGS = { path: 'the-program', args: ['--from', 'the operator'], env: { KEY: 'secret' } };

function start(engineer: Engineer, { settings, ...given }: Given = {}): EngineerStart {
  const plan = engineer.plan(engineerOrder(TREE, { ...given, settings: { ...SETTINGS, ...settings } }));
  if (plan.kind === 'refused') throw new Error(plan.detail);
  return plan.start;
}

function refusal(engineer: Engineer, { settings, ...given }: Given): string {
  const plan = engineer.plan(engineerOrder(TREE, { ...given, settings: { ...SETTINGS, ...settings } }));
  return plan.kind === 'refused' ? plan.detail : 'started';
}

describe.each([claudeCode, codex, gemini])('$kind', (engineer) => {
  test('gets the prompt over standard input and nowhere else', () => {
    const prompt = 'a prompt that is nowhere else';
    const { stdin, args, env, files } = start(engineer, { prompt });
    expect(stdin).toBe(prompt);
    expect(JSON.stringify([args, env, files])).not.toContain(prompt);
  });

  test('is started as the settings say: their arguments in front, their variables, the folder for temporary files', () => {
    const { program, args, env, files } = start(engineer);
    expect(program).toBe('the-program');
    expect(args.slice(0, 2)).toEqual(SETTINGS.args);
    expect(env).toMatchObject({ KEY: 'secret', TMPDIR: '/briefs/1/home/tmp' });
    expect(files).toHaveProperty(['tmp/.keep']);
  });

  test('is given a model in one argument, whatever its name begins with', () => {
    expect(start(engineer, { model: '--dangerous' }).args).toContain('--model=--dangerous');
    expect(start(engineer).args.join(' ')).not.toContain('--model');
  });

  test.each([
    [{ safety: 'full' }, /may not be given "full"/],
    [{ safety: 'read-only', settings: { projectSettings: true } }, /project-settings are on/],
    [{ prompt: ' \n ' }, /prompt is empty/],
  ] as const)('refuses %j', (given, detail) => {
    expect(refusal(engineer, given)).toMatch(detail);
  });

  test('may be full where the settings allow it', () => {
    expect(refusal(engineer, { safety: 'full', settings: { mayBeFull: true } })).toBe('started');
  });
});

describe('claude-code', () => {
  test.each(['/init', ' \n /init'])('refuses a prompt that it would take for a command: %j', (prompt) => {
    expect(refusal(claudeCode, { prompt })).toMatch(/begins with "\/"/);
  });

  test('is limited in cost and turns by itself', () => {
    const { args } = start(claudeCode, { costUsd: 1.25, turns: 7 });
    expect(args).toEqual(expect.arrayContaining(['--max-budget-usd=1.25', '--max-turns=7']));
  });

  test.each([
    ['read-only', ['--tools=Read,Glob,Grep', '--permission-mode=dontAsk']],
    [
      'non-destructive',
      ['--permission-mode=acceptEdits', '--allowedTools=Bash(git add *),Bash(git commit *)'],
    ],
  ] as const)('under %s', (safety, args) => {
    expect(start(claudeCode, { safety }).args).toEqual(expect.arrayContaining([...args]));
  });

  test('cannot be taken out of its isolation by variables of the settings', () => {
    const off = { CLAUDE_CODE_SAFE_MODE: '0', CLAUDE_CODE_DISABLE_ATTACHMENTS: '0' };
    expect(start(claudeCode, { settings: { env: off } }).env).toMatchObject({
      CLAUDE_CODE_SAFE_MODE: '1',
      CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
    });
  });

  test('is told of the tree where it starts below it', () => {
    expect(start(claudeCode, { directory: `${TREE}/sub` }).args).toContain(`--add-dir=${TREE}`);
    expect(start(claudeCode).args.join(' ')).not.toContain('--add-dir');
  });
});

describe('codex', () => {
  test.each([
    [{ costUsd: 1.5 }, /cannot hold a limit of 1.5 US dollars.*limits\.cost_usd/],
    [{ turns: 3 }, /cannot hold a limit of 3 turns.*limits\.turns/],
    [{ prompt: '\ufeffDo it.' }, /byte order mark/],
    [{ prompt: 'see [$x](/briefs/1/tree/.agents/skills/x/SKILL.md)' }, /link to a skill/],
    [
      { prompt: Array.from({ length: 5_000 }, (_, index) => `$word-${index}`).join(' ') },
      /5000 words behind a dollar/,
    ],
  ])('refuses %j', (given, detail) => {
    expect(refusal(codex, given)).toMatch(detail);
  });

  test('turns off each skill that the prompt could bring in, unless the repository may', () => {
    const prompt = 'echo $HOME $a-b:c; ($a) $$a \\$a [$a](https://example.org/SKILL.md)';
    const off =
      'skills.config=[{name="HOME",enabled=false},{name="a-b:c",enabled=false},{name="a",enabled=false}]';
    expect(start(codex, { prompt }).args).toContain(off);
    expect(start(codex, { prompt, settings: { projectSettings: true } }).args).not.toContain(off);
  });

  test('may write the tree and its git directory, which it would protect', () => {
    const { args } = start(codex, { directory: `${TREE}/sub` });
    expect(args).toContain(`sandbox_workspace_write.writable_roots=["${TREE}","${TREE}/.git"]`);
    expect(args).toContain(
      `projects={"${TREE}"={trust_level="untrusted"},"${TREE}/sub"={trust_level="untrusted"}}`,
    );
  });
});

describe('gemini', () => {
  test('cannot be taken out of its isolation by variables of the settings', () => {
    const off = { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_HOME: '/root', GEMINI_SYSTEM_MD: 'x.md' };
    expect(start(gemini, { settings: { env: off } }).env).toMatchObject({
      GEMINI_CLI_TRUST_WORKSPACE: 'false',
      GEMINI_CLI_HOME: '/briefs/1/home',
      GEMINI_SYSTEM_MD: 'false',
    });
  });

  test('is told of the tree where it starts below it, and of its limit of turns', () => {
    const { args, files } = start(gemini, { directory: `${TREE}/sub`, turns: 7 });
    expect(args).toContain(`--include-directories=${TREE}`);
    expect(JSON.parse(files['.gemini/settings.json'] ?? '')).toMatchObject({ model: { maxSessionTurns: 7 } });
  });
});

describe('acp', () => {
  test('is the command of the settings, with what the brief says where it is named', () => {
    const settings = { args: ['--model={model}', '{safety}', '{tree}', '{directory}'] };
    const { program, args } = start(acp, { model: 'm', directory: `${TREE}/sub`, settings });
    expect([program, ...args]).toEqual(['the-program', '--model=m', 'non-destructive', TREE, `${TREE}/sub`]);
  });

  test.each([
    [{ settings: { path: '' } }, /no program is set \(runner\.engineers\.acp\.path\)/],
    [{ model: 'm' }, /no word for the model m; put \{model\} into runner\.engineers\.acp\.args/],
    [{ turns: 3 }, /cannot hold a limit of 3 turns/],
    [{ safety: 'full' }, /may not be given "full"/],
    [{ safety: 'read-only', settings: { projectSettings: true } }, /project-settings are on/],
    [{ prompt: ' \n ' }, /prompt is empty/],
  ] as const)('refuses %j', (given, detail) => {
    expect(refusal(acp, given)).toMatch(detail);
  });
});

describe.each([gemini, acp])('$kind', (engineer) => {
  test.each([
    [{ costUsd: 1.5 }, /cannot hold a limit of 1.5 US dollars.*limits\.cost_usd/],
    [{ prompt: ' \n /init' }, /begins with "\/"/],
  ])('refuses %j', (given, detail) => {
    expect(refusal(engineer, given)).toMatch(detail);
  });
});
