/** What a long record costs to fold: 50 members, a board of 2,000 tasks, 12,500 turns, made by the rules themselves. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { longLog, MEMBERS, TASKS } from '../long-log.js';

const built = new URL('../../../dist/', import.meta.url);
const evolving = new URL('team/evolve.js', built);

/** Of some eight facts each. */
const TURNS = 12_500;

/** The lines of the log, made once: each round folds the same. */
let lines;

export const row = {
  name: 'core-fold',
  measures: `the log of ${MEMBERS} members, ${TASKS} tasks and ${TURNS} turns folded into its state`,
  reference: 'JSON.parse of the same lines, without which nothing can be folded',
  goal: 0.5,
  floor: 1,
  rounds: 15,
  warmup: 3,
  cpu: 'self',
  missing: () =>
    existsSync(evolving)
      ? undefined
      : `${fileURLToPath(evolving)} is not there: build it with "npm run build"`,
  ours: {
    async prepare() {
      const { evolveEntry } = await import(evolving.href);
      const { emptyState } = await import(new URL('team/state.js', built).href);
      lines ??= await longLog(TURNS);
      return { evolveEntry, state: emptyState(), entries: lines.map((line) => JSON.parse(line)) };
    },
    run({ evolveEntry, state, entries }) {
      for (const entry of entries) evolveEntry(state, entry);
    },
  },
  theirs: {
    async prepare() {
      lines ??= await longLog(TURNS);
      return lines;
    },
    run(all) {
      for (const line of all) JSON.parse(line);
    },
  },
};
