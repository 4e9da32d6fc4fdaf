/**
 * The built program at a terminal: a pseudo terminal that `script` (util-linux) opens. What is typed goes in as from
 * a keyboard, unechoed; what is seen is stdout and stderr together, as a screen gets them.
 */

import { spawn, spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { type BnerdPlace, CLI, environmentAt, expectNoControlCodes } from './bnerd.js';
import { until } from './until.js';

/** Whether this machine has a `script` that is util-linux' (that of BSD knows other options). */
export function hasTerminal(): boolean {
  return /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');
}

export interface TerminalOptions {
  readonly place: BnerdPlace;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A file that takes stdout; the screen unless given. */
  readonly stdout?: string;
}

export class Terminal {
  /** The exit code of the program. */
  readonly ended: Promise<number>;
  readonly #script;
  readonly #seen: Buffer[] = [];
  /** How much of the screen was waited for already. */
  #past = 0;

  /** Starts the program; it is ended with the test. */
  constructor(args: readonly string[], { place, cwd, env, stdout }: TerminalOptions) {
    const program = [process.execPath, CLI, ...args].map(quoted).join(' ');
    const command = `exec ${program}${stdout === undefined ? '' : ` > ${quoted(stdout)}`}`;
    const words = ['--quiet', '--return', '--echo', 'never', '--flush', '--command', command, '/dev/null'];
    this.#script = spawn('script', words, {
      cwd,
      env: environmentAt(place, { SHELL: '/bin/sh', TERM: 'xterm', ...env }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#script.stdout.on('data', (chunk: Buffer) => this.#seen.push(chunk));
    this.#script.stdin.on('error', () => {});
    this.ended = new Promise((resolve, reject) => {
      this.#script.once('error', reject);
      this.#script.once('close', (code) => {
        try {
          expectNoControlCodes('the terminal', this.screen());
          resolve(code ?? -1);
        } catch (error) {
          reject(error);
        }
      });
    });
    onTestFinished(() => {
      this.close();
    });
  }

  /** Everything that was shown, with the line ends that the program wrote. */
  screen(): string {
    return Buffer.concat(this.#seen).toString('utf8').replaceAll('\r\n', '\n');
  }

  /** Types a text; `\u0003` is Ctrl-C, `\u0004` Ctrl-D. */
  type(text: string): void {
    this.#script.stdin.write(text);
  }

  /** Waits until a text is shown, behind what was waited for before. */
  async shows(text: string | RegExp): Promise<void> {
    await until(
      () => {
        const rest = this.screen().slice(this.#past);
        const place = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
        if (place === -1) return false;
        const length = typeof text === 'string' ? text.length : (text.exec(rest)?.[0].length ?? 0);
        this.#past += place + length;
        return true;
      },
      { ms: 30_000, what: `the terminal shows ${text}` },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it shows:\n${this.screen()}`);
    });
  }

  /** Closes the window. */
  close(): void {
    this.#script.kill('SIGKILL');
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
