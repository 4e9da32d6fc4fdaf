/** What a person waits for who takes up a team with a long log in files. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { longLog } from '../long-log.js';

const built = new URL('../../../dist/', import.meta.url);
const record = new URL('events/file-record.js', built);

/** Turns of some eight facts each. */
const TURNS = 12_500;

/** The folder of the team, made once: each round opens the same. */
let folder;

export const row = {
  name: 'file-resume',
  measures: 'a team with a log of some 100,000 facts in files opened, its state folded',
  reference: 'the file read and each of its lines parsed as JSON',
  goal: 1.5,
  floor: 2.5,
  rounds: 9,
  warmup: 2,
  cpu: 'self',
  missing: () =>
    existsSync(record) ? undefined : `${fileURLToPath(record)} is not there: build it with "npm run build"`,
  async release() {
    if (folder !== undefined) await rm(await folder, { recursive: true });
  },
  ours: {
    async prepare() {
      folder ??= longTeam();
      const { openFileRecord } = await import(record.href);
      const { TeamStore } = await import(new URL('state/team-store.js', built).href);
      const { systemClock } = await import(new URL('shared/clock.js', built).href);
      return { team: await folder, openFileRecord, TeamStore, clock: systemClock };
    },
    async run({ team, openFileRecord, TeamStore, clock }) {
      const opened = await openFileRecord(team, { clock, mode: 'open' });
      await TeamStore.open(opened.log, clock);
      await opened.close();
    },
  },
  theirs: {
    async prepare() {
      folder ??= longTeam();
      return join(await folder, 'log.jsonl');
    },
    async run(log) {
      for (const line of (await readFile(log, 'utf8')).split('\n')) if (line !== '') JSON.parse(line);
    },
  },
};

async function longTeam() {
  const team = await mkdtemp(join(tmpdir(), 'bench-resume-'));
  await mkdir(join(team, 'transcripts'));
  await writeFile(join(team, 'log.jsonl'), (await longLog(TURNS)).map((line) => `${line}\n`).join(''));
  return team;
}
