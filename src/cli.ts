#!/usr/bin/env node
/**
 * The program `bnerd`: the only file that ends the process, sets its exit code and hears its signals. Loads nothing
 * but itself and the two streams until it knows that more is needed.
 *
 *  1. An error that nobody expected is one line on stderr and exit 1; tools that run are killed first.
 *  2. Whoever said twice that it has to stop is obeyed within WATCHDOG_MS, whatever hangs.
 */

import { readFileSync, realpathSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Program, StopCause, StopListener } from './cli/call.js';
import { type Output, processOutput } from './cli/output.js';

/** Beyond the grace of the run, which is its own: long enough to record an end, short enough to wait for. */
const WATCHDOG_MS = 5_000;

/** How long what is still open may hold the process after its last word. */
const LINGER_MS = 2_000;

/** Signal, cause, exit code: 128 and the signal's number. */
const SIGNALS: readonly {
  readonly name: NodeJS.Signals;
  readonly cause: StopCause;
  readonly exit: number;
}[] = [
  { name: 'SIGHUP', cause: 'hangup', exit: 129 },
  { name: 'SIGINT', cause: 'interrupt', exit: 130 },
  { name: 'SIGTERM', cause: 'terminate', exit: 143 },
];

start(process.argv.slice(2), processOutput());

function start(argv: readonly string[], output: Output): void {
  const listeners = new Set<StopListener>();
  const breakDown = (error: unknown): void => {
    for (const listener of listeners) listener('terminate', 2);
    output.notes.write(`bnerd: ${plain(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', breakDown);
  if (argv[0] === '--version') output.results.write(`${version()}\n`);
  else run(argv, output, (listener) => hearSignals(listeners, listener)).then(finish, breakDown);
}

async function run(argv: readonly string[], output: Output, onStop: Program['onStop']): Promise<number> {
  const workingDirectory = here();
  if (workingDirectory === undefined) {
    output.notes.write(
      'bnerd: error no-directory the working directory is gone, or may not be looked at (change to another one)\n',
    );
    await output.notes.flushed();
    return 2;
  }
  const { main } = await import('./cli/main.js');
  const { readEnvironment } = await import('./config/env.js');
  const { systemClock } = await import('./shared/clock.js');
  const { hideSecrets } = await import('./cli/hide-secrets.js');
  const environment = readEnvironment();
  hideSecrets(output, environment, null);
  const exit = await main(argv, {
    version: version(),
    clock: systemClock,
    environment,
    workingDirectory,
    output,
    input: { isTerminal: isatty(0) && isatty(2), open: () => process.stdin },
    onStop,
  });
  await Promise.all([output.results.flushed(), output.notes.flushed()]);
  return exit;
}

/** The working directory by its real path; undefined when it was removed or is closed to us. */
function here(): string | undefined {
  try {
    return realpathSync(process.cwd());
  } catch {
    return undefined;
  }
}

function version(): string {
  const file: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const found = typeof file === 'object' && file !== null && 'version' in file ? file.version : undefined;
  return typeof found === 'string' ? found : 'unknown';
}

/** Tells a listener of every signal to stop until the returned function is called. */
function hearSignals(listeners: Set<StopListener>, listener: StopListener): () => void {
  let words = 0;
  const heard = SIGNALS.map(({ name, cause, exit }) => {
    const onSignal = (): void => {
      words += 1;
      if (words > 2) process.exit(exit);
      if (words === 2) setTimeout(() => process.exit(exit), WATCHDOG_MS).unref();
      listener(cause, words);
    };
    process.on(name, onSignal);
    return { name, onSignal };
  });
  listeners.add(listener);
  return () => {
    for (const { name, onSignal } of heard) process.off(name, onSignal);
    listeners.delete(listener);
  };
}

function finish(exit: number): void {
  process.exitCode = exit;
  setTimeout(() => process.exit(exit), LINGER_MS).unref();
}

/**
 * The text of an error on one line. It may come from a file: no control character of it reaches the terminal. Line ends are
 * written as escapes, so that a secret of several lines is still found.
 */
function plain(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\r?\n/g, '\\n');
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+/gu, ' ');
}
