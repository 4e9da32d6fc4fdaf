/**
 * The team's side of its briefs (spec/runner.md §3, §4): sends them, sees to it that each that is out has a runner, and takes
 * in what comes back. It decides nothing: every word of a runner is checked, becomes a command, and the facts say what
 * follows. Where the runners are is the business of one side of it (`runner-side.ts`).
 */

import type { EngineerSettings } from '../../delegate/engineers/engineer.js';
import { unheldBy } from '../../delegate/engineers/kinds.js';
import type { Fact, FactOf } from '../../events/event.js';
import { CancelledError, errorText } from '../../shared/errors.js';
import type { EngineerSeen } from '../../team/show/status-briefs.js';
import type { Delegated } from '../../tools/coordination/delegated.js';
import type { Delegating } from '../../tools/delegate-engineer.js';
import type { MemberActivity } from '../turns/activity.js';
import { BriefWords, type WordsParts } from './brief-words.js';
import { deniedRules } from './denied-rules.js';
import { EngineerActivity } from './engineer-activity.js';
import { type LateResult, lateResult } from './late-result.js';
import type { Hearing, RunnerSide } from './runner-side.js';
import { type SendingParts, sendBrief } from './send-brief.js';
import type { WorkspaceGit } from './workspace-git.js';

export interface DeskParts extends WordsParts, SendingParts {
  readonly run: FactOf<'run.started'>;
  /** What this machine says of the engineer. */
  readonly settings: EngineerSettings | undefined;
  readonly monotonicMs: () => number;
  /** Where its runners are. */
  side(words: BriefWords, activity: EngineerActivity): RunnerSide;
}

export class BriefDesk implements Delegated {
  readonly #parts: DeskParts;
  readonly #side: RunnerSide;
  readonly #work = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  #hearing: Hearing | null = null;
  /** What the engineers do now. */
  readonly #activity: EngineerActivity;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#activity = new EngineerActivity(parts.monotonicMs);
    this.#side = parts.side(new BriefWords(parts, this.#activity), this.#activity);
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
    if (fact.type === 'brief.sent') this.#side.sent(fact);
    if (fact.type === 'brief.cancel_requested') this.#side.cancel(fact.brief, fact.reason);
    if (fact.type === 'brief.ended') this.#side.ended(fact);
    if (fact.type === 'brief.adopted') this.#goes(fact.brief);
  }

  /** Takes up what an earlier process has left; gives what is to be said of it, a line each. */
  takeUp(): Promise<readonly string[]> {
    return this.#side.takeUp();
  }

  /** Begins to look for runners. */
  go(hearing: Hearing): void {
    this.#hearing = hearing;
    this.#side.go(hearing);
  }

  /** The team has ended here: runners that are left get the grace. */
  async close(graceMs: number): Promise<void> {
    this.#closed.abort(new CancelledError('closed', 'the team has ended in this process'));
    await this.#side.close(graceMs);
    await Promise.allSettled([...this.#work]);
  }

  /** Behind the end of its runners: nothing of their engineers is left. */
  endLeft(): Promise<void> {
    return this.#side.endLeft();
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
}
