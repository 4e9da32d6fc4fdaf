/** Where programs of a test ask to be connected to: each request is recorded, and one for Redis' own port is caught. */

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BnerdOptions } from './bnerd.js';
import { tempDir } from './temp-dir.js';

/** Loaded by a program before anything else. */
export const RECORDER = join(import.meta.dirname, '../fixtures/programs/record-connections.js');

export interface Trap {
  /** Makes a program's connections recorded, and its way to Redis' port end here. */
  readonly options: BnerdOptions;
  readonly env: Readonly<Record<string, string>>;
  /** How many connections have come in. */
  readonly caught: () => number;
  /** What programs have asked for. */
  readonly asked: () => Promise<Record<string, unknown>[]>;
}

/** A server on a free port at which nothing may arrive: it hangs up, and counts. */
export async function deadEnd(): Promise<{ readonly port: number; readonly caught: () => number }> {
  let caught = 0;
  const server = createServer((socket) => {
    caught += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, caught: () => caught };
}

/** A dead end that stands for Redis on 6379. */
export async function trap(): Promise<Trap> {
  const { port, caught } = await deadEnd();
  const file = join(await tempDir('trap'), 'connections');
  await writeFile(file, '');
  const env = { CONNECTIONS_FILE: file, REDIS_STANDIN: String(port) };
  return {
    options: { node: ['--import', RECORDER], env },
    env,
    caught,
    asked: async () =>
      (await readFile(file, 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line)),
  };
}
