/**
 * The owner of what is active in a chat, and every way in which that changes: by keyword, by hand, by the model, and
 * by files that changed under it (spec/skills.md §8).
 *
 * Always true: an entry becomes active only after its name, the guards, its tools and the room in the window were
 * looked at in that moment; what does not become active is told with the reason.
 */

import { orAborted } from '../shared/abort.js';
import type { Entry } from '../skills/entry.js';
import { hitText } from '../skills/guards/guard-entry.js';
import type { ChatCatalogue } from './catalogue.js';
import { GuardedCatalogue } from './guarded.js';
import { skillsListing } from './listing.js';
import { collision, type Loading, type LoadQuestion, loadByHand, loadByModel, notLoaded } from './load.js';
import { available, lackingOf } from './offer.js';
import type { ChatParts } from './parts.js';
import { admittedTools, composeRound, type Round } from './round.js';
import {
  type ActiveEntry,
  openSession,
  refreshed,
  type Session,
  withActive,
  withUnloaded,
} from './session.js';
import { wokenBy } from './wake.js';

/** Why a session would leave too little of the window; undefined when there is room. */
export type Room = (next: Session) => string | undefined;

export type Loaded =
  | { readonly kind: 'loaded'; readonly entry: Entry }
  | Exclude<Loading, { readonly kind: 'loadable' }>;

export class ActiveEntries {
  readonly #parts: ChatParts;
  readonly #guarded: GuardedCatalogue;
  #catalogue: ChatCatalogue;
  #session: Session;

  private constructor(parts: ChatParts, guarded: GuardedCatalogue, catalogue: ChatCatalogue) {
    this.#parts = parts;
    this.#guarded = guarded;
    this.#catalogue = catalogue;
    this.#session = this.#standing(openSession(catalogue, parts.use, parts.listed), new Map());
  }

  /** What is always on and what the role lists. */
  static async open(parts: ChatParts, signal: AbortSignal): Promise<ActiveEntries> {
    const guarded = new GuardedCatalogue(parts);
    return new ActiveEntries(parts, guarded, await guarded.of(parts.registry, signal));
  }

  get session(): Session {
    return this.#session;
  }

  /** The round of a session, by default of the one that is. */
  compose(session: Session = this.#session): Round {
    return composeRound(this.#parts, session, this.#catalogue);
  }

  /** Whether exactly this text is active. */
  isActive({ name, digest }: Entry): boolean {
    return this.#session.active.get(name)?.entry.digest === digest;
  }

  /** Looks at files and approvals anew: what was taken away is not active any more, and is told. */
  async refresh(signal: AbortSignal): Promise<void> {
    const registry = await orAborted(this.#parts.reload(), signal);
    this.#catalogue = await this.#guarded.of(registry, signal);
    const before = this.#session.active;
    const { session, left } = refreshed(this.#session, this.#catalogue);
    this.#session = this.#standing(session, before);
    for (const name of left) {
      const reason =
        this.#catalogue.barred.get(name)?.reason ?? 'its file is gone, or nobody has approved it as it is';
      this.#parts.tell({ kind: 'left-out', name, reason });
    }
  }

  /** Makes active what the keywords of a message of the user wake. */
  wake(message: string, room: Room): void {
    for (const { entry, keyword } of wokenBy(message, this.#session, this.#catalogue, this.#parts)) {
      const { name } = entry;
      const next = withActive(this.#session, entry, 'keyword');
      const reason = collision(entry, this.#question(name)) ?? room(next);
      if (reason === undefined) {
        this.#session = next;
        this.#parts.tell({ kind: 'became-active', name, why: 'keyword', detail: keyword });
        this.#tellWithheld(entry);
      } else {
        this.#parts.tell({ kind: 'left-out', name, reason });
      }
    }
  }

  /** The model asks for a skill. */
  async loadForModel(
    name: string,
    room: (entry: Entry, next: Session) => string | undefined,
    signal: AbortSignal,
  ): Promise<Loaded> {
    await this.refresh(signal);
    const loaded = await this.#admit(loadByModel(this.#question(name)), 'model', room, signal);
    if (loaded.kind === 'loaded')
      this.#parts.tell({ kind: 'became-active', name, why: 'model', detail: null });
    return loaded;
  }

  /** The operator asks for a rule or a skill. Gives what to tell them. */
  async loadByHand(name: string, room: Room, signal: AbortSignal): Promise<string> {
    await this.refresh(signal);
    const loading = loadByHand(this.#question(name));
    const loaded = await this.#admit(loading, 'manual', (_, next) => room(next), signal);
    if (loaded.kind !== 'loaded') return loaded.text;
    const lacking = lackingOf(loaded.entry, this.#parts.granted);
    return lacking === undefined
      ? `"${name}" is loaded`
      : `"${name}" is loaded; it requires ${lacking}, which this chat is not granted`;
  }

  /** The operator takes a rule or a skill out; no keyword brings it back in this session. */
  unload(name: string): string {
    const wasActive = this.#session.active.has(name);
    if (!wasActive && !this.#catalogue.usable.has(name)) return `no rule or skill is called "${name}"`;
    this.#session = withUnloaded(this.#session, name);
    return wasActive ? `"${name}" is unloaded` : `"${name}" was not active; no keyword will load it`;
  }

  /** What `/skills` prints: everything but what strangers left lying about. */
  listing(): string {
    const { usable, barred } = this.#catalogue;
    const offered = new Set(available(this.#session, this.#catalogue, this.#parts));
    const kept = [...barred.values()].map(({ entry }) => entry);
    const entries = [...usable.values(), ...kept].filter(({ trust }) => trust === 'instruction');
    return skillsListing(entries, (entry) =>
      this.#session.active.has(entry.name) ? '*' : offered.has(entry) ? '+' : ' ',
    );
  }

  /** The last questions to an entry, asked at the moment of the load. */
  async #admit(
    loading: Loading,
    why: 'manual' | 'model',
    room: (entry: Entry, next: Session) => string | undefined,
    signal: AbortSignal,
  ): Promise<Loaded> {
    if (loading.kind !== 'loadable') return loading;
    const { entry } = loading;
    const [hit] = await this.#parts.guard(entry, signal);
    if (hit !== undefined) return notLoaded(entry.name, `guard ${hitText(hit)}`);
    const next = withActive(this.#session, entry, why);
    const tight = room(entry, next);
    if (tight !== undefined) return notLoaded(entry.name, tight);
    this.#session = next;
    this.#tellWithheld(entry);
    return { kind: 'loaded', entry };
  }

  #question(name: string, session: Session = this.#session): LoadQuestion {
    return { name, session, catalogue: this.#catalogue, bounds: this.#parts };
  }

  #tellWithheld(entry: Entry): void {
    const admitted = admittedTools(entry, this.#parts.policy);
    const tools = entry.tools.filter((tool) => !admitted.includes(tool)).map(({ name }) => name);
    if (tools.length > 0) this.#parts.tell({ kind: 'withheld', name: entry.name, tools });
  }

  /**
   * A session of entries that can stand beside each other. Of two that cannot the one stays whose text is what it was,
   * else the first; a text that has changed gets in by the same questions as one that is loaded now.
   */
  #standing(session: Session, before: Session['active']): Session {
    const isNews = ({ entry }: ActiveEntry): boolean => before.get(entry.name)?.entry.digest !== entry.digest;
    const all = [...session.active.values()];
    let kept: Session = { ...session, active: new Map() };
    for (const active of [...all.filter((one) => !isNews(one)), ...all.filter(isNews)]) {
      const { entry, why } = active;
      const reason = notBegun(active) ?? collision(entry, { session: kept });
      if (reason === undefined) {
        kept = withActive(kept, entry, why);
        if (isNews(active)) this.#tellWithheld(entry);
      } else this.#parts.tell({ kind: 'left-out', name: entry.name, reason });
    }
    return { ...session, active: new Map([...session.active].filter(([name]) => kept.active.has(name))) };
  }
}

/** A process begins by the word of a person alone: a skill that was active does not become one by an edit. */
function notBegun({ entry, why }: ActiveEntry): string | undefined {
  return entry.process && why !== 'manual'
    ? 'it has become a process, which only a person begins'
    : undefined;
}
