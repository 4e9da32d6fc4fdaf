/**
 * The briefs that a runner has taken and works on (spec/runner.md §3).
 *
 *  S1 a brief is taken by one runner, and begun when the record has its promise (`runner-voice.ts`);
 *  S2 a slot is free again when the result lies in the outbox: what is still on its way holds none (case F145);
 *  S3 a brief that a process of this runner has died over is reported as crashed when it comes back.
 */

import { BRIEF_BYTES, teamOfBrief } from '../../delegate/brief/brief.js';
import { runBrief } from '../../delegate/runner/run-brief.js';
import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { keptBriefs } from '../../delegate/workspace/places.js';
import type { Lease } from '../../dispatch/lease-keeper.js';
import type { OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError, errorText, FatalError } from '../../shared/errors.js';
import type { AcceptedKey } from '../../shared/signature.js';
import { cancelWords } from './cancel-words.js';
import type { Deliveries } from './deliveries.js';
import { RunnerVoice, STOPPED } from './runner-voice.js';

export interface RunningHouse {
  readonly runner: RunnerHouse;
  readonly post: RunnerPost;
  readonly deliveries: Deliveries;
  /** Fires when the runner is told to stop. */
  readonly stop: AbortSignal;
  /** What work has then to come to its end by itself, in milliseconds. */
  readonly finishMs: number;
  /** Whose word counts about a brief, as it is said now. */
  keys(of: OfTeam): Promise<readonly AcceptedKey[]>;
  /** It was taken, and is none for this runner. */
  notMine(brief: string, why: string): void;
  /** What is done, for people; must not throw. */
  onProgress(text: string): void;
  /** The server does not answer; must not throw. */
  onTrouble(error: unknown): void;
  /** For people; must not throw. */
  note(text: string): void;
}

/** How long the last lines of a brief may take, in milliseconds: the server may not answer. */
const LINES_MS = 500;

export class RunningBriefs {
  readonly #house: RunningHouse;
  readonly #atWork = new Set<string>();

  constructor(house: RunningHouse) {
    this.#house = house;
  }

  /** How many run. */
  get size(): number {
    return this.#atWork.size;
  }

  /** Takes a brief, unless another has it, and sees it to its end here. */
  async run(of: OfTeam): Promise<void> {
    const { brief } = of;
    if (this.#atWork.has(brief) || this.#house.deliveries.has(brief)) return; // asked for twice
    this.#atWork.add(brief);
    try {
      await this.#take(of);
    } finally {
      this.#atWork.delete(brief);
    }
  }

  /** Reports what earlier processes of this runner have died over (S3). Rejects where the server is away. */
  async reportLeft(): Promise<void> {
    for (const { brief, marked } of await keptBriefs(this.#house.runner.workdir)) {
      const team = teamOfBrief(brief);
      if (!marked && team !== null) await this.run({ team, brief });
    }
  }

  async #take(of: OfTeam): Promise<void> {
    const text = await this.#house.post.text(of, BRIEF_BYTES);
    if (typeof text !== 'string') return;
    const taken = await this.#house.post.take(of);
    if (taken.kind === 'others') return;
    const { lease } = taken;
    const over = new AbortController();
    try {
      await this.#work(of, text, lease, over.signal);
    } catch (error) {
      lease.drop(); // It lapses, and the brief is somebody's again.
      throw error;
    } finally {
      over.abort();
    }
  }

  /** @param over fires when nobody works on it any more */
  async #work(of: OfTeam, text: string, lease: Lease, over: AbortSignal): Promise<void> {
    const { runner, post, deliveries, note, stop } = this.#house;
    const cancel = this.#calledOff(lease, over);
    const keys = await this.#house.keys(of);
    void cancelWords({ post, of, keys, over, note }, cancel); // never rejects
    const { onTrouble, onProgress } = this.#house;
    const voice = new RunnerVoice({ post, runner: runner.identity.name, onTrouble, onProgress }, of);
    const end = await runBrief(text, { ...runner, keys }, voice, cancel.signal).catch((error: unknown) => {
      throw new FatalError('brief', `the result could not be written: ${errorText(error)}`, { cause: error });
    });
    await voice.close(stop.aborted ? 0 : LINES_MS);
    if (end.kind === 'result') return deliveries.add(end.result, lease); // S2
    note(`${of.brief}: ${end.message}`);
    this.#house.notMine(of.brief, end.message);
    lease.drop();
    await post.letGo(of);
  }

  /** Fires when another runner has the brief, and when this one was told to stop and the work did not end by itself in time. */
  #calledOff(lease: Lease, over: AbortSignal): AbortController {
    const { stop, finishMs } = this.#house;
    const cancel = new AbortController();
    const lost = (): void =>
      cancel.abort(new CancelledError(STOPPED, 'another runner has the brief: this one was not heard of'));
    lease.signal.addEventListener('abort', lost, { once: true });
    const stopped = (): void => {
      sleep(finishMs, over).then(
        () => cancel.abort(new CancelledError(STOPPED, 'the runner was told to stop')),
        () => {}, // it has ended by itself
      );
    };
    if (stop.aborted) stopped();
    else stop.addEventListener('abort', stopped, { once: true });
    over.addEventListener('abort', () => stop.removeEventListener('abort', stopped), { once: true });
    return cancel;
  }
}
