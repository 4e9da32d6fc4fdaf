// spec/team.md §9 through the program: what is refused before any call, and a run with a key.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { farSide, providerTeam, trap, twoAtWork, USAGE } from '../helpers/provider-team.js';
import type { Mission } from '../helpers/team.js';
import { type Job, job } from './job.js';

const KEY = 'planted-3f9c2a7e51';

/** Every path below a directory; empty when it is not there. */
async function everything(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true }).catch((): string[] => [])).sort();
}

/** The texts of every file below a directory, by path. */
async function texts(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const)),
  );
}

describe('a run is refused before any call', () => {
  interface Row {
    readonly what: string;
    readonly mission?: Partial<Mission>;
    readonly words?: readonly string[];
    /** `<trap>` is the address of a server at which nothing may arrive. */
    readonly env?: Readonly<Record<string, string>>;
    readonly settings?: string;
    readonly code: string;
    readonly says: readonly string[];
  }
  const anthropic = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: '<trap>' };
  const rows: readonly Row[] = [
    {
      what: 'no key',
      env: { ANTHROPIC_BASE_URL: '<trap>' },
      code: 'no-model',
      says: [
        'no model for boss, worker',
        '--model <m>',
        'team.md',
        '~/.bnerd.yaml',
        'ANTHROPIC_API_KEY',
        'GEMINI_API_KEY',
      ],
    },
    {
      what: 'two keys',
      env: { ...anthropic, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: '<trap>/v1' },
      code: 'several-keys',
      says: ['ANTHROPIC_API_KEY (anthropic), OPENAI_API_KEY (openai)', '--model anthropic/default'],
    },
    {
      what: 'an alias of another provider',
      mission: { roles: { boss: { model: 'sonnet' }, worker: { base: 'write', model: 'inherit' } } },
      env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: '<trap>/v1' },
      code: 'no-key',
      says: ['boss.md', 'model "sonnet"', 'ANTHROPIC_API_KEY', 'aliases: {sonnet: openai/default}'],
    },
    {
      what: 'an unknown model of a vendor',
      words: ['--model', 'openai/gpt-6-sool'],
      env: { ...anthropic, OPENAI_API_KEY: KEY },
      code: 'unknown-model',
      says: ['--model', 'did you mean "openai/gpt-6-sol"', 'models: {openai/gpt-6-sool: {context: 32768}}'],
    },
    {
      what: 'a model of unknown price under cost_usd',
      words: ['--model', 'worker=openai-compatible/llama3:8b', '--limit', 'cost_usd=1'],
      env: { ...anthropic, OPENAI_COMPATIBLE_BASE_URL: '<trap>/v1' },
      code: 'unpriced-model',
      says: ['cost_usd is 1', 'openai-compatible/llama3:8b', 'price: {input: <usd>, output: <usd>}'],
    },
    {
      what: 'an alias in a circle',
      words: ['--model', 'fast'],
      env: anthropic,
      settings: 'aliases: {fast: quick, quick: fast}\n',
      code: 'alias-circle',
      says: ['fast -> quick -> fast'],
    },
    {
      what: 'a key in the place of a model',
      words: ['--model', `sk-ant-api03-${KEY}`],
      env: anthropic,
      code: 'bad-model',
      says: ['not shown', 'keys come from the environment only'],
    },
  ];

  test.each(rows.map((row) => ({ ...row, title: row.what })))('$title', async (row) => {
    const far = await trap();
    const at = await job(providerTeam(row.mission));
    if (row.settings !== undefined) await writeFile(join(at.place.home, '.bnerd.yaml'), row.settings);
    const before = [await everything(at.place.root), await everything(at.mission)];
    const env = Object.fromEntries(
      Object.entries(row.env ?? {}).map(([name, value]) => [name, value.replace('<trap>', far.url)]),
    );
    const plain = await at.run(row.words, { env });
    expect(plain.exit).toBe(2);
    expect(plain.stdout).toBe('');
    for (const said of row.says) expect(plain.stderr).toContain(said);
    const lines = await at.here(['team', 'run', 'job', '--json-events', ...(row.words ?? [])], { env });
    expect(lines.exit).toBe(2);
    expect(lines.lines).toHaveLength(1);
    expect(lines.lines[0]).toMatchObject({ type: 'run.refused', exit: 2 });
    expect(JSON.stringify(lines.lines[0])).toContain(`"code":"${row.code}"`);
    expect(plain.stderr + lines.stdout + lines.stderr).not.toContain(KEY);
    expect([await everything(at.place.root), await everything(at.mission)], 'nothing created').toEqual(
      before,
    );
    expect(far.caught(), 'no connection').toBe(0);
  });
});

describe('a run with a key', () => {
  /** The host alone, as Anthropic's own tools take it. */
  const anthropic = (url: string) => ({
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: url.replace(/\/v1$/, ''),
  });

  /** What one answer of the far side costs, worked out by hand from a price per million. */
  const costOf = (input: number, cached: number, write: number, output: number): number =>
    ((USAGE.input - USAGE.cached - USAGE.cacheWrite) * input +
      USAGE.cached * cached +
      USAGE.cacheWrite * write +
      USAGE.output * output) /
    1e6;

  async function run(at: Job, env: Record<string, string>, words: readonly string[] = []) {
    return at.run(['--auto-approve', 'all', ...words], { env });
  }

  test('each role has its model, the record the resolved names, and the costs are those of the list', async () => {
    const far = await farSide('anthropic', twoAtWork);
    const at = await job(
      providerTeam({
        roles: { boss: { model: 'opus' }, worker: { base: 'write', model: 'claude-haiku-4-5' } },
      }),
    );
    const ended = await run(at, anthropic(far.url), ['--limit', 'cost_usd=1']);
    expect(ended.stderr).toContain('done (exit 0)');
    expect(ended.stdout.trim()).toBe(`The home of tools is ${at.place.home}`);

    const asked = (who: string) =>
      far.seen
        .filter(({ system }) => system.join('\n').includes(`You are ${who}.`))
        .map(({ model }) => model);
    expect(new Set(asked('boss'))).toEqual(new Set(['claude-opus-5-5']));
    expect(new Set(asked('worker'))).toEqual(new Set(['claude-haiku-4-5']));
    expect(new Set(far.seen.map(({ headers }) => headers['x-api-key']))).toEqual(new Set([KEY]));

    const [started] = await at.of('run.started');
    expect(started?.seats.map(({ member, model }) => `${member} ${model}`)).toEqual([
      'boss anthropic/claude-opus-5-5',
      'worker anthropic/claude-haiku-4-5',
    ]);
    const expected =
      asked('boss').length * costOf(4, 0.2, 5, 20) + asked('worker').length * costOf(1, 0.1, 1.25, 5);
    expect(ended.stderr).toContain(`cost: ${expected.toFixed(4)} USD`);
    const status = await at.bnerd(['team', 'status', await at.id()]);
    expect(status.stdout).toContain(`cost ${expected.toFixed(4)} USD`);
  });

  test('nobody names a model: the one key says it, for the lead and for members', async () => {
    const far = await farSide('anthropic', twoAtWork);
    const at = await job(providerTeam());
    const ended = await run(at, anthropic(far.url));
    expect(ended.exit).toBe(0);
    expect(new Set(far.seen.map(({ model }) => model))).toEqual(new Set(['claude-sonnet-5-5']));
  });

  test('through an address of the operator’s, a price nobody knows is told as unknown', async () => {
    const far = await farSide('openai-compatible', twoAtWork);
    const at = await job(providerTeam());
    const env = { OPENAI_COMPATIBLE_BASE_URL: far.url };
    const ended = await run(at, env, ['--model', 'openai-compatible/llama3:8b']);
    expect(ended.stderr).toContain('cost: unknown');
    const [started] = await at.of('run.started');
    expect(started?.findings).toMatchObject([
      {
        code: 'context-assumed',
        severity: 'warning',
        message: expect.stringContaining('counts as 32768 tokens'),
      },
    ]);
    // Said once, before anything else; a line of the settings file takes it away.
    expect(ended.stderr.match(/context-assumed/g)).toHaveLength(1);
    expect(ended.stderr).toMatch(/^--model: warning context-assumed .*counts as 32768 tokens/);
    expect(ended.exit).toBe(0);
    expect(new Set(far.seen.map(({ model }) => model))).toEqual(new Set(['llama3:8b']));
    const most = far.seen.map(({ body }) => Number(body['max_tokens'] ?? body['max_completion_tokens']));
    expect(new Set(most)).toEqual(new Set([8_192]));
    expect((await at.bnerd(['team', 'status', await at.id()])).stdout).toContain('cost unknown');
  });

  test('no value of a key reaches a tool, a record or a line of output', async () => {
    const far = await farSide('anthropic', twoAtWork);
    const at = await job(providerTeam());
    const other = `${KEY}-other`;
    const env = {
      ...anthropic(far.url),
      // Keys of others that are set as well: the model is named, so they are of no use.
      OPENAI_API_KEY: other,
      AWS_SECRET_ACCESS_KEY: other,
      MY_KEY: other,
    };
    await writeFile(
      join(at.place.home, '.bnerd.yaml'),
      'providers: {openai-compatible: {api-key-env: MY_KEY}}\n',
    );
    const ended = await run(at, env, ['--json-events=all', '--model', 'anthropic/default']);
    expect(ended.exit).toBe(0);
    const [printed] = (await at.results('worker')).filter((text) => /^PATH=/m.test(text));
    expect(printed).toMatch(/^HOME=/m);
    expect(printed).not.toMatch(/KEY|TOKEN|SECRET|ANTHROPIC|OPENAI/);
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
    const id = await at.id();
    for (const words of [
      ['status', id, '--json'],
      ['transcript', id, 'worker', '--json'],
      ['verify', id],
    ])
      expect((await at.bnerd(['team', ...words], { env })).stdout).not.toContain(KEY);
    const files = await texts(at.place.root);
    expect(files.size).toBeGreaterThan(3);
    expect([...files].filter(([, text]) => text.includes(KEY)).map(([file]) => file)).toEqual([]);
    expect(JSON.stringify(far.seen.map(({ body }) => body))).not.toContain(KEY);
  });

  test('a key that the provider refuses ends the run, and is not told', async () => {
    const message = `invalid x-api-key: ${KEY}`;
    const far = await farSide('anthropic', () => ({ kind: 'status', status: 401, message }));
    const at = await job(providerTeam());
    const ended = await run(at, anthropic(far.url));
    expect(ended.exit).toBe(1);
    expect(ended.stdout + ended.stderr).not.toContain(KEY);
    expect(ended.stderr).toContain('bnerd team resume');
    const files = await texts(at.place.root);
    expect([...files].filter(([, text]) => text.includes(KEY)).map(([file]) => file)).toEqual([]);

    // The same team without the key: nothing moves and nothing is written.
    const id = await at.id();
    const facts = await at.facts();
    const without = await at.bnerd(['team', 'resume', id], { env: { OPENAI_API_KEY: KEY } });
    expect(without.exit).toBe(2);
    expect(without.stderr).toContain(`${id}: error no-key`);
    expect(without.stderr).toContain('anthropic/claude-sonnet-5-5');
    expect(without.stderr).toContain('ANTHROPIC_API_KEY');
    expect(await at.facts()).toEqual(facts);

    // With one that is right it goes on, on the models of the record, whatever the settings say now.
    const right = await farSide('anthropic', twoAtWork);
    await writeFile(
      join(at.place.home, '.bnerd.yaml'),
      'model: haiku\naliases: {anthropic/default: opus, sonnet: opus}\n',
    );
    const resumed = await at.bnerd(['team', 'resume', id], { env: anthropic(right.url) });
    expect(resumed.stderr).toContain('done (exit 0)');
    expect(new Set(right.seen.map(({ model }) => model))).toEqual(new Set(['claude-sonnet-5-5']));
  });
});
