/**
 * The commands of the built program in the process of the test, which loads them once: for what a test looks at and puts
 * in order around what it is about. Everything that a process adds (its exit, its signals, its pipes, its death) is
 * `bnerd.ts`, and each command is run there too.
 */

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type BnerdOptions, type BnerdRun, bnerdPlace, CLI, environmentAt, finished } from './bnerd.js';

/** The modules of the built program that its first file loads for a command. */
interface Built {
  readonly main: typeof import('../../src/cli/main.js').main;
  readonly readEnvironment: typeof import('../../src/config/env.js').readEnvironment;
  readonly systemClock: typeof import('../../src/shared/clock.js').systemClock;
  readonly hideSecrets: typeof import('../../src/cli/hide-secrets.js').hideSecrets;
  readonly Sink: typeof import('../../src/cli/output.js').Sink;
}

async function built(): Promise<Built> {
  const from = (path: string): Promise<object> => import(/* @vite-ignore */ join(CLI, '..', path));
  const files = ['cli/main.js', 'config/env.js', 'shared/clock.js', 'cli/hide-secrets.js', 'cli/output.js'];
  return Object.assign({}, ...(await Promise.all(files.map(from))));
}

export interface HereOptions extends Pick<BnerdOptions, 'place' | 'env' | 'cwd'> {
  /** Tells it to stop, as SIGTERM tells a process; nobody does unless given. */
  readonly stop?: AbortSignal;
}

/** Runs a command to its end as `bnerd` does, without a process, and with nothing on stdin. */
export async function bnerdHere(
  args: readonly string[],
  { place: given, env, cwd, stop }: HereOptions = {},
): Promise<BnerdRun> {
  const { main, readEnvironment, systemClock, hideSecrets, Sink } = await built();
  const place = given ?? (await bnerdPlace());
  const environment = readEnvironment(environmentAt(place, env));
  const [stdout, stderr] = [new Kept(), new Kept()];
  const output = { results: new Sink(stdout), notes: new Sink(stderr) };
  hideSecrets(output, environment, null);
  const exit = await main(args, {
    version: '0.0.0-test',
    clock: systemClock,
    environment,
    workingDirectory: realpathSync(cwd ?? place.work),
    output,
    input: { isTerminal: false, open: () => Readable.from([]) },
    onStop: (hear) => {
      const told = (): void => hear('terminate', 1);
      if (stop?.aborted === true) told();
      stop?.addEventListener('abort', told, { once: true });
      return () => stop?.removeEventListener('abort', told);
    },
  });
  await Promise.all([output.results.flushed(), output.notes.flushed()]);
  return finished(exit, stdout.text, stderr.text, place);
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}
