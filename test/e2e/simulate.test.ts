// spec/team.md §9 `bnerd team simulate` through the program.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';

const NO_NETWORK = join(import.meta.dirname, '../fixtures/programs/no-network.js');

test('a built-in recipe is simulated with no network and no key; the result says so, the directory is as it was', async () => {
  const place = await bnerdPlace();
  const env = { NODE_OPTIONS: `--import=${NO_NETWORK}` };
  const run = await bnerd(['team', 'simulate', 'pr-review', 'look at nothing', '--auto-approve', 'all'], {
    place,
    env,
  });
  expect(run.stderr).toContain('task #1');
  expect(run.stdout).toMatch(/^SIMULATED: no model was asked/);
  expect(run.exit).toBe(0);
  expect(await readdir(place.work)).toEqual([]);

  const bad = await bnerd(['team', 'simulate', 'pr-review', '--workspace', 'there'], { place });
  expect(bad.exit).toBe(2);
  expect(bad.stderr).toContain('allowed: copy, temp, here');
});
