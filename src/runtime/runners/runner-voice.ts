/**
 * What the work on a brief says, on its way into the inbox of the team, in its order (spec/runner.md §3): kept while the server
 * is away and said when it is back. What an engineer does is news only: of that the newest alone waits.
 *
 * Always true: nothing here holds up the work; and a result is not said here, but brought by the outbox (`deliveries.ts`).
 */

import type { RunnerLine } from '../../delegate/runner/lines.js';
import type { Begins, Voice } from '../../delegate/runner/voice.js';
import type { OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import { cancelled, sleep, within } from '../../shared/abort.js';

/** What an engineer does is said at most so often, in milliseconds. */
const ACTIVITY_MS = 2_000;

/** Between two tries to reach a server that is away. */
const AGAIN_MS = 500;

/** How long the word is waited for that work may begin: for so long a slot is held for a team that does not answer. */
const BEGIN_MS = 3 * 60_000;
const LOOK_MS = 100;

/** The code of the reason with which work is called off since its runner stops. */
export const STOPPED = 'stopped';

export interface VoiceHouse {
  readonly post: RunnerPost;
  /** The id of this runner. */
  readonly runner: string;
  /** Hears of a server that does not answer; must not throw. */
  onTrouble(error: unknown): void;
  /** Hears what is done, for people; must not throw. */
  onProgress(text: string): void;
}

export class RunnerVoice implements Voice {
  readonly #house: VoiceHouse;
  readonly #of: OfTeam;
  readonly #over = new AbortController();
  #waiting: RunnerLine[] = [];
  #saying: Promise<void> | undefined;
  #wake: () => void = () => {};

  constructor(house: VoiceHouse, of: OfTeam) {
    this.#house = house;
    this.#of = of;
  }

  say(line: RunnerLine): void {
    this.#house.onProgress(wordOf(line, this.#of.brief));
    if (line.type === 'result' || this.#over.signal.aborted) return;
    if (line.type === 'activity') this.#waiting = this.#waiting.filter(({ type }) => type !== 'activity');
    this.#waiting.push(line);
    this.#saying ??= this.#sayAll().finally(() => {
      this.#saying = undefined;
    });
    this.#wake();
  }

  async begins(_brief: string, cancel: AbortSignal): Promise<Begins> {
    const { post, runner } = this.#house;
    const deadline = within(AbortSignal.any([cancel, this.#over.signal]), BEGIN_MS);
    while (!deadline.aborted) {
      try {
        const { begin } = await post.told(this.#of);
        if (begin?.runner === runner && begin.begins) return { kind: 'begins' };
        if (begin !== null) return { kind: 'not', message: begin.why || `${begin.runner} has it` };
      } catch (error) {
        this.#house.onTrouble(error);
      }
      await sleep(LOOK_MS, deadline).catch(() => {}); // looked at above
    }
    // Called off by its team it ends as that, with a result; of a runner that stops nothing has begun.
    if (cancel.aborted && cancelled(cancel).code !== STOPPED) return { kind: 'begins' };
    return { kind: 'not', message: 'nobody of its team has said that work may begin' };
  }

  /** Nothing more is said; settles when what waited was said, within the time. */
  async close(ms: number): Promise<void> {
    const done = this.#saying ?? Promise.resolve();
    const late = new AbortController();
    await Promise.race([done, sleep(ms, late.signal).catch(() => {})]);
    late.abort();
    this.#over.abort();
    this.#wake();
  }

  async #sayAll(): Promise<void> {
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      await this.#sayOne(line);
      if (line.type === 'activity') await this.#until(ACTIVITY_MS);
    }
  }

  /** Behind an activity there is time, unless something else is to be said. */
  async #until(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => {
      if (this.#waiting.some(({ type }) => type !== 'activity') || this.#over.signal.aborted) woken.abort();
    };
    await sleep(ms, AbortSignal.any([woken.signal, this.#over.signal])).catch(() => {}); // there is more
  }

  async #sayOne(line: RunnerLine): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        await this.#house.post.report(this.#of.team, line);
        return;
      } catch (error) {
        this.#house.onTrouble(error);
        if (line.type === 'activity') return;
        await sleep(AGAIN_MS, this.#over.signal).catch(() => {}); // looked at above
      }
    }
  }
}

function wordOf(line: RunnerLine, brief: string): string {
  switch (line.type) {
    case 'step':
      return `${brief}: ${line.step}`;
    case 'activity':
      return `${brief}: engineer`;
    default:
      return `${brief}: ${line.type}`;
  }
}
