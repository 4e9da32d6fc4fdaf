/** How long a person waits for the list of many recipes, against the start of Node itself. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const RECIPES = 200;

/** A home with the recipes, made once: each round lists the same. */
let home;

export const row = {
  name: 'recipe-list',
  measures: `node dist/cli.js team list, of ${RECIPES} recipes`,
  reference: 'node -e 0',
  goal: 3,
  floor: 4,
  rounds: 21,
  warmup: 3,
  cpu: 'children',
  missing: () => (existsSync(cli) ? undefined : `${cli} is not there: build it with "npm run build"`),
  release() {
    if (home !== undefined) rmSync(home, { recursive: true });
  },
  ours: {
    prepare() {
      home ??= homeWithRecipes();
    },
    run() {
      const listed = start([cli, 'team', 'list']).split('\n').length;
      if (listed < RECIPES) throw new Error(`${listed} lines came of ${RECIPES} recipes`);
    },
  },
  theirs: {
    prepare() {
      home ??= homeWithRecipes();
    },
    run() {
      start(['-e', '0']);
    },
  },
};

function homeWithRecipes() {
  const made = mkdtempSync(join(tmpdir(), 'bench-recipes-'));
  for (let number = 1; number <= RECIPES; number++) {
    const text = `---
name: job-${number}
description: Looks into matter ${number} of the project and says what is to be done about it
lead: boss
roles:
  always-on: [worker]
limits:
  cost_usd: 5
---

Look into matter ${number}. Have one who knows the code say what it does, and one who does not say what it should do.
`;
    const folder = join(made, 'teams', `job-${number}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'team.md'), text);
  }
  return made;
}

function start(args) {
  const env = { ...process.env, BNERD_HOME: home };
  const options = { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' };
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, options);
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}
