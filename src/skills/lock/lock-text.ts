/**
 * The text of `skills.lock` (spec/skills.md §9): which text each entry of a folder had when it was last agreed to, and
 * for one of others that it came by `bnerd skills import`, with the pin it came from. One JSON object a line, so that
 * two branches that each add an entry merge by themselves:
 *
 *     {"skills.lock":1}
 *     {"name":"flux","version":"1.0.0","digest":"1:…","import":null}
 *     {"name":"pdf","version":"2.1.0","digest":"1:…","import":{"upstream":"https://…@<commit>","file":"SKILL.md"}}
 *
 * Always true: the same entries give the same bytes, in byte order of name; nothing of a text is passed over: a line
 * that is not understood refuses the whole, since it might have been the one that counts.
 */

import { dirname } from 'node:path';
import { z } from 'zod';
import type { Finding } from '../../shared/findings.js';
import { jsonLine } from '../../shared/jsonl.js';
import { compareBytes } from '../byte-order.js';
import { quoted, Remarks } from '../remark.js';
import { lockCommand } from './lock-command.js';

/** What is locked of one entry. */
export interface LockedEntry {
  readonly name: string;
  /** Null: the entry has none; governed ones always have one. */
  readonly version: string | null;
  /** Of the entry (`digest.ts`). */
  readonly digest: string;
  /** How it came; null: not by import. */
  readonly import: ImportedFrom | null;
}

/** What an entry was imported from: enough to fetch it again. */
export interface ImportedFrom {
  /** `<https-url>@<commit>`, as the entry declares it. */
  readonly upstream: string;
  /** The file in that repository. */
  readonly file: string;
}

export type LockText =
  | { readonly kind: 'read'; readonly entries: readonly LockedEntry[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

const FORMAT = 1;

const headLine = z.strictObject({ 'skills.lock': z.literal(FORMAT) });

const lockedLine: z.ZodType<LockedEntry> = z.strictObject({
  name: z.string().min(1).max(256),
  version: z.string().min(1).max(256).nullable(),
  digest: z.string().regex(/^1:[0-9a-f]{64}$/, { error: 'is not "1:" and 64 hex digits' }),
  import: z
    .strictObject({ upstream: z.string().min(1).max(2_048), file: z.string().min(1).max(1_024) })
    .nullable(),
});

const HEAD = jsonLine({ 'skills.lock': FORMAT });

/** The text of these entries. No two may have one name. */
export function lockText(entries: readonly LockedEntry[]): string {
  const sorted = [...entries].sort((one, other) => compareBytes(one.name, other.name));
  const lines = sorted.map(({ name, version, digest, import: came }) =>
    jsonLine({ name, version, digest, import: came === null ? null : pinOf(came) }),
  );
  return HEAD + lines.join('');
}

/** The keys in their order. */
function pinOf({ upstream, file }: ImportedFrom): ImportedFrom {
  return { upstream, file };
}

/**
 * Reads a text; the order of its lines is free, as a merge may have put them in another.
 * @param path the file as findings name it
 */
export function parseLock(text: string, path: string): LockText {
  const remarks = new Remarks(path);
  const rewrite = `take the file of the last commit, then run ${lockCommand(dirname(path))}`;
  const entries: LockedEntry[] = [];
  const places = new Map<string, number>();
  const lines = text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (number === 1) {
      checkHead(line, rewrite, remarks);
      continue;
    }
    const entry = readLine(line, number, rewrite, remarks);
    if (entry === null) continue;
    const earlier = places.get(entry.name);
    places.set(entry.name, earlier ?? number);
    if (earlier === undefined) entries.push(entry);
    else {
      const message = `${quoted(entry.name)} is locked again, it stands on line ${earlier} already`;
      remarks.add('error', 'lock-duplicate', number, message, 'keep the line that fits the file');
    }
  }
  const { findings } = remarks;
  if (findings.length > 0) return { kind: 'refused', findings };
  return { kind: 'read', entries: entries.sort((one, other) => compareBytes(one.name, other.name)) };
}

function checkHead(line: string, rewrite: string, remarks: Remarks): void {
  const value = jsonOf(line);
  if (headLine.safeParse(value).success) return;
  const newer = z.object({ 'skills.lock': z.number() }).safeParse(value);
  const message = newer.success
    ? `the lock has format ${newer.data['skills.lock']}, this program reads ${FORMAT}`
    : `found ${quoted(line)}, allowed is ${HEAD.trimEnd()}`;
  remarks.add('error', 'lock-format', 1, message, newer.success ? 'use a newer bnerd' : rewrite);
}

function readLine(line: string, number: number, rewrite: string, remarks: Remarks): LockedEntry | null {
  if (/^(?:<{7}|={7}|>{7}|\|{7})/.test(line)) {
    const message = `found ${quoted(line)}, the mark of a merge that nobody has finished`;
    remarks.add('error', 'lock-conflict', number, message, 'keep the lines of both sides, without the marks');
    return null;
  }
  const read = lockedLine.safeParse(jsonOf(line));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  const message = `found ${quoted(line)}, which locks no entry (${where}${issue?.message ?? 'no JSON'})`;
  remarks.add('error', 'lock-line', number, message, rewrite);
  return null;
}

/** The value of a line; undefined, which fits no schema, when it is no JSON. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
