// The real program with secrets around it: nothing of them is left behind or shown (invariant 8).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { engine } from '../helpers/engines.js';
import { farSide } from '../helpers/provider-team.js';
import { encodings, foundIn } from '../shared/secrets/encodings.js';

vi.setConfig({ testTimeout: 120_000 });

const KEY = 'sk-ant-4n7hQw9ZxT2mB8';
const TICKET = 'T-20261130';
const FILED = 'filed-away-secret';
const ALL = [KEY, TICKET, FILED];

test('a key, a pattern and a file: not in the record, not in requests, not on either stream, with events and without', async () => {
  const place = await bnerdPlace();
  await writeFile(join(place.home, 'token'), `${FILED}\n`);
  await writeFile(
    join(place.home, '.bnerd.yaml'),
    `secrets:\n  files: [token]\n  patterns: [{name: ticket, pattern: 'T-\\d{8}'}]\n`,
  );
  const forms = [...Object.values(encodings(KEY)), ...Object.values(encodings(FILED)), TICKET].join(' ');
  let asked = 0;
  const far = await farSide('anthropic', () => {
    asked++;
    if (asked === 1) return { kind: 'reply', text: forms, calls: [{ tool: 'team_overview', arguments: {} }] };
    return {
      kind: 'status',
      status: 401,
      message: `invalid key ${KEY}: ${forms}`,
      type: 'authentication_error',
    };
  });
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: far.url, BNERD_MODEL: 'sonnet' };
  const prompt = `Read what ${TICKET} and ${FILED} say about ${KEY}`;
  const args = ['team', 'run', 'quickstart', '--prompt', prompt, '--auto-approve', 'all'];
  const runs = [
    await bnerd([...args, '--json-events=all'], { place, env }),
    await bnerd(args, { place, env }),
    await bnerd(['team', 'run', 'quickstart', '--model', `script/${KEY}.yaml`], { place, env }),
    await bnerd(['config', 'show', '--origin'], { place, env }),
    await bnerd(['team', 'describe', 'quickstart', '--prompt', `${KEY}`], { place, env }),
  ];
  expect(runs[0]?.lines.at(-1)).toMatchObject({ type: 'run.ended', reason: 'failed' });
  expect(runs[0]?.stdout).toContain('[secret:ANTHROPIC_API_KEY]');
  expect(runs[1]?.stderr).toContain('[secret:ANTHROPIC_API_KEY]');
  const record = `${await below(place.state)}\n${await engine().kept(place)}`;
  for (const name of ['ANTHROPIC_API_KEY', 'ticket', 'token']) expect(record).toContain(`[secret:${name}]`);
  expect(far.seen.length).toBeGreaterThan(1);
  for (const value of ALL) {
    for (const { stdout, stderr } of runs) expect(foundIn(`${stdout}\n${stderr}`, value)).toEqual([]);
    for (const { body } of far.seen) expect(foundIn(JSON.stringify(body), value)).toEqual([]);
    expect(foundIn(record, value)).toEqual([]);
  }
});

test('where a text is cut to be shown no part of a secret is left, and none is the id of a team', async () => {
  const place = await bnerdPlace();
  const env = { ANTHROPIC_API_KEY: KEY, PROD_TOKEN: 'prod-4n7hqw9zxt2mb8' };
  const cutAt = (limit: number): string => `${'x'.repeat(limit - 12)}${KEY}`;
  const settings = ['model: VALUE', 'aliases: {a: VALUE}', 'VALUE'].map((line) => `${line}\n`);
  const runs: Awaited<ReturnType<typeof bnerd>>[] = [];
  for (const written of settings) {
    await writeFile(join(place.home, '.bnerd.yaml'), written.replace('VALUE', JSON.stringify(cutAt(200))));
    runs.push(await bnerd(['config', 'show', '--origin'], { place, env }));
  }
  await writeFile(join(place.home, '.bnerd.yaml'), '');
  const args = [[cutAt(60)], ['help', cutAt(60)], ['team', 'run', 'quickstart', '--safety', cutAt(80)]];
  for (const words of args) runs.push(await bnerd(words, { place, env }));
  for (const { stdout, stderr } of runs) {
    expect(`${stdout}${stderr}`).not.toContain(KEY.slice(0, 8));
  }
  expect(runs.at(-1)?.stderr).toContain('[secret:ANTHROPIC_API_KEY]…');

  const named = await bnerd(['team', 'run', 'quickstart', '--id', env.PROD_TOKEN, '--prompt', 'x'], {
    place,
    env,
  });
  expect(named).toMatchObject({ exit: 2, stderr: expect.stringContaining('secret-in-name') });
  expect(named.stderr).not.toContain(env.PROD_TOKEN);
  expect(await engine().ids(place)).toEqual([]);
});

async function below(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}
