/** Texts as values: one reader for each kind of setting. Total: what cannot be read is a finding. */

import { parseDuration } from '../shared/duration.js';
import type { Finding } from '../shared/findings.js';
import { PAGE_RULE, pageProblem } from '../shared/page.js';
import { badValue, type Written } from './written.js';

export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly finding: Finding };

const YES: readonly string[] = ['yes', 'true', '1', 'on'];
const NO: readonly string[] = ['no', 'false', '0', 'off'];

/** One of a few words. */
export function readChoice<T extends string>(written: Written, choices: readonly T[]): Reading<T> {
  const value = choices.find((choice) => choice === written.text.trim());
  if (value !== undefined) return { kind: 'read', value };
  const allowed = choices.join(', ');
  return { kind: 'refused', finding: badValue(written, allowed, `write one of ${allowed}`) };
}

/** Yes or no, in the words that people use for it in variables. */
export function readYesNo(written: Written): Reading<boolean> {
  const word = written.text.trim().toLowerCase();
  if (YES.includes(word)) return { kind: 'read', value: true };
  if (NO.includes(word)) return { kind: 'read', value: false };
  const allowed = [...YES, ...NO].join(', ');
  return { kind: 'refused', finding: badValue(written, allowed, 'write yes or no') };
}

/** The page of a run, as it is written. */
export function readPage(written: Written): Reading<string> {
  const problem = pageProblem(written.text);
  if (problem === null) return { kind: 'read', value: written.text };
  const remedy = `it ${problem}; write for example https://docs.example/page or docs/page.md`;
  return { kind: 'refused', finding: badValue(written, PAGE_RULE, remedy) };
}

/** A whole number. */
export function readCount(written: Written, least: number, most: number): Reading<number> {
  const text = written.text.trim();
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return { kind: 'read', value };
  const allowed = `a whole number from ${least} to ${most}`;
  return { kind: 'refused', finding: badValue(written, allowed, `write for example ${least}`) };
}

/** Whole milliseconds. */
export function readDuration(written: Written, leastMs: number): Reading<number> {
  const ms = parseDuration(written.text);
  if (ms !== undefined && ms >= leastMs) return { kind: 'read', value: ms };
  const least = leastMs === 0 ? '' : `, at least ${leastMs}ms`;
  const allowed = `a duration (500ms, 30s, 5m, 2h, 30d; a bare number counts as seconds)${least}`;
  return { kind: 'refused', finding: badValue(written, allowed, 'write for example 30s') };
}

/** Bytes: `500MB`, `2GB`, or a bare number of them. */
export function readBytes(written: Written): Reading<number> {
  const [, digits = '', unit = ''] = /^(\d{1,15})\s*(kB|MB|GB)?$/i.exec(written.text.trim()) ?? [];
  const bytes = Number(digits) * (BYTE_UNITS[unit.toLowerCase()] ?? 1);
  if (digits !== '' && Number.isSafeInteger(bytes)) return { kind: 'read', value: bytes };
  const allowed = 'bytes (500MB, 2GB; a bare number counts bytes)';
  return { kind: 'refused', finding: badValue(written, allowed, 'write for example 2GB') };
}

const BYTE_UNITS: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9 };

/** Pairs `name=value` by name. Two values for one name are refused: which of them was meant is unknown. */
export function readPairs(values: readonly Written[]): {
  readonly pairs: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
} {
  const pairs = new Map<string, string>();
  const findings: Finding[] = [];
  for (const written of values) {
    const equals = written.text.indexOf('=');
    const name = written.text.slice(0, Math.max(0, equals)).trim();
    const value = written.text.slice(equals + 1);
    const before = pairs.get(name);
    if (name === '') {
      findings.push(badValue(written, '<name>=<value>', `write for example ${written.place} name=value`));
    } else if (before !== undefined && before !== value) {
      findings.push(
        badValue(written, `one value for "${name}", which has "${before}"`, 'keep one of the two'),
      );
    } else {
      pairs.set(name, value);
    }
  }
  return { pairs, findings };
}

/** Reads values one after the other and keeps every refusal, so that all are told at once. */
export class ValueReader {
  readonly findings: Finding[] = [];

  /** What was written, or the fallback where nothing was; also where it is refused, and nobody uses it then. */
  valueOr<T>(written: Written | undefined, fallback: T, read: (written: Written) => Reading<T>): T {
    if (written === undefined) return fallback;
    const reading = read(written);
    if (reading.kind === 'read') return reading.value;
    this.findings.push(reading.finding);
    return fallback;
  }
}
