/**
 * Runners as children of the process that runs the team (spec/runner.md §3): one for each brief that is out, kept from its
 * fact to its end.
 *
 *  D1 a brief that is out has one runner here, from its fact to the end of that process;
 *  D2 a runner that ends without a result, does not begin in time or does not obey is ended with all that it has started,
 *     and only then its brief is lost;
 *  D3 a result leaves the outbox when the record has it, on one way for a runner that lives and for one that has died.
 */

import { join } from 'node:path';
import type { RunnerLine } from '../../delegate/runner/lines.js';
import type { FactOf } from '../../events/event.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import { KILL_LADDER } from '../../shared/process-ending.js';
import { endLeftovers } from '../../shared/process-leftovers.js';
import type { GroupExit, ProcessGroups } from '../../shared/processes.js';
import { signed } from '../../shared/signature.js';
import { liveBriefs } from '../../team/brief.js';
import type { DelegationBounds } from '../house.js';
import type { BriefWords } from './brief-words.js';
import type { EngineerActivity } from './engineer-activity.js';
import { type ChildStart, RunnerChild } from './runner-child.js';
import type { Hearing, RunnerSide } from './runner-side.js';
import { simulateEngineer } from './simulate-engineer.js';
import { type TakingParts, takeResult } from './take-result.js';
import { takeWaiting } from './take-waiting.js';

export interface ChildParts extends TakingParts {
  /** `stand-in`: none is started (`simulate-engineer.ts`). */
  readonly engineers: 'real' | 'stand-in';
  readonly run: Pick<FactOf<'run.started'>, 'grace_ms'>;
  readonly groups: ProcessGroups;
  /** How a runner is started, but for the brief. */
  readonly child: {
    readonly program: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** Signs words to a runner. */
  readonly worker: Parameters<typeof signed>[2];
  /** The folder of the runners. */
  readonly workdir: string;
  readonly bounds: DelegationBounds;
}

export class ChildRunners implements RunnerSide {
  readonly #parts: ChildParts;
  readonly #words: BriefWords;
  readonly #activity: EngineerActivity;
  /** By brief: its runner, once it has started, and what ends the waits for it. */
  readonly #served = new Map<string, { child: RunnerChild | null; readonly over: AbortController }>();
  readonly #work = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  #hearing: Hearing | null = null;

  constructor(parts: ChildParts, words: BriefWords, activity: EngineerActivity) {
    this.#parts = parts;
    this.#words = words;
    this.#activity = activity;
  }

  /** Results go into the record, briefs without one are lost and offered again where they may be: their runners are ended. */
  async takeUp(): Promise<readonly string[]> {
    await endLeftovers(join(this.#parts.workdir, 'groups'));
    const findings = await takeWaiting(this.#parts, this.#closed.signal);
    const gone = 'its runner was gone when the team was taken up again';
    for (const brief of liveBriefs(this.#parts.store.state))
      await this.#words.takeOrLose(brief.sent.brief, gone, this.#closed.signal);
    return findings;
  }

  go(hearing: Hearing): void {
    this.#hearing = hearing;
    for (const { sent } of liveBriefs(this.#parts.store.state)) this.sent(sent);
  }

  /** Runners that are left hear the end of their input; what they leave in the outbox is taken in by whoever comes next. */
  async close(graceMs: number): Promise<void> {
    this.#closed.abort(new CancelledError('closed', 'the team has ended in this process'));
    for (const { child, over } of this.#served.values()) {
      over.abort();
      child?.leave();
    }
    const grace = new AbortController();
    const late = sleep(graceMs, grace.signal).catch(() => {}); // they were faster
    await Promise.race([Promise.allSettled([...this.#work]), late]);
    grace.abort();
  }

  sent(sent: FactOf<'brief.sent'>): void {
    if (this.#served.has(sent.brief)) return;
    const served = { child: null, over: new AbortController() };
    this.#served.set(sent.brief, served);
    const work = this.#runner(sent, served)
      .catch((error: unknown) => {
        if (!this.#closed.signal.aborted) this.#hearing?.failed(error);
      })
      .finally(() => {
        served.over.abort();
        this.#activity.over(sent.brief);
        this.#served.delete(sent.brief);
        this.#work.delete(work);
      });
    this.#work.add(work);
  }

  /** Its runner is told, and ended when it does not obey (D2). */
  cancel(id: string, reason: string): void {
    const served = this.#served.get(id);
    if (served?.child === null || served === undefined) return; // told when it has started, or lost when it cannot
    const { run, bounds } = this.#parts;
    this.#tellCancel(served.child, id, reason);
    this.#endsUnless(id, served.child, run.grace_ms + bounds.cancelMs, served.over.signal);
  }

  /** By something else than the result of its runner: then there is nothing more to do for that one. */
  ended({ brief, result }: FactOf<'brief.ended'>): void {
    const child = this.#served.get(brief)?.child ?? null;
    if (result === null && child !== null) this.#tellCancel(child, brief, 'the brief has ended');
  }

  async endLeft(): Promise<void> {
    const { kept } = await endLeftovers(join(this.#parts.workdir, 'groups'));
    for (const { file, reason } of kept) this.#hearing?.trouble(`${file}: ${reason}`);
  }

  /** The life of one runner (D1, D2). */
  async #runner(
    sent: FactOf<'brief.sent'>,
    served: { child: RunnerChild | null; readonly over: AbortController },
  ): Promise<void> {
    const { blobs, groups, child: spec, workdir, engineers, bounds } = this.#parts;
    const id = sent.brief;
    if (engineers === 'stand-in')
      return simulateEngineer(sent, blobs, (command) => this.#words.send(command));
    const text = await blobs.get(sent.text);
    const started =
      text === undefined
        ? noStart('its text is not in the record')
        : spec.program === ''
          ? noStart('no engineer is set up on this machine any more (runner.engineers in ~/.bnerd.yaml)')
          : await RunnerChild.start(groups, { ...spec, owner: `brief ${id}`, cwd: workdir }, text);
    if (started.kind === 'failed')
      return this.#words.lose(id, `its runner could not be started: ${started.reason}`);
    const { child } = started;
    served.child = child;
    if (this.#closed.signal.aborted) child.leave();
    const accepted = this.#endsUnless(id, child, bounds.acceptMs, served.over.signal);
    this.#endsUnless(id, child, sent.wall_minutes * 60_000 + bounds.afterMs, served.over.signal);
    const live = this.#words.live(id);
    if (live?.status.kind === 'cancelling') this.cancel(id, live.status.reason);
    for await (const line of child.lines()) {
      if (line.brief !== id || this.#closed.signal.aborted) continue;
      if (line.type === 'accepted' || line.type === 'result') accepted.abort();
      await this.#hear(id, child, line);
    }
    const exit = await child.exited;
    await this.#endWhole(child);
    if (this.#closed.signal.aborted) return;
    const said = child.remarks === '' ? '' : `: ${child.remarks}`;
    const why = `its runner ended (${exitText(exit)}) and left no result${said}`;
    await this.#words.takeOrLose(id, why, this.#closed.signal);
  }

  async #hear(id: string, child: RunnerChild, line: RunnerLine): Promise<void> {
    switch (line.type) {
      case 'accepted': {
        const promised = await this.#words.promised(id, line);
        if (promised.kind === 'not_heard') child.leave();
        if (promised.kind === 'refused') this.#tellCancel(child, id, promised.message);
        return;
      }
      case 'result': {
        const taken = await takeResult(this.#parts, id, this.#closed.signal);
        if (taken.kind === 'taken') child.say({ v: 1, brief: id, type: 'acknowledged' });
        else {
          // Not acknowledged, it keeps what it has.
          if (taken.kind === 'undelivered') await this.#parts.outbox.acknowledge(id);
          child.leave(); // what it has said is looked at when it has ended
        }
        return;
      }
      default:
        return this.#words.heard(id, line);
    }
  }

  #tellCancel(child: RunnerChild, brief: string, reason: string): void {
    child.say(signed('cancel', { v: 1, brief, type: 'cancel', reason }, this.#parts.worker));
  }

  /** Kills a runner when this time is over; what it gives calls that off. */
  #endsUnless(id: string, child: RunnerChild, ms: number, over: AbortSignal): AbortController {
    const done = new AbortController();
    sleep(ms, AbortSignal.any([over, done.signal, this.#closed.signal])).then(
      () =>
        this.#endWhole(child).catch((error: unknown) => this.#hearing?.trouble(`${id}: ${String(error)}`)),
      () => {}, // it was in time
    );
    return done;
  }

  /** Nothing of a runner and its engineer is left behind this; else it is said. */
  async #endWhole(child: RunnerChild): Promise<void> {
    const { left } = await child.end(KILL_LADDER);
    const { kept } = await endLeftovers(join(this.#parts.workdir, 'groups'));
    const others = this.#served.size > 1 ? [] : kept; // groups of runners that live are theirs
    for (const what of [...left.map(String), ...others.map(({ reason }) => reason)])
      this.#hearing?.trouble(`a process of a runner could not be ended: ${what}`);
  }
}

function noStart(reason: string): Extract<ChildStart, { kind: 'failed' }> {
  return { kind: 'failed', reason };
}

function exitText(exit: GroupExit): string {
  return exit.kind === 'exited' ? `exit ${exit.code}` : exit.signal;
}
