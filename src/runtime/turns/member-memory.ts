/**
 * One member's memory in this process: the conversation, where its transcript stands, and what the present turn has
 * done since the last one that ended properly. A turn that was lost with its process is part of the present one.
 */

import { Conversation } from '../../agent/conversation.js';
import type { MemoryTrust, TranscriptEntry } from '../../events/transcript-entry.js';
import { transcriptId, turnOf } from '../../events/transcript-entry.js';
import { marksIn, type TurnLimit } from '../../team/turn-marks.js';

/** Tokens of the first `messages` messages with all that was sent beside them. */
export interface Counted {
  readonly tokens: number;
  readonly messages: number;
}

/** As of most members at most times. */
const NO_MARKS: ReadonlySet<TurnLimit> = new Set();

export class MemberMemory {
  readonly conversation = new Conversation();
  #turn = 0;
  #k = 0;
  #calls = 0;
  #text: string | null = null;
  #lastId = '';
  #cut = false;
  #marks: ReadonlySet<TurnLimit> = NO_MARKS;
  /** By message of the conversation: the entry that it came with. */
  #ids: string[] = [];
  #trust: MemoryTrust = 'own';
  #counted: Counted | null = null;

  /**
   * @param entries the member's whole transcript
   * @param upto id of the last entry of its last ended turn, '' before one
   * @param from the number under which the present turn began, where a wait has divided it
   */
  constructor(entries: readonly TranscriptEntry[], upto: string, from: number | null = null) {
    let past = upto === '';
    for (const entry of entries) {
      this.took(entry);
      this.conversation.add(entry);
      if (entry.kind === 'reply') this.#cut = isCut(entry);
      if (past) this.#count(entry);
      if (entry.kind === 'input' && from !== null && turnOf(entry.id) >= from)
        for (const limit of marksIn(entry.text)) this.mark(limit);
      if (entry.id === upto) past = true;
      this.#lastId = entry.id;
    }
  }

  /** Begins a turn: its entries are numbered from `<turn>-0`. */
  begin(turn: number): void {
    this.#turn = turn;
    this.#k = 0;
  }

  /** The id of the next entry of this turn. */
  nextId(): string {
    const id = transcriptId(this.#turn, this.#k);
    this.#k++;
    this.#lastId = id;
    return id;
  }

  /** Takes note of an entry that is appended, before the conversation is fed with it. */
  took(entry: TranscriptEntry): void {
    switch (entry.kind) {
      case 'opened':
        return;
      case 'reply':
        this.#counted = {
          tokens: entry.input_tokens + entry.output_tokens,
          messages: this.conversation.messages.length + 1,
        };
        break;
      case 'compacted':
        this.#ids = [entry.id, ...this.#ids.slice(this.#ids.length - entry.kept)];
        this.#trust = entry.trust;
        this.#counted = null;
        return;
      case 'input':
      case 'result':
        break;
    }
    this.#ids.push(entry.id);
  }

  /** Id of the last entry among those of the first `count` messages. */
  idOf(count: number): string {
    return this.#ids[count - 1] ?? '';
  }

  /** The mark of what an earlier compaction has left in the memory. */
  get trust(): MemoryTrust {
    return this.#trust;
  }

  /** What the provider has counted with its last answer; null before one, and after a compaction. */
  get counted(): Counted | null {
    return this.#counted;
  }

  /** Takes note of an entry that was written. The conversation is fed by the loop. */
  wrote(entry: TranscriptEntry): void {
    if (entry.kind === 'reply') this.#cut = isCut(entry);
    this.#count(entry);
  }

  /** Id of the newest entry; '' when there is none. */
  get lastId(): string {
    return this.#lastId;
  }

  /** Calls that got a result since the last ended turn. */
  get calls(): number {
    return this.#calls;
  }

  /** The member's last non-empty text since the last ended turn. */
  get text(): string | null {
    return this.#text;
  }

  /** Whether the newest reply was cut off by the provider's cap on its length (`ModelReply.stop`). */
  get cut(): boolean {
    return this.#cut;
  }

  /** Limits of the turn whose mark it was told of. */
  get marks(): ReadonlySet<TurnLimit> {
    return this.#marks;
  }

  /** It is told of a limit. */
  mark(limit: TurnLimit): void {
    this.#marks = new Set(this.#marks).add(limit);
  }

  /** The turn has ended in the record: what follows belongs to the next one. */
  ended(): void {
    this.divided();
    this.#marks = NO_MARKS;
  }

  /** A wait has divided the turn: what follows is counted anew, and is the same turn. */
  divided(): void {
    this.#calls = 0;
    this.#text = null;
  }

  #count(entry: TranscriptEntry): void {
    if (entry.kind === 'result') this.#calls++;
    if (entry.kind === 'reply' && entry.text.trim() !== '') this.#text = entry.text;
  }
}

function isCut({ stop }: Extract<TranscriptEntry, { kind: 'reply' }>): boolean {
  return stop === 'length';
}
