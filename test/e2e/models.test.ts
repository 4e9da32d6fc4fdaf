// spec/team.md §9 through the program: a run with a key.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { engine } from '../helpers/engines.js';
import { farSide, providerTeam, twoAtWork, USAGE } from '../helpers/provider-team.js';
import { type Job, job } from './job.js';

const KEY = 'planted-3f9c2a7e51';

/** The texts of every file below a directory, by path. */
async function texts(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const)),
  );
}

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
    expect(files.size).toBeGreaterThan(0);
    expect(await engine().kept(at.place)).not.toContain(KEY);
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
