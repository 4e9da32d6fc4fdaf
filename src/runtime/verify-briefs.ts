/**
 * Whether what a record says of briefs is what their texts say (spec/team.md §7 `verify`, invariant 12): the signed brief
 * and the signed result are there and whole, the facts name what stands in them, each text of a rule or skill that rode is
 * named with version, origin and digest, and has it.
 *
 * What is no fault of a record is a note: a branch that somebody has removed, a key that it does not list.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Brief } from '../delegate/brief/brief.js';
import { type Read, readBrief, readResult } from '../delegate/brief/read.js';
import type { Result } from '../delegate/brief/result.js';
import { arrived, namedOf } from '../delegate/brief/riding.js';
import { composeBlock } from '../delegate/runner/compose.js';
import type { Fact, FactOf } from '../events/event.js';
import type { RecordView } from '../events/record-view.js';
import { FatalError } from '../shared/errors.js';
import { checkSignature } from '../shared/signature.js';
import { type RecordedBrief, recordedBriefs } from './recorded-briefs.js';

export interface BriefsVerified {
  /** How many texts were looked at. */
  readonly count: number;
  /** A line each, naming the brief. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

type Keys = FactOf<'run.started'>['keys'];

/** Reads every text that the facts about briefs name. */
export async function verifyBriefs(
  view: Pick<RecordView, 'blob'>,
  facts: readonly Fact[],
): Promise<BriefsVerified> {
  const keys = facts.flatMap((fact) =>
    fact.type === 'run.started' || fact.type === 'run.resumed' ? fact.keys : [],
  );
  const look = new Look(view, keys);
  for (const recorded of recordedBriefs(facts)) await look.at(recorded);
  for (const fact of facts)
    if (fact.type === 'brief.evidence' && fact.result !== null)
      await look.text(fact.result, `brief ${fact.brief}: what is kept as evidence`);
  return { count: look.texts.size, problems: look.problems, notes: look.notes };
}

/** Of the stand-in for an engineer in a simulation, which signs nothing: what it leaves is no result to be read. */
const NO_KEY = '';

class Look {
  readonly texts = new Set<string>();
  readonly problems: string[] = [];
  readonly notes: string[] = [];
  readonly #view: Pick<RecordView, 'blob'>;
  readonly #keys: Keys;

  constructor(view: Pick<RecordView, 'blob'>, keys: Keys) {
    this.#view = view;
    this.#keys = keys;
  }

  async at(recorded: RecordedBrief): Promise<void> {
    const { sent, accepted, ended } = recorded;
    const what = `brief ${sent.brief}`;
    const text = await this.text(sent.text, `${what}: its signed text`);
    if (text !== undefined) {
      this.#differ(`${what}: bytes`, Buffer.byteLength(text), sent.bytes);
      const brief = this.#read(readBrief(text), what);
      if (brief !== undefined) this.#brief(brief, sent, what);
    }
    this.#blocks(recorded, what);
    if (ended === null || ended.result === null) return;
    const found = await this.text(ended.result, `${what}: its signed result`);
    if (found === undefined || accepted?.key_id === NO_KEY) return;
    const result = this.#read(readResult(found), what);
    if (result !== undefined) this.#result(result, recorded, what);
  }

  /** A text of the record, once it gives its digest. */
  async text(digest: string, what: string): Promise<string | undefined> {
    this.texts.add(digest);
    try {
      const text = await this.#view.blob(digest);
      if (text === undefined) this.problems.push(`${what} ${digest} is not in the record any more`);
      return text;
    } catch (error) {
      if (!(error instanceof FatalError) || error.code !== 'blob-broken') throw error;
      this.problems.push(`${what} ${digest} does not give its digest: it was changed or damaged`);
      return undefined;
    }
  }

  #read<Value>(read: Read<Value>, what: string): Value | undefined {
    if (read.kind === 'read') return read.value;
    this.problems.push(`${what}: ${read.message}`);
    return undefined;
  }

  #differ(what: string, found: unknown, named: unknown): void {
    if (!isDeepStrictEqual(found, named))
      this.problems.push(`${what}: its text says ${shown(found)}, the record ${shown(named)}`);
  }

  #brief(brief: Brief, sent: RecordedBrief['sent'], what: string): void {
    const { workspace, limits } = brief;
    const said = {
      brief: brief.id,
      member: brief.from,
      task: brief.task,
      attempt: brief.attempt,
      offer: brief.offer,
      engineer: brief.engineer,
      safety: brief.safety,
      pool: brief.pool,
      base: workspace.base,
      branch: workspace.branch,
      verify: brief.verify.map(({ key }) => key),
      ...limits,
    } as const;
    for (const [field, found] of Object.entries(said))
      this.#differ(`${what}: ${field}`, found, sent[field as keyof typeof said]);
    this.#signed('brief', brief, what);
    this.#entries(brief, sent, what);
  }

  /** Invariant 12, of what came with the brief. */
  #entries({ skills }: Brief, sent: RecordedBrief['sent'], what: string): void {
    const named = new Map(sent.entries.map((entry) => [`${entry.kind} ${entry.name}`, entry]));
    for (const riding of skills) {
      const entry = `${riding.kind} ${riding.name}`;
      if (named.has(entry)) this.#differ(`${what}: ${entry}`, namedOf(riding), named.get(entry));
      else this.problems.push(`${what}: ${entry} rode it, and the record does not name it`);
      named.delete(entry);
    }
    for (const entry of named.keys())
      this.problems.push(`${what}: the record names ${entry}, which did not ride it`);
    const own = arrived(skills);
    if (own.kind === 'refused') {
      for (const { name, reason } of own.refusals) this.problems.push(`${what}: ${name}: ${reason}`);
      return;
    }
    const block = composeBlock(skills, []);
    if (block.kind === 'composed')
      this.#differ(`${what}: the block of its skills`, block.sentBlock, sent.sent_block);
  }

  #blocks({ sent, accepted, ended }: RecordedBrief, what: string): void {
    if (accepted === null) return;
    if (accepted.sent_block !== sent.sent_block)
      this.problems.push(`${what}: sent with block ${sent.sent_block}, accepted with ${accepted.sent_block}`);
    if (accepted.additions.length === 0 && accepted.final_block !== accepted.sent_block)
      this.problems.push(`${what}: its runner names no addition and has made another block of the skills`);
    // Without a transcript there was no engineer, and nothing was given.
    if (ended === null || ended.transcript === null || ended.final_block === accepted.final_block) return;
    const told = `${what}: accepted with block ${accepted.final_block}, ended with ${ended.final_block}`;
    if (ended.cause === 'block_mismatch') this.notes.push(told);
    else this.problems.push(told);
  }

  #result(result: Result, { sent, accepted, ended }: RecordedBrief, what: string): void {
    this.#differ(
      `${what}: result`,
      { brief: result.brief, task: result.task, attempt: result.attempt, offer: result.offer },
      { brief: sent.brief, task: sent.task, attempt: sent.attempt, offer: sent.offer },
    );
    if (accepted !== null) {
      if (result.transcript !== null)
        this.#differ(`${what}: what its runner added`, result.additions, accepted.additions);
      this.#differ(`${what}: key of its runner`, result.key_id, accepted.key_id);
    }
    if (ended !== null) {
      this.#differ(`${what}: the block it ended with`, result.final_block, ended.final_block);
      this.#differ(`${what}: transcript`, result.transcript, ended.transcript);
    }
    this.#signed('result', result, what);
  }

  #signed(domain: 'brief' | 'result', value: Brief | Result, what: string): void {
    const verdict = checkSignature(
      domain,
      value,
      this.#keys.map((key) => ({ ...key, retired: false })),
    );
    if (verdict.kind === 'signed') return;
    const told = `${what}: ${verdict.message}`;
    // Keys of runners need not be those that the run began with.
    if (verdict.code === 'unknown_key') this.notes.push(`${told}: its signature was not checked`);
    else this.problems.push(told);
  }
}

/** The longest value that a line shows, in characters. */
const SHOWN = 200;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
