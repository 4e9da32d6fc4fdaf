/**
 * Runners on other machines, as one process of the team's side sees them (spec/runner.md §3, engine.md §3): briefs are put
 * down on Redis and asked for in the queue of their pool, what runners report is read out of the inbox of the team, and
 * results are taken in where the workspace is.
 *
 *  R1 one process at a time works at the desk of a team, on the machine that has the workspace: by a lease of its own. Two
 *     that both believe in it harm nothing, since every word becomes a command that the record takes once;
 *  R2 a brief that is out and that no runner has is put down and asked for again at each beat: what was lost on its way, or
 *     with whoever had sent it, costs a beat;
 *  R3 a brief is lost when its runner keeps it no more and an outage of the server does not explain that: whoever has seen
 *     one, or has seen nothing yet, gives each runner a whole lease more. While a result lies there it is not lost;
 *  R4 nothing that a runner has put down goes before the record has what it says.
 */

import { type RunnerLine, runnerLine } from '../../delegate/runner/lines.js';
import { type BeginWord, BriefPost } from '../../dispatch/brief-post.js';
import { atMost } from '../../dispatch/by-deadline.js';
import { briefsPool } from '../../dispatch/job.js';
import type { Lease } from '../../dispatch/lease-keeper.js';
import { giveBack, takeDesk } from '../../dispatch/leases.js';
import type { FactOf } from '../../events/event.js';
import { CancelledError } from '../../shared/errors.js';
import { type KeyPair, signed } from '../../shared/signature.js';
import { teamKeysOf } from '../../shared/team-keys.js';
import { oneLine } from '../../shared/terminal-text.js';
import { type LiveBrief, liveBriefs } from '../../team/brief.js';
import { isOn } from '../../team/workspace.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { DelegationBounds } from '../house.js';
import { Arrivals } from './arrivals.js';
import type { BriefWords } from './brief-words.js';
import { DeskJobs } from './desk-jobs.js';
import type { EngineerActivity } from './engineer-activity.js';
import type { Hearing, RunnerSide } from './runner-side.js';
import { type TakingParts, takeResult } from './take-result.js';
import { takeWaiting } from './take-waiting.js';
import { UnservedBriefs } from './unserved-briefs.js';

export interface RemoteParts extends TakingParts {
  readonly link: RedisLink;
  /** Signs words to runners; undefined: no key here may act for the team now. */
  worker(): KeyPair | undefined;
  /** Where results are put before they are taken in, on this machine. */
  readonly workdir: string;
  readonly bounds: DelegationBounds;
}

/** How often the inbox is looked at while a brief is out, in milliseconds. */
const LOOK_MS = 150;

/** Reports that are taken out of the inbox at once. */
const REPORTS = 200;

/** How long it may take to give the desk back, in milliseconds: its lease ends by itself. */
const GIVE_BACK_MS = 500;

export class RemoteRunners implements RunnerSide {
  readonly #parts: RemoteParts;
  readonly #words: BriefWords;
  readonly #activity: EngineerActivity;
  readonly #post: BriefPost;
  readonly #jobs: DeskJobs;
  readonly #arrivals: Arrivals;
  readonly #unserved: UnservedBriefs;
  readonly #closed = new AbortController();
  #hearing: Hearing | null = null;
  #lease: Lease | null = null;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** On the monotonic clock: when the next beat is, and until when nothing is called lost (R3). */
  #beatAt = 0;
  #spareUntil: number;

  constructor(parts: RemoteParts, words: BriefWords, activity: EngineerActivity) {
    this.#parts = parts;
    this.#words = words;
    this.#activity = activity;
    const { link, team, workdir } = parts;
    this.#post = new BriefPost(link, team);
    this.#jobs = new DeskJobs(link, team);
    this.#arrivals = new Arrivals(this.#post, parts.outbox, workdir);
    this.#unserved = new UnservedBriefs(parts, words);
    this.#spareUntil = link.clock.monotonicMs() + link.place.timing.leaseMs;
  }

  /** Runners go on without a team's process; what an earlier one here has not come to take in is taken in now. */
  async takeUp(): Promise<readonly string[]> {
    return takeWaiting(this.#parts, this.#closed.signal);
  }

  go(hearing: Hearing): void {
    this.#hearing = hearing;
    this.#plan(0);
  }

  sent(sent: FactOf<'brief.sent'>): void {
    this.#soon(() => this.#offer(sent));
  }

  cancel(brief: string, reason: string): void {
    this.#soon(async () => {
      const worker = this.#parts.worker();
      if (worker === undefined) return; // who is at the desk says it
      const word = signed('cancel', { v: 1, brief, type: 'cancel', reason }, worker);
      await this.#post.tell(brief, { cancel: JSON.stringify(word) });
      await this.#post.withdraw(brief);
    });
  }

  ended({ brief, status, result }: FactOf<'brief.ended'>): void {
    this.#activity.over(brief);
    this.#unserved.over(brief);
    this.#soon(() => this.#post.withdraw(brief));
    // Of one that was lost a runner may still work on it, and its result may be adopted.
    if (result === null && status !== 'lost') this.cancel(brief, 'the brief has ended');
  }

  async close(graceMs: number): Promise<void> {
    this.#closed.abort(new CancelledError('closed', 'the team has ended in this process'));
    clearTimeout(this.#timer);
    await atMost(graceMs, this.#looking);
    const lease = this.#lease;
    this.#lease = null;
    if (lease !== null) await atMost(GIVE_BACK_MS, giveBack(this.#parts.link, lease));
    await this.#jobs.close();
    await this.#arrivals.leave();
  }

  async endLeft(): Promise<void> {
    // Its runners are other processes', and end what they have started.
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed.signal.aborted) return;
    this.#timer = setTimeout(() => this.#soon(() => this.#look()), ms);
  }

  /** One thing at a time; what fails while the server is away is done again at the next beat. */
  #soon(work: () => Promise<void>): void {
    if (this.#hearing === null) return;
    this.#looking = this.#looking.then(async () => {
      if (this.#closed.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        this.#failed(error);
      } finally {
        this.#plan(this.#waitMs());
      }
    });
  }

  #failed(error: unknown): void {
    if (this.#closed.signal.aborted) return;
    const { store, link } = this.#parts;
    if (store.failure !== undefined) {
      this.#hearing?.failed(error);
      return;
    }
    link.trouble.hear(error);
    this.#beatAt = 0; // looked at again, whole
    this.#spareUntil = link.clock.monotonicMs() + link.place.timing.leaseMs;
  }

  /** Often while something is out, else at each beat. */
  #waitMs(): number {
    const { beatMs } = this.#parts.link.place.timing;
    const isOut = this.#lease !== null && liveBriefs(this.#parts.store.state).length > 0;
    return isOut ? Math.min(LOOK_MS, beatMs) : beatMs;
  }

  async #look(): Promise<void> {
    if (!(await this.#isMine())) return;
    const { link, store } = this.#parts;
    await this.#hearReports();
    const now = link.clock.monotonicMs();
    if (now < this.#beatAt) return;
    this.#beatAt = now + link.place.timing.beatMs;
    await store.catchUp();
    await this.#beat();
  }

  /** Whether this process has the desk; takes it where it may (R1). */
  async #isMine(): Promise<boolean> {
    const { link, store, team, worker } = this.#parts;
    if (!isOn(store.state, link.holder.host)) return false;
    if (worker() === undefined) return this.#leaveDesk();
    if (this.#lease?.isHeld() === true) return true;
    this.#lease = null;
    const taken = await takeDesk(link, team);
    if (taken.kind === 'held') return false;
    this.#lease = taken.lease;
    this.#beatAt = 0;
    await this.#post.open();
    return true;
  }

  /** Without a key of the team no word from here is heard: another process may have the desk. */
  async #leaveDesk(): Promise<false> {
    const lease = this.#lease;
    this.#lease = null;
    if (lease !== null) await giveBack(this.#parts.link, lease);
    return false;
  }

  /** Puts a brief down and asks for it, while nobody has it: a text that is put down later would be begun again. */
  async #offer(sent: FactOf<'brief.sent'>): Promise<void> {
    if (this.#words.live(sent.brief)?.status.kind !== 'sent') return;
    const text = await this.#parts.blobs.get(sent.text);
    if (text === undefined) return this.#words.lose(sent.brief, 'its text is not in the record');
    await this.#post.open();
    await this.#post.put(sent.brief, text);
    const before = this.#runnerBefore(sent);
    const { run } = this.#parts.store.state;
    const keys = run === null || run.key_id === null ? null : JSON.stringify(teamKeysOf(run));
    if (before !== null || keys !== null)
      await this.#post.tell(sent.brief, {
        ...(before === null ? {} : { after: before }),
        ...(keys === null ? {} : { keys }),
      });
    await this.#jobs.ask(sent);
  }

  /** Who has lost the offer before: others are to be first. */
  #runnerBefore({ task, attempt, offer }: FactOf<'brief.sent'>): string | null {
    for (const { sent, status } of this.#parts.store.state.briefs.values())
      if (sent.task === task && sent.attempt === attempt && sent.offer === offer - 1)
        return status.kind === 'sent' ? null : status.runner;
    return null;
  }

  /** What was reported, in its order: a runner says that a step begins before it brings what comes of it. */
  async #hearReports(): Promise<void> {
    const reports = await this.#post.reports(REPORTS);
    if (reports.length > 0) await this.#parts.store.catchUp();
    for (const { id, text } of reports) {
      await this.#hear(text);
      await this.#post.drop([id]);
    }
  }

  async #hear(text: string): Promise<void> {
    const line = readLine(text);
    if (line === undefined) {
      this.#hearing?.trouble(`a report of a runner is none of the protocol: ${oneLine(text, 200)}`);
      return;
    }
    const { brief } = line;
    if (line.type === 'result') return this.#takeIn(brief);
    if (line.type !== 'accepted') return this.#words.heard(brief, line);
    const promised = await this.#words.promised(brief, line);
    const why = promised.kind === 'begin' ? '' : promised.message;
    const begin: BeginWord = { runner: line.runner, begins: promised.kind === 'begin', why };
    await this.#post.tell(brief, { begin: JSON.stringify(begin) });
  }

  /** A result that lies there becomes what the record says of it (R4). */
  async #takeIn(brief: string): Promise<void> {
    const arrived = await this.#arrivals.fetch(brief);
    if (arrived.kind === 'none') return;
    const has = this.#runnerOf(brief);
    if (arrived.kind === 'no_result') {
      this.#hearing?.trouble(`${brief}: its result is not taken in: ${arrived.why}`);
      await this.#words.lose(brief, arrived.why);
      return this.#post.end(brief, has ?? '', 'kept');
    }
    const { runner } = arrived;
    if (has !== null && has !== runner) {
      const detail = `a result of ${runner}, and ${has} has the brief`;
      await this.#words.send({ kind: 'brief.witness', brief, code: 'other_runner', detail, result: null });
      await this.#parts.outbox.acknowledge(brief);
      return this.#post.turnAway(brief, runner);
    }
    const taken = await takeResult(this.#parts, brief, this.#closed.signal);
    if (taken.kind === 'later') return;
    if (taken.kind === 'none' && this.#words.live(brief) !== undefined)
      await this.#words.lose(brief, taken.detail ?? 'its runner has ended without a result');
    // What may be adopted stays on this machine until it is.
    if (taken.kind !== 'late' && taken.kind !== 'damaged') await this.#parts.outbox.acknowledge(brief);
    await this.#post.end(brief, runner, taken.kind === 'taken' ? 'taken' : 'kept');
  }

  /** The runner that the record says has a brief that is out. */
  #runnerOf(brief: string): string | null {
    const status = this.#words.live(brief)?.status;
    return status === undefined || status.kind === 'sent' ? null : status.runner;
  }

  /** Each brief that is out: has it a result, or a runner? */
  async #beat(): Promise<void> {
    await this.#takeLying();
    // Only now: what was heard of meanwhile has changed who has which.
    const live = liveBriefs(this.#parts.store.state);
    const takers = await this.#post.takers(live.map(({ sent }) => sent.brief));
    const waiting: LiveBrief[] = [];
    for (const [place, brief] of live.entries()) {
      if (this.#closed.signal.aborted) return;
      if ((takers[place] ?? null) === null && (await this.#withoutRunner(brief))) waiting.push(brief);
    }
    await this.#unserved.look(waiting);
  }

  /** Results that lie there: mostly their reports have come since the last look, else those were lost. */
  async #takeLying(): Promise<void> {
    const out = liveBriefs(this.#parts.store.state).map(({ sent }) => sent.brief);
    const lying = await this.#post.withResult(out);
    if (lying.length > 0) await this.#hearReports();
    for (const brief of lying)
      if (!this.#closed.signal.aborted && this.#words.live(brief) !== undefined) await this.#takeIn(brief);
  }

  /** @returns whether it waits for a runner */
  async #withoutRunner({ sent, status }: LiveBrief): Promise<boolean> {
    const { link, store, bounds } = this.#parts;
    const id = sent.brief;
    const accepted = status.kind !== 'sent' && status.runner !== null;
    if (accepted) {
      if (link.clock.monotonicMs() < this.#spareUntil || (await this.#arrivals.isThere(id))) return false; // R3
      await this.#words.lose(id, 'its runner is gone: it keeps the brief no more');
      return false;
    }
    const sentAt = store.state.briefs.get(id)?.sentAt ?? store.now();
    const isLate = store.now() - sentAt > bounds.beginMs;
    if (status.kind === 'sent' && !isLate) {
      await this.#offer(sent);
      return true;
    }
    // No runner may take it between this look and the record.
    if (!(await this.#post.close(id, link.place.timing.leaseMs))) return false;
    const minutes = Math.round(bounds.beginMs / 60_000);
    await this.#words.lose(id, `no runner of pool ${briefsPool(sent)} took it within ${minutes} min`, 'none');
    return false;
  }
}

function readLine(text: string): RunnerLine | undefined {
  try {
    return runnerLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
