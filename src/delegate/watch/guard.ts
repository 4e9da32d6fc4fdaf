/**
 * The runner's end of its watchdog: another process that holds a pipe from this one and ends the engineers when the pipe
 * closes, so that a killed runner leaves nothing behind. One for all groups of a runner.
 *
 *  G1 a group's work begins only when its watchdog has been told of it: what is in the pipe survives the runner;
 *  G2 a watchdog that dies is replaced and told everything again, a few times; then no group is started any more.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorText } from '../../shared/errors.js';
import { jsonLine } from '../../shared/jsonl.js';
import type { EndTarget } from '../../shared/process-ending.js';
import type { GroupGuard } from '../../shared/processes.js';

/** How often a watchdog that died is replaced. */
const REPLACED = 5;

export class Watchdog implements GroupGuard {
  readonly #program: string;
  readonly #targets = new Map<string, EndTarget>();
  #child: ChildProcess | undefined;
  #starts = 0;
  #closed = false;

  /** @param program the built watchdog; that of this package unless given */
  constructor(program: string = fileURLToPath(new URL('./watchdog.js', import.meta.url))) {
    this.#program = program;
  }

  /** Its process, while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async guards(target: EndTarget): Promise<void> {
    this.#targets.set(target.marker, target);
    if (this.#child !== undefined) await this.#tell({ guards: target });
    else await this.#start();
  }

  ended({ marker }: EndTarget): void {
    this.#targets.delete(marker);
    this.#tell({ ended: marker }).catch(() => {}); // one that died is replaced, and hears only of those that live
  }

  /** Lets it go: with nothing left to guard it ends. */
  close(): void {
    this.#closed = true;
    this.#stdin()?.end();
  }

  async #start(): Promise<void> {
    if (this.#closed || ++this.#starts > REPLACED)
      throw new Error('the watchdog of engineers does not stay alive');
    const child = spawn(process.execPath, [this.#program], {
      detached: true, // A Ctrl-C at the terminal is the runner's to answer.
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      cwd: '/',
    });
    child.stdin?.on('error', () => {}); // its exit says so
    child.once('exit', () => this.#died(child));
    await once(child, 'spawn');
    this.#child = child;
    await Promise.all([...this.#targets.values()].map((target) => this.#tell({ guards: target })));
    child.unref();
    (child.stdin as (Writable & { unref?: () => void }) | null)?.unref?.();
  }

  #died(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    // A group that runs must not be without one; a start that fails is met by the next group.
    if (!this.#closed && this.#targets.size > 0) this.#start().catch(() => {});
  }

  #stdin(): Writable | null {
    return this.#child?.stdin ?? null;
  }

  /** Resolves when the system holds the line, so that it is there whatever happens to this process. */
  #tell(word: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#stdin();
      if (stdin === null) reject(new Error('the watchdog of engineers has died'));
      else
        stdin.write(jsonLine(word), (error) => {
          if (error === null || error === undefined) resolve();
          else reject(new Error(`the watchdog of engineers cannot be told: ${errorText(error)}`));
        });
    });
  }
}
