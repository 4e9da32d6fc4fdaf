/** How long a person waits for the smallest answer of the program, against the start of Node itself. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

export const row = {
  name: 'cli-start',
  measures: 'node dist/cli.js --version',
  reference: 'node -e 0',
  goal: 1.6,
  floor: 2,
  rounds: 21,
  warmup: 3,
  cpu: 'children',
  missing: () => (existsSync(cli) ? undefined : `${cli} is not there: build it with "npm run build"`),
  ours: { run: () => start([cli, '--version']) },
  theirs: { run: () => start(['-e', '0']) },
};

function start(args) {
  const { status, stderr, error } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
}
