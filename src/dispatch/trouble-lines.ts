/**
 * One line per trouble, not one per error: while Redis is away each connection fails anew every second, and each
 * command that is refused says so. What goes on is told once; it may be told again when it had been quiet.
 */

import type { Clock } from '../shared/clock.js';
import { errorText, systemCode } from '../shared/errors.js';

/** How long a trouble must have been quiet to be news again. */
const QUIET_MS = 60_000;
/** Connections come back one after the other: only after this long without an error is Redis back. */
const BACK_MS = 1_000;
/** Most troubles that are remembered at once; above it the oldest is forgotten, and may be told again. */
const REMEMBERED = 100;

const AWAY = 'away';
const AWAY_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENOENT',
];
const CLOSED = /connection is closed|stream isn't writeable|connect ETIMEDOUT|ECONN/i;

export class TroubleLines {
  readonly #tell: (line: string) => void;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By kind, when it was last heard; the order is that of first hearing. */
  readonly #open = new Map<string, number>();

  /** @param tell hears a line for people; must not throw */
  constructor(tell: (line: string) => void, clock: Pick<Clock, 'monotonicMs'>) {
    this.#tell = tell;
    this.#clock = clock;
  }

  hear(error: unknown): void {
    const kind = kindOf(error);
    const now = this.#clock.monotonicMs();
    const last = this.#open.get(kind);
    this.#open.set(kind, now);
    if (last !== undefined && now - last < QUIET_MS) return;
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > REMEMBERED && oldest !== undefined) this.#open.delete(oldest);
    const what = SAID[kind];
    this.#tell(what === undefined ? errorText(error) : `${what}: ${errorText(error)}`);
  }

  /** Redis has answered. */
  answered(): void {
    const last = this.#open.get(AWAY);
    if (last === undefined || this.#clock.monotonicMs() - last < BACK_MS) return;
    this.#open.delete(AWAY);
    this.#tell('Redis answers again');
  }
}

/** What is said of a trouble before the words of its error. */
const SAID: Readonly<Record<string, string>> = {
  [AWAY]: 'Redis does not answer',
  OOM: 'the memory of Redis is full, and everything waits until there is room (give it more, or remove old teams)',
  MISCONF: 'Redis cannot write its own disk, and everything waits until it can',
};

/** What makes two errors the same trouble: that Redis is away, the word of its refusal, or the text. */
function kindOf(error: unknown): string {
  const text = errorText(error);
  const code = systemCode(error);
  if ((code !== undefined && AWAY_CODES.includes(code)) || CLOSED.test(text)) return AWAY;
  return (
    /\b(READONLY|OOM|MISCONF|LOADING|NOREPLICAS|MASTERDOWN|NOAUTH|NOPERM|WRONGPASS)\b/.exec(text)?.[1] ?? text
  );
}
