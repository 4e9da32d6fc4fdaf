// spec/team.md §9 through the program: what is refused before any call, and before there is a team.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providerTeam, trap } from '../helpers/provider-team.js';
import type { Mission } from '../helpers/team.js';
import { job } from './job.js';

const KEY = 'planted-3f9c2a7e51';

/** Every path below a directory; empty when it is not there. */
async function everything(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true }).catch((): string[] => [])).sort();
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
