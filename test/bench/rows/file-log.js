/** What the file log adds to the writes and syncs that its promise costs in any case. */

import { existsSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = new URL('../../../dist/', import.meta.url);
const record = new URL('events/file-record.js', built);
/** What the log takes: the version that is written today. */
const version = existsSync(record)
  ? (await import(new URL('events/log-entry.js', built).href)).RECORD_VERSION
  : undefined;

/** Members that each wait for their entry before they make the next. */
const WRITERS = 64;
const PASSES = 64;

export const row = {
  name: 'file-log',
  measures: `${PASSES} × ${WRITERS} entries appended to the file log, ${WRITERS} at a time`,
  reference: `the same bytes, one write and one fdatasync per ${WRITERS} entries`,
  goal: 1.43,
  floor: 2,
  rounds: 15,
  warmup: 3,
  cpu: 'self',
  missing: () =>
    existsSync(record) ? undefined : `${fileURLToPath(record)} is not there: build it with "npm run build"`,
  ours: {
    async prepare() {
      const { openFileRecord } = await import(record.href);
      const { systemClock } = await import(new URL('shared/clock.js', built).href);
      const folder = await mkdtemp(join(tmpdir(), 'bench-file-log-'));
      return {
        folder,
        opened: await openFileRecord(join(folder, 'team'), { clock: systemClock, mode: 'create' }),
      };
    },
    async run({ opened }) {
      for (let pass = 0; pass < PASSES; pass++) {
        await Promise.all(entriesOf(pass).map((entry) => opened.log.append(entry)));
      }
    },
    async release({ folder, opened }) {
      await opened.close();
      await rm(folder, { recursive: true });
    },
  },
  theirs: {
    async prepare() {
      const folder = await mkdtemp(join(tmpdir(), 'bench-raw-log-'));
      return { folder, handle: await open(join(folder, 'log.jsonl'), 'a', 0o600) };
    },
    async run({ handle }) {
      for (let pass = 0; pass < PASSES; pass++) {
        await handle.write(
          entriesOf(pass)
            .map((entry) => `${JSON.stringify(entry)}\n`)
            .join(''),
        );
        await handle.datasync();
      }
    },
    async release({ folder, handle }) {
      await handle.close();
      await rm(folder, { recursive: true });
    },
  },
};

/** Entries as a turn makes them after each reply, with the numbers that the log expects. */
function entriesOf(pass) {
  return Array.from({ length: WRITERS }, (_, writer) => ({
    v: version,
    first: pass * WRITERS + writer + 1,
    at: pass,
    wall: '2026-01-01T00:00:00.000Z',
    commands: [{ id: `bench/${pass}/${writer}`, facts: 1 }],
    facts: [
      {
        type: 'budget.spent',
        turn: pass + 1,
        member: `member-${writer}`,
        model: 'script/bench',
        input_tokens: 1200,
        cached_tokens: 800,
        output_tokens: 150,
        cost_usd: null,
        estimated: false,
      },
    ],
  }));
}
