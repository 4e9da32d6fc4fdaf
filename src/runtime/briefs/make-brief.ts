/**
 * Makes, signs and stores briefs: from what a member asks for and what the run has frozen, or from one that was lost
 * (spec/runner.md §1). The text is stored before anything names it, and is what the runner gets, byte for byte.
 *
 * Always true: a member's words are the goal, the acceptance, the context and the constraints; everything else is the
 * recipe's, the operator's or the record's. What is secret is taken out before it is signed (invariant 8).
 */

import {
  type BriefBody,
  briefBranch,
  briefId,
  type DeniedRule,
  type Riding,
} from '../../delegate/brief/brief.js';
import { readBrief } from '../../delegate/brief/read.js';
import { arrived } from '../../delegate/brief/riding.js';
import { blockDigest } from '../../delegate/runner/compose.js';
import type { FactOf } from '../../events/event.js';
import type { FrozenEngineer, RidingEntry } from '../../events/facts/frozen.js';
import type { Blobs } from '../../events/record.js';
import { type Clock, isoStamp } from '../../shared/clock.js';
import { sha256 } from '../../shared/digest.js';
import { FatalError } from '../../shared/errors.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import { type KeyPair, signed } from '../../shared/signature.js';
import { readStoredText, storedName } from '../../skills/stored-text.js';
import type { BriefOffer } from '../../team/command.js';
import { offersOf } from '../../team/decide/brief.js';
import type { Task, TeamState } from '../../team/show/view.js';
import type { EngineerWish } from '../../tools/delegate-engineer.js';

export interface BriefMakerParts {
  readonly team: string;
  readonly engineer: FrozenEngineer;
  /** What is denied to a member, and to whoever works for it. */
  denied(member: string): readonly DeniedRule[];
  /** Signs briefs for the team; undefined: no key here may now. */
  worker(): KeyPair | undefined;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly secrets: Redactor;
  /** Between the making of a brief and the moment at which no work begins any more, in milliseconds. */
  readonly beginMs: number;
}

export type Made =
  | { readonly kind: 'made'; readonly offer: BriefOffer }
  /** What is wrong with what was asked for, by field. */
  | { readonly kind: 'refused'; readonly text: string };

const NO_KEY =
  'the record of the team names no worker key of this machine: who has accepted one takes it in with bnerd team resume';

export class BriefMaker {
  readonly #parts: BriefMakerParts;

  constructor(parts: BriefMakerParts) {
    this.#parts = parts;
  }

  /**
   * The brief that a member asks for, prepared for the attempt that it holds or would take.
   * @param from where it begins: a repository, and the full name of a commit in it
   */
  async make(
    state: TeamState,
    member: string,
    task: Task,
    wish: EngineerWish,
    from: { readonly repo: string; readonly base: string },
  ): Promise<Made> {
    const { team, engineer, secrets } = this.#parts;
    const holds = task.state.kind === 'claimed' && task.state.member === member;
    const attempt = holds ? task.attempts : task.attempts + 1;
    const offer = offersOf(state, task.id, attempt).length + 1;
    const named = { team, task: task.id, attempt, offer };
    const entries = engineer.delegates.find((one) => one.member === member)?.entries ?? [];
    const acceptance = [...new Set([...task.spec.acceptance, ...wish.acceptance])];
    const words = secrets.value({
      goal: wish.goal,
      acceptance,
      context: wish.context,
      constraints: [...wish.constraints],
    });
    const deny = this.#parts.denied(member);
    const body: Omit<BriefBody, 'key_id'> = {
      v: 1,
      id: briefId(named),
      ...named,
      from: member,
      ...words,
      limits: { wall_minutes: wish.wallMinutes, cost_usd: wish.costUsd, turns: wish.turns },
      safety: wish.safety,
      ...(deny.length === 0 ? {} : { deny: [...deny] }),
      workspace: { ...from, branch: briefBranch(named), subdir: '' },
      verify: engineer.verify.filter(({ key }) => wish.verifyKeys.includes(key)),
      protect: engineer.protect,
      artifacts: [...task.spec.artifacts],
      engineer: { kind: engineer.kind, model: engineer.model },
      skills: await this.#skills(entries),
      pool: engineer.pool,
      labels: [...engineer.labels],
      ...this.#times(),
    };
    return this.#store(body, entries);
  }

  /** A lost brief as it is offered again: it says the same, but for the number of the offer and its times. */
  async again(state: TeamState, sent: FactOf<'brief.sent'>): Promise<Made> {
    const text = await this.#parts.blobs.get(sent.text);
    const read = text === undefined ? undefined : readBrief(text);
    if (read?.kind !== 'read')
      throw new FatalError('text-missing', `the text of brief ${sent.brief} is not in the record`);
    const { key_id: _, signature: __, ...before } = read.value;
    const offer = offersOf(state, sent.task, sent.attempt).length + 1;
    const id = briefId({ ...before, offer });
    return this.#store({ ...before, id, offer, ...this.#times() }, sent.entries);
  }

  async #store(body: Omit<BriefBody, 'key_id'>, entries: readonly RidingEntry[]): Promise<Made> {
    const worker = this.#parts.worker();
    if (worker === undefined) return { kind: 'refused', text: NO_KEY };
    const text = JSON.stringify(signed('brief', body, worker));
    const read = readBrief(text); // the door of the runner: what does not pass there is not sent
    if (read.kind === 'refused') return { kind: 'refused', text: read.message };
    const { limits, workspace } = body;
    const stored = await this.#parts.blobs.put(text);
    if (stored !== sha256(text))
      return { kind: 'refused', text: 'the brief holds what is secret here; leave it out' };
    return {
      kind: 'made',
      offer: {
        brief: body.id,
        task: body.task,
        attempt: body.attempt,
        offer: body.offer,
        text: stored,
        bytes: Buffer.byteLength(text, 'utf8'),
        engineer: body.engineer,
        safety: body.safety,
        pool: body.pool,
        base: workspace.base,
        branch: workspace.branch,
        verify: body.verify.map(({ key }) => key),
        wall_minutes: limits.wall_minutes,
        turns: limits.turns,
        cost_usd: limits.cost_usd,
        sent_block: blockOf(body.skills),
        entries: [...entries],
      },
    };
  }

  /** From the texts that the record keeps: in a team that is taken up again they are those it started with. */
  async #skills(entries: readonly RidingEntry[]): Promise<Riding[]> {
    return Promise.all(
      entries.map(async (entry) => {
        const text = await this.#parts.blobs.get(storedName(entry.digest));
        const fields = text === undefined ? undefined : readStoredText(text);
        if (fields === undefined)
          throw new FatalError(
            'text-missing',
            `the text of ${entry.name}, which rides briefs, is not in the record`,
          );
        return {
          kind: entry.kind,
          name: entry.name,
          version: entry.version,
          description: fields.description,
          body: fields.body,
          support: fields.support,
          allowed_tools: fields.allowedTools === null ? null : [...fields.allowedTools],
          process: fields.process,
          always_on: fields.alwaysOn,
          keywords: [...fields.keywords],
          applies_to: fields.appliesTo === null ? null : [...fields.appliesTo],
          requires: [...fields.requires],
          origin: entry.origin,
          ...(entry.license === null ? {} : { license: entry.license }),
          ...(entry.upstream === null ? {} : { upstream: entry.upstream }),
          digest: entry.digest,
          rendered_sha256: entry.rendered_sha256,
        };
      }),
    );
  }

  #times(): Pick<BriefBody, 'created_at' | 'deadline'> {
    const now = this.#parts.clock.wallMs();
    return { created_at: isoStamp(now), deadline: isoStamp(now + this.#parts.beginMs) };
  }
}

/** The digest of the block as it is composed from the brief alone. */
function blockOf(skills: readonly Riding[]): string {
  const own = arrived(skills);
  if (own.kind === 'entries') return blockDigest(own.entries);
  const [first] = own.refusals;
  throw new FatalError(
    'text-broken',
    `${first?.name ?? 'an entry'} cannot ride: ${first?.reason ?? 'unknown'}`,
  );
}
