/**
 * What runners say of briefs, wherever they run (spec/runner.md §3): every word is checked, becomes a command, and the facts
 * say what follows. What is to be said to a runner then is the business of whoever keeps the line to it.
 */

import type { RunnerLine } from '../../delegate/runner/lines.js';
import { ulid } from '../../shared/ids.js';
import { checkSignature } from '../../shared/signature.js';
import type { Outcome } from '../../state/team-store.js';
import { isLiveBrief, type LiveBrief } from '../../team/brief.js';
import type { Command } from '../../team/command.js';
import type { EngineerActivity } from './engineer-activity.js';
import type { BriefMaker } from './make-brief.js';
import { isRecorded, type Taken, type TakingParts, takeResult } from './take-result.js';

export interface WordsParts extends TakingParts {
  readonly maker: BriefMaker;
  wallMs(): number;
}

/** What a runner that has promised to work on a brief is to be told. */
export type Promised =
  | { readonly kind: 'begin' }
  /** Its word is none that counts here. */
  | { readonly kind: 'not_heard'; readonly message: string }
  /** The brief is to end, has ended, or is another's. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

type Said<Type extends RunnerLine['type']> = Extract<RunnerLine, { type: Type }>;

/** A lost brief is prepared anew when the board has changed under it; at last it is lost without another offer. */
const TRIES = 3;

export class BriefWords {
  readonly #parts: WordsParts;
  readonly #activity: EngineerActivity;

  /** @param activity hears what engineers do */
  constructor(parts: WordsParts, activity: EngineerActivity) {
    this.#parts = parts;
    this.#activity = activity;
  }

  /** A runner takes a brief. */
  async promised(id: string, line: Said<'accepted'>): Promise<Promised> {
    const verdict = checkSignature('accepted', line, await this.#parts.runners());
    if (verdict.kind === 'refused') {
      const { code, message: detail } = verdict;
      await this.send({ kind: 'brief.witness', brief: id, code, detail, result: null });
      return { kind: 'not_heard', message: detail };
    }
    const { runner, key_id, engineer, sent_block, final_block, additions, without, project_settings } = line;
    const outcome = await this.send({
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
    if (outcome.kind === 'accepted') return { kind: 'begin' };
    return { kind: 'refused', code: outcome.code, message: outcome.message };
  }

  /** What a runner and its engineer do. */
  async heard(id: string, line: Said<'step' | 'stalled' | 'activity'>): Promise<void> {
    switch (line.type) {
      case 'step':
        if (line.step === 'verifying') this.#activity.over(id);
        if (line.step !== 'accepted') await this.#progress(id, line.step, null);
        return;
      case 'stalled': {
        const minutes = Math.round(line.idle_ms / 60_000);
        return this.#progress(id, 'stalled', `no word of the engineer for ${minutes} min`);
      }
      case 'activity': {
        // For whoever looks on, and in no record; but one that was called silent is at work again.
        this.#activity.hears(id, line.text, line.turns);
        const status = this.live(id)?.status;
        if (status?.kind === 'running' && status.step === 'stalled')
          await this.#progress(id, 'engineer', null);
      }
    }
  }

  /** Takes the result that waits of a brief, or loses the brief: nobody works on it any more. */
  async takeOrLose(id: string, detail: string, signal: AbortSignal): Promise<Taken> {
    const taken = await takeResult(this.#parts, id, signal);
    if (taken.kind === 'later' || taken.kind === 'late') return taken;
    if (!isRecorded(taken)) await this.lose(id, taken.detail ?? detail);
    if (taken.kind !== 'damaged') await this.#parts.outbox.acknowledge(id);
    return taken;
  }

  /**
   * Nobody has a brief any more: it is offered again where it may be.
   * @param offers `none`: nobody would take it
   */
  async lose(id: string, detail: string, offers: 'again' | 'none' = 'again'): Promise<void> {
    for (let tried = 1; tried <= TRIES; tried++) {
      const brief = this.live(id);
      if (brief === undefined) return;
      const { store, maker } = this.#parts;
      const prepares = offers === 'again' && brief.status.kind !== 'cancelling' && tried < TRIES;
      const made = prepares ? await maker.again(store.state, brief.sent) : null;
      const again = made?.kind === 'made' ? made.offer : null;
      const outcome = await this.send({ kind: 'brief.lose', brief: id, detail, again });
      if (outcome.kind === 'accepted' || outcome.code !== 'prepare_again') return;
    }
  }

  /** No live runner can take it: whoever delegates is told, once. */
  async unserved(
    id: string,
    why: Omit<Extract<Command, { kind: 'brief.unserved' }>, 'kind' | 'brief'>,
  ): Promise<void> {
    await this.#parts.store.send(`brief/${id}/unserved`, { kind: 'brief.unserved', brief: id, ...why });
  }

  /** A brief that has not ended. */
  live(id: string): LiveBrief | undefined {
    const brief = this.#parts.store.state.briefs.get(id);
    return isLiveBrief(brief) ? brief : undefined;
  }

  send(command: Command): Promise<Outcome> {
    return this.#parts.store.send(`brief/${ulid(this.#parts.wallMs())}`, command);
  }

  async #progress(
    brief: string,
    step: Extract<Command, { kind: 'brief.progress' }>['step'],
    detail: string | null,
  ): Promise<void> {
    await this.send({ kind: 'brief.progress', brief, step, detail });
  }
}
