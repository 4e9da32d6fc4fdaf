/**
 * The team's side of its briefs (spec/runner.md §3, §4): sends them, keeps a runner for each that is out, and takes in what
 * comes back. It decides nothing: every word of a runner is checked here, becomes a command, and the facts say what
 * follows.
 *
 *  D1 a brief that is out has one runner here, from its fact to the end of that process;
 *  D2 a runner that ends without a result, does not begin in time or does not obey is ended with all that it has started,
 *     and only then its brief is lost;
 *  D3 a result leaves the outbox when the record has it, on one way for a runner that lives and for one that has died.
 */

import { join } from 'node:path';
import { checkSignature, signed } from '../../delegate/brief/signature.js';
import type { EngineerSettings } from '../../delegate/engineers/engineer.js';
import { unheldBy } from '../../delegate/engineers/kinds.js';
import type { RunnerLine } from '../../delegate/runner/lines.js';
import type { Fact, FactOf } from '../../events/event.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError, errorText } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import { KILL_LADDER } from '../../shared/process-ending.js';
import { endLeftovers } from '../../shared/process-leftovers.js';
import type { GroupExit, ProcessGroups } from '../../shared/processes.js';
import type { TeamStore } from '../../state/team-store.js';
import { isLiveBrief, type LiveBrief, liveBriefs } from '../../team/brief.js';
import type { Command } from '../../team/command.js';
import type { EngineerSeen } from '../../team/show/status-briefs.js';
import type { Delegated } from '../../tools/coordination/delegated.js';
import type { Delegating } from '../../tools/delegate-engineer.js';
import type { DelegationBounds } from '../house.js';
import type { MemberActivity } from '../turns/activity.js';
import { deniedRules } from './denied-rules.js';
import { EngineerActivity } from './engineer-activity.js';
import { type LateResult, lateResult } from './late-result.js';
import { type ChildStart, RunnerChild } from './runner-child.js';
import { type SendingParts, sendBrief } from './send-brief.js';
import { simulateEngineer } from './simulate-engineer.js';
import { isRecorded, type TakingParts, takeResult } from './take-result.js';
import { takeWaiting } from './take-waiting.js';
import type { WorkspaceGit } from './workspace-git.js';

export interface DeskParts extends TakingParts, SendingParts {
  readonly run: FactOf<'run.started'>;
  /** What this machine says of the engineer. */
  readonly settings: EngineerSettings | undefined;
  readonly store: TeamStore;
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
  wallMs(): number;
  readonly monotonicMs: () => number;
}

/** What a team does with its desk. */
export interface Hearing {
  /** The team cannot go on. */
  failed(error: unknown): void;
  /** What went wrong beside the run. */
  trouble(text: string): void;
}

/** A lost brief is prepared anew when the board has changed under it; at last it is lost without another offer. */
const TRIES = 3;

export class BriefDesk implements Delegated {
  readonly #parts: DeskParts;
  /** By brief: its runner, once it has started, and what ends the waits for it. */
  readonly #served = new Map<string, { child: RunnerChild | null; readonly over: AbortController }>();
  readonly #work = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  #hearing: Hearing | null = null;
  /** What the engineers do now. */
  readonly #activity: EngineerActivity;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#activity = new EngineerActivity(parts.monotonicMs);
  }

  /** The reader of the repository of the workspace. */
  get git(): WorkspaceGit {
    return this.#parts.git;
  }

  /** What the tool of a member that delegates stands on. */
  delegating(member: string): Delegating | null {
    const { run, settings } = this.#parts;
    const { engineer, safety, limits } = run;
    if (engineer === null || !engineer.delegates.some((one) => one.member === member)) return null;
    return {
      kind: engineer.kind,
      safety,
      pool: engineer.pool,
      verifyKeys: engineer.verify.map(({ key }) => key),
      costRequired: limits.cost_usd !== null,
      unheld: (asked) => unheldBy(engineer.kind, { deny: deniedRules(run, member), safety: asked }, settings),
      send: (wish, place, signal) => sendBrief(this.#parts, member, wish, place, signal),
    };
  }

  engineerOf(brief: string): EngineerSeen | null {
    return this.#activity.of(brief);
  }

  lateResult(brief: string): Promise<LateResult> {
    return lateResult(this.#parts, brief, this.#closed.signal);
  }

  /** The engineers at work, for lines that break a silence. */
  working(): readonly MemberActivity[] {
    return this.#activity.now().map(({ brief, text, sinceMs }) => ({
      member: `engineer ${brief.replace(`${this.#parts.team}.`, '')}`,
      what: text,
      sinceMs,
    }));
  }

  /** Hears of every durable fact. */
  react(fact: Fact): void {
    if (this.#hearing === null || this.#closed.signal.aborted) return;
    if (fact.type === 'brief.sent') this.#serve(fact);
    if (fact.type === 'brief.cancel_requested') this.#cancel(fact.brief, fact.reason);
    if (fact.type === 'brief.ended') this.#ended(fact);
    if (fact.type === 'brief.adopted') this.#goes(fact.brief);
  }

  /**
   * Takes up what an earlier process has left: results go into the record, briefs without one are lost and offered again
   * where they may be. Its runners were ended before.
   */
  async takeUp(): Promise<readonly string[]> {
    await endLeftovers(join(this.#parts.workdir, 'groups'));
    const findings = await takeWaiting(this.#parts, this.#closed.signal);
    for (const brief of liveBriefs(this.#parts.store.state))
      await this.#takeOrLose(brief.sent.brief, 'its runner was gone when the team was taken up again');
    return findings;
  }

  /** Begins to start runners. */
  go(hearing: Hearing): void {
    this.#hearing = hearing;
    for (const { sent } of liveBriefs(this.#parts.store.state)) this.#serve(sent);
  }

  /**
   * The team has ended here: runners that are left hear the end of their input and get their grace; what they leave in the
   * outbox is taken in by whoever takes the team up.
   */
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

  #serve(sent: FactOf<'brief.sent'>): void {
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

  /** The life of one runner (D1, D2). */
  async #runner(
    sent: FactOf<'brief.sent'>,
    served: { child: RunnerChild | null; readonly over: AbortController },
  ): Promise<void> {
    const { blobs, groups, child: spec, workdir, engineers, bounds } = this.#parts;
    const id = sent.brief;
    if (engineers === 'stand-in') return simulateEngineer(sent, blobs, (command) => this.#send(command));
    const text = await blobs.get(sent.text);
    const started =
      text === undefined
        ? noStart('its text is not in the record')
        : spec.program === ''
          ? noStart('no engineer is set up on this machine any more (runner.engineers in ~/.bnerd.yaml)')
          : await RunnerChild.start(groups, { ...spec, owner: `brief ${id}`, cwd: workdir }, text);
    if (started.kind === 'failed')
      return this.#lose(id, `its runner could not be started: ${started.reason}`);
    const { child } = started;
    served.child = child;
    if (this.#closed.signal.aborted) child.leave();
    const accepted = this.#endsUnless(id, child, bounds.acceptMs, served.over.signal);
    this.#endsUnless(id, child, sent.wall_minutes * 60_000 + bounds.afterMs, served.over.signal);
    const live = this.#brief(id);
    if (live?.status.kind === 'cancelling') this.#cancel(id, live.status.reason);
    for await (const line of child.lines()) {
      if (line.brief !== id || this.#closed.signal.aborted) continue;
      if (line.type === 'accepted' || line.type === 'result') accepted.abort();
      await this.#hear(id, child, line);
    }
    const exit = await child.exited;
    await this.#endWhole(child);
    if (this.#closed.signal.aborted) return;
    const said = child.remarks === '' ? '' : `: ${child.remarks}`;
    await this.#takeOrLose(id, `its runner ended (${exitText(exit)}) and left no result${said}`);
  }

  /** Behind the end of its runners: nothing of their engineers is left. */
  async endLeft(): Promise<void> {
    const { kept } = await endLeftovers(join(this.#parts.workdir, 'groups'));
    for (const { file, reason } of kept) this.#hearing?.trouble(`${file}: ${reason}`);
  }

  async #hear(id: string, child: RunnerChild, line: RunnerLine): Promise<void> {
    switch (line.type) {
      case 'accepted':
        return this.#accept(id, child, line);
      case 'step':
        if (line.step === 'verifying') this.#activity.over(id);
        if (line.step !== 'accepted') await this.#progress(id, line.step, null);
        return;
      case 'stalled': {
        const minutes = Math.round(line.idle_ms / 60_000);
        return this.#progress(id, 'stalled', `no word of the engineer for ${minutes} min`);
      }
      case 'activity':
        return this.#active(id, line);
      case 'result': {
        const taken = await takeResult(this.#parts, id, this.#closed.signal);
        if (taken.kind === 'taken') child.say({ v: 1, brief: id, type: 'acknowledged' });
        else {
          // Not acknowledged, it keeps what it has.
          if (taken.kind === 'undelivered') await this.#parts.outbox.acknowledge(id);
          child.leave(); // what it has said is looked at when it has ended
        }
      }
    }
  }

  async #accept(
    id: string,
    child: RunnerChild,
    line: Extract<RunnerLine, { type: 'accepted' }>,
  ): Promise<void> {
    const verdict = checkSignature('accepted', line, [this.#parts.runner]);
    if (verdict.kind === 'refused') {
      const { code, message: detail } = verdict;
      await this.#send({ kind: 'brief.witness', brief: id, code, detail, result: null });
      return child.leave();
    }
    const { runner, key_id, engineer, sent_block, final_block, additions, without, project_settings } = line;
    const outcome = await this.#send({
      kind: 'brief.accept',
      accepted: {
        brief: id,
        runner,
        key_id,
        engineer_version: engineer.version,
        sent_block,
        final_block,
        additions,
        without,
        project_settings,
      },
    });
    if (outcome.kind === 'refused') this.#tellCancel(child, id, outcome.message);
  }

  /** For whoever looks on, and in no record; but one that was called silent is at work again. */
  async #active(id: string, { text, turns }: Extract<RunnerLine, { type: 'activity' }>): Promise<void> {
    this.#activity.hears(id, text, turns);
    const status = this.#brief(id)?.status;
    if (status?.kind === 'running' && status.step === 'stalled') await this.#progress(id, 'engineer', null);
  }

  async #progress(
    brief: string,
    step: Extract<Command, { kind: 'brief.progress' }>['step'],
    detail: string | null,
  ): Promise<void> {
    await this.#send({ kind: 'brief.progress', brief, step, detail });
  }

  /** A brief is to end: its runner is told, and ended when it does not obey (D2). */
  #cancel(id: string, reason: string): void {
    const served = this.#served.get(id);
    if (served?.child === null || served === undefined) return; // told when it has started, or lost when it cannot
    const { run, bounds } = this.#parts;
    this.#tellCancel(served.child, id, reason);
    this.#endsUnless(id, served.child, run.grace_ms + bounds.cancelMs, served.over.signal);
  }

  #tellCancel(child: RunnerChild, brief: string, reason: string): void {
    child.say(signed('cancel', { v: 1, brief, type: 'cancel', reason }, this.#parts.worker));
  }

  /** Ended by something else than the result of its runner: then there is nothing more to do for that one. */
  #ended({ brief, result }: FactOf<'brief.ended'>): void {
    const child = this.#served.get(brief)?.child ?? null;
    if (result === null && child !== null) this.#tellCancel(child, brief, 'the brief has ended');
  }

  /** A late result was adopted: the record has what lay in the outbox. */
  adopted(brief: string): Promise<void> {
    return this.#parts.outbox.acknowledge(brief);
  }

  #goes(brief: string): void {
    const work = this.adopted(brief)
      .catch((error: unknown) => this.#hearing?.trouble(`${brief}: ${errorText(error)}`))
      .finally(() => this.#work.delete(work));
    this.#work.add(work);
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

  async #takeOrLose(id: string, detail: string): Promise<void> {
    const taken = await takeResult(this.#parts, id, this.#closed.signal);
    if (taken.kind === 'later' || taken.kind === 'late') return;
    if (!isRecorded(taken)) await this.#lose(id, taken.detail ?? detail);
    if (taken.kind !== 'damaged') await this.#parts.outbox.acknowledge(id);
  }

  async #lose(id: string, detail: string): Promise<void> {
    for (let tried = 1; tried <= TRIES; tried++) {
      const brief = this.#brief(id);
      if (brief === undefined) return;
      const { store, maker } = this.#parts;
      const prepares = brief.status.kind !== 'cancelling' && tried < TRIES;
      const made = prepares ? await maker.again(store.state, brief.sent) : null;
      const again = made?.kind === 'made' ? made.offer : null;
      const outcome = await this.#send({ kind: 'brief.lose', brief: id, detail, again });
      if (outcome.kind === 'accepted' || outcome.code !== 'prepare_again') return;
    }
  }

  #brief(id: string): LiveBrief | undefined {
    const brief = this.#parts.store.state.briefs.get(id);
    return isLiveBrief(brief) ? brief : undefined;
  }

  #send(command: Command): ReturnType<TeamStore['send']> {
    return this.#parts.store.send(`brief/${ulid(this.#parts.wallMs())}`, command);
  }
}

function noStart(reason: string): Extract<ChildStart, { kind: 'failed' }> {
  return { kind: 'failed', reason };
}

function exitText(exit: GroupExit): string {
  return exit.kind === 'exited' ? `exit ${exit.code}` : exit.signal;
}
