/** Commands of the built program in this process, which loads them once: a coordinator or a worker beside others. */

import { Readable, Writable } from 'node:stream';
import { load } from '../redis.js';

/**
 * Runs a command to its end.
 * @param environment all the variables it sees
 * @param stop tells it to stop, as SIGTERM tells a process
 * @returns its exit code, and what it said on stderr
 */
export async function command(words, environment, workingDirectory, stop) {
  const { main } = await load('cli/main.js');
  const { readEnvironment } = await load('config/env.js');
  const { systemClock } = await load('shared/clock.js');
  const { Sink } = await load('cli/output.js');
  let said = '';
  const stream = (hear) =>
    new Writable({
      write(chunk, _encoding, done) {
        hear(String(chunk));
        done();
      },
    });
  const notes = stream((text) => {
    said += text;
  });
  const exit = await main(words, {
    version: '0.0.0-bench',
    clock: systemClock,
    environment: readEnvironment(environment),
    workingDirectory,
    output: { results: new Sink(stream(() => {})), notes: new Sink(notes) },
    input: { isTerminal: false, open: () => Readable.from([]) },
    onStop: (hear) => {
      const told = () => hear('terminate', 1);
      stop?.addEventListener('abort', told, { once: true });
      return () => stop?.removeEventListener('abort', told);
    },
  });
  return { exit, said };
}
