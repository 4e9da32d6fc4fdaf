/**
 * The check of a stored entry on loading: its envelope and the types of its facts, by hand, because a schema
 * per fact would make opening a log several times slower. `verify` uses the full schema.
 *
 * Every check says what was found and what is allowed; the caller adds the line.
 */

import { BugError } from '../shared/errors.js';
import { isObject } from '../shared/is-object.js';
import { FACT_TYPES } from './event.js';
import { type LogEntry, RECORD_VERSION } from './log-entry.js';
import { type StoredEntry, upcast } from './upcast.js';

export type EnvelopeCheck =
  /** `stored` facts on disk: the next number is counted from it, whatever an up-cast does. */
  | { readonly kind: 'entry'; readonly entry: LogEntry; readonly stored: number }
  | { readonly kind: 'refused'; readonly code: BrokenCode; readonly reason: string };

/** `record-too-new`: written by a newer program, which is no damage. */
export type BrokenCode = 'log-broken' | 'record-too-new';

const KNOWN_TYPES: ReadonlySet<string> = new Set(FACT_TYPES);

/** Checks a parsed line. Total: every JSON value gives an entry or a reason. */
export function checkEnvelope(value: unknown): EnvelopeCheck {
  if (!isObject(value)) return broken('is not a JSON object');
  const version = value['v'];
  if (!isCount(version, 1)) return broken(`has v ${shown(version)}, allowed is a whole number from 1`);
  if (version > RECORD_VERSION) {
    return tooNew(`has version ${version}, this program knows up to ${RECORD_VERSION}`);
  }
  const storedFacts = value['facts'];
  const stored = Array.isArray(storedFacts) ? storedFacts.length : 0;
  if (stored === 0) return broken('has no facts');
  const current = upcast(value, version);
  if (current === undefined) return broken(`has version ${version}, which was never released`);
  return checkCurrent(current, stored);
}

/** The entry itself, when it would load again; every writer asks before it writes. */
export function checkedEntry(entry: LogEntry): LogEntry {
  const check = checkEnvelope(entry);
  if (check.kind === 'entry' && entry.v === RECORD_VERSION) return entry;
  const reason = check.kind === 'entry' ? `has version ${entry.v}` : check.reason;
  throw new BugError('bad-entry', `an entry that was to be appended at ${entry.first} ${reason}`);
}

function checkCurrent(value: StoredEntry, stored: number): EnvelopeCheck {
  const { first, at, wall, commands, facts } = value;
  if (!isCount(first, 1)) return broken(`has first ${shown(first)}, allowed is a whole number from 1`);
  if (typeof at !== 'number' || at < 0) return broken(`has at ${shown(at)}, allowed are milliseconds from 0`);
  if (typeof wall !== 'string') return broken(`has wall ${shown(wall)}, allowed is an ISO 8601 stamp`);
  if (!Array.isArray(facts)) return broken('has no facts');
  if (!Array.isArray(commands) || commands.length === 0) return broken('names no command');
  let counted = 0;
  for (const command of commands) {
    if (!isObject(command) || typeof command['id'] !== 'string' || command['id'] === '') {
      return broken('has a command without an id');
    }
    if (!isCount(command['facts'], 0)) return broken(`has a command with ${shown(command['facts'])} facts`);
    counted += command['facts'];
  }
  if (counted !== stored) return broken(`has ${stored} facts, its commands count ${counted}`);
  for (const fact of facts) {
    const type: unknown = isObject(fact) ? fact['type'] : undefined;
    if (typeof type !== 'string') return broken('has a fact without a type');
    if (!KNOWN_TYPES.has(type)) return tooNew(`has a fact of the unknown type ${shown(type)}`);
  }
  // The facts' own fields are trusted from here on: only this program writes the file, under its lock.
  return { kind: 'entry', entry: value as unknown as LogEntry, stored };
}

function broken(reason: string): EnvelopeCheck {
  return { kind: 'refused', code: 'log-broken', reason };
}

function tooNew(reason: string): EnvelopeCheck {
  return { kind: 'refused', code: 'record-too-new', reason };
}

function isCount(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
