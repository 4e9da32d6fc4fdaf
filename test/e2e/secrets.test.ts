// The real program with secrets around it: nothing of them is left behind or shown (invariant 8).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
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
  const record = await below(place.state);
  for (const name of ['ANTHROPIC_API_KEY', 'ticket', 'token']) expect(record).toContain(`[secret:${name}]`);
  expect(far.seen.length).toBeGreaterThan(1);
  for (const value of ALL) {
    for (const { stdout, stderr } of runs) expect(foundIn(`${stdout}\n${stderr}`, value)).toEqual([]);
    for (const { body } of far.seen) expect(foundIn(JSON.stringify(body), value)).toEqual([]);
    expect(foundIn(record, value)).toEqual([]);
  }
});

async function below(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}
