/**
 * What the engineers of a team were last seen to do (spec/runner.md §3 "Liveness, activity and progress are three facts"):
 * for whoever looks on. Never recorded, never decided by; it goes with the process that keeps their runners.
 */

import { oneLine } from '../../shared/terminal-text.js';
import type { EngineerSeen } from '../../team/show/status-briefs.js';

/** In UTF-16 units. */
const TEXT = 300;

interface Seen {
  readonly text: string;
  readonly turns: number;
  /** On the monotonic clock, as is `began`. */
  readonly at: number;
  readonly began: number;
}

export class EngineerActivity {
  readonly #monotonicMs: () => number;
  readonly #seen = new Map<string, Seen>();

  /** @param monotonicMs the clock that ages are counted on */
  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** A runner has told what its engineer does. */
  hears(brief: string, text: string, turns: number): void {
    const at = this.#monotonicMs();
    const began = this.#seen.get(brief)?.began ?? at;
    this.#seen.set(brief, { text: oneLine(text, TEXT), turns, at, began });
  }

  /** Nobody works on the brief here any more. */
  over(brief: string): void {
    this.#seen.delete(brief);
  }

  /** What the engineer of a brief was last seen to do; null: nothing yet, or it is at work no more. */
  of(brief: string): EngineerSeen | null {
    const seen = this.#seen.get(brief);
    if (seen === undefined) return null;
    return { text: seen.text, turns: seen.turns, ago_ms: Math.round(this.#monotonicMs() - seen.at) };
  }

  /** Those that are at work, each with how long it has been seen so. */
  now(): readonly { readonly brief: string; readonly text: string; readonly sinceMs: number }[] {
    const now = this.#monotonicMs();
    return [...this.#seen].map(([brief, { text, began }]) => ({ brief, text, sinceMs: now - began }));
  }
}
