/**
 * What an engineer was given against what was told of it, by a record or else by the registry (spec/runner.md §2): each
 * tag is followed by a text that was told, nothing that was told is missing, nothing stands in the block without a tag.
 * Pure.
 *
 * Always true: without a finding of severity error, everything that was told of the head is true of it to the byte; what
 * nobody has told is named in a finding.
 */

import { sha256 } from '../../shared/digest.js';
import type { Finding } from '../../shared/findings.js';
import { oneLine } from '../../shared/terminal-text.js';
import { compareBytes } from '../../skills/byte-order.js';
import type { Provenance } from '../../skills/render/provenance.js';
import type { TaggedText } from '../../skills/render/read-block.js';
import { BETWEEN_ENTRIES } from '../../skills/render.js';
import type { Named } from '../brief/brief.js';
import { type Head, readHead } from './head.js';

/** An entry that was told, and who gave it; `path` of a file of the registry. */
export interface ToldEntry extends Named {
  readonly came: 'brief' | 'runner' | 'registry';
  readonly path: string | null;
}

/** What a record tells of one brief. */
export interface ToldBrief {
  readonly brief: string;
  readonly sent_block: string;
  /** Null: no runner has taken it as far as the record knows, so what one added is not told. */
  readonly final_block: string | null;
  /** What `orderText` says of the signed brief; null: it is not at hand. */
  readonly order: string | null;
  /** The whole file, as the runner has signed it; null: the brief has not ended with one. */
  readonly file: { readonly bytes: number; readonly sha256: string } | null;
}

export interface Told {
  readonly entries: readonly ToldEntry[];
  /** Null: the registry alone is asked. */
  readonly record: ToldBrief | null;
}

/** A transcript as it lies there. */
export interface TranscriptBytes {
  /** As a person would type it. */
  readonly path: string;
  /** Its beginning, longer than any head. */
  readonly head: Buffer;
  /** Of the whole file. */
  readonly bytes: number;
  readonly sha256: string;
}

/** What stands behind one tag, and what is known of it. */
export interface AuditedEntry {
  /** 1-based line of the tag. */
  readonly line: number;
  /** Of its text, without the tag. */
  readonly bytes: number;
  readonly rendered_sha256: string;
  /** What the tag says; null for a line that only begins like one. */
  readonly tag: Provenance | null;
  /** The entry that it is, proven by its digest; null: none that was told. */
  readonly entry: ToldEntry | null;
}

export interface HeadAudit {
  /** The id of the brief in its title; null without one. */
  readonly brief: string | null;
  readonly entries: readonly AuditedEntry[];
  /** Digests of what was found: of what came with the brief, and of all. */
  readonly sent_block: string;
  readonly final_block: string;
  /** How many bytes the engineer was given; null: nobody has told where its own begin. */
  readonly given: number | null;
  readonly findings: readonly Finding[];
}

/** Audits one head. */
export function auditHead(file: TranscriptBytes, told: Told): HeadAudit {
  const head = readHead(file.head, told.entries, told.record?.order ?? null);
  const { entries } = head.block;
  const found = {
    sent_block: sha256(
      Buffer.from(
        entries
          .filter((one) => one.told?.came !== 'runner')
          .map(({ start, end }) => file.head.toString('latin1', start, end))
          .join(BETWEEN_ENTRIES),
        'latin1',
      ),
    ),
    final_block: sha256(file.head.subarray(0, head.block.end)),
  };
  const findings = [
    ...untaggedFront(head),
    ...entries.flatMap((one, index) => entryFindings(one, entries.slice(0, index), told)),
    ...missing(head, told),
    ...orderFindings(head, told),
    ...(told.record === null ? [] : digestFindings(file, found, told.record)),
    ...notTold(told),
  ];
  return {
    brief: head.brief,
    entries: entries.map(({ line, text, end, sha256: rendered_sha256, tag, told: entry }) => ({
      line,
      bytes: end - text,
      rendered_sha256,
      tag,
      entry,
    })),
    ...found,
    given: head.order.kind === 'told' ? head.order.end : null,
    findings: findings.map((finding) => ({ path: file.path, ...finding })),
  };
}

/** A finding whose path is the transcript's. */
type Remark = Omit<Finding, 'path'>;

const NOT_THE_FILE = 'it is not what this program gave an engineer: look at who could write the file';

function error(code: string, line: number | null, message: string, remedy = NOT_THE_FILE): Remark {
  return { code, severity: 'error', ...(line === null ? {} : { line }), message, remedy };
}

function untaggedFront({ block: { untagged } }: Head): Remark[] {
  return untagged === null
    ? []
    : [error('untagged-text', untagged, 'the file begins with text that no tag and no brief names')];
}

function entryFindings(
  { tag, line, sha256: found, told: entry, untagged }: TaggedText<ToldEntry>,
  before: readonly TaggedText<ToldEntry>[],
  { entries, record }: Told,
): Remark[] {
  if (tag === null)
    return [error('bad-tag', line, 'the line begins like a tag of provenance and cannot be read as one')];
  const name = oneLine(tag.name);
  const who = record === null ? 'the registry' : 'the record';
  if (entry === null) {
    const wanted = entries.filter((one) => one.name === tag.name);
    if (wanted.length === 0) return [unknownEntry(name, line, record)];
    if (untagged !== null)
      return [error('untagged-text', untagged, `behind the text of ${name} stands text without a tag`)];
    const digests = [...new Set(wanted.map((one) => one.rendered_sha256))].join(' or ');
    const message = `the text behind the tag of ${name} has SHA-256 ${found}; ${who} says ${digests}`;
    return [
      error(
        'text-differs',
        line,
        message,
        record === null ? 'audit it against its record: --team or --record' : NOT_THE_FILE,
      ),
    ];
  }
  const remarks = FIELDS.filter((field) => tag[field] !== entry[field]).map((field) =>
    error(
      'provenance-differs',
      line,
      `the tag of ${name} says ${field} ${shown(tag[field])}; ${who} says ${shown(entry[field])}`,
    ),
  );
  if (before.some(({ told }) => told?.digest === entry.digest && told.name === entry.name))
    remarks.push(error('given-twice', line, `${name} stands in the block more than once`));
  const last = before.at(-1)?.tag;
  if (last != null && compareBytes(last.name, tag.name) > 0)
    remarks.push(
      error('out-of-order', line, `${name} stands behind ${oneLine(last.name)}; entries are sorted by name`),
    );
  return remarks;
}

const FIELDS = ['version', 'origin', 'license', 'upstream'] as const;

function shown(value: string | null): string {
  return value === null ? 'nothing' : oneLine(value);
}

function unknownEntry(name: string, line: number, record: ToldBrief | null): Remark {
  if (record === null)
    return error(
      'unknown-entry',
      line,
      `${name} is tagged, and no rule or skill of this name lies here that could ride a brief`,
      'audit it against its record: --team or --record',
    );
  return error(
    'unknown-entry',
    line,
    `${name} is tagged, and the record does not name it among what ${record.brief} was given`,
    record.final_block === null ? 'the record knows of no runner that has taken the brief' : NOT_THE_FILE,
  );
}

/** What a registry holds need not have been given. */
function missing({ block, line }: Head<ToldEntry>, { entries, record }: Told): Remark[] {
  if (record === null) return [];
  const given = new Set(block.entries.map(({ told }) => told));
  const tagged = new Set(block.entries.map(({ tag }) => tag?.name)); // its text differs: that is said already
  return entries
    .filter((entry) => !given.has(entry) && !tagged.has(entry.name))
    .map(({ name, version, came }) =>
      error(
        'missing-entry',
        line,
        `${name} ${version} was given to the engineer by the ${came}, says the record; its tag is not there`,
      ),
    );
}

function orderFindings({ block, brief, line, order }: Head, { record }: Told): Remark[] {
  if (!block.followed)
    return [
      error('no-brief', line, 'behind the block of skills no brief follows', 'give the whole transcript'),
    ];
  if (record !== null && brief !== record.brief)
    return [
      error('other-brief', line, `it is titled as brief ${oneLine(brief ?? '')}, not as ${record.brief}`),
    ];
  if (order.kind === 'differs')
    return [
      error(
        'brief-differs',
        order.line,
        'from here on it is not the brief that the team has signed, as this version words it',
        `${NOT_THE_FILE}; a runner of another version may word a brief in another way`,
      ),
    ];
  if (order.kind === 'not-told' && !order.ends)
    return [error('no-output', null, 'no line ends what was given', 'give the whole transcript')];
  return [];
}

function digestFindings(
  file: TranscriptBytes,
  found: Pick<HeadAudit, 'sent_block' | 'final_block'>,
  record: ToldBrief,
): Remark[] {
  const differs = (what: string, one: string, other: string | null): Remark[] =>
    other === null || one === other
      ? []
      : [error('block-differs', null, `${what} has SHA-256 ${one}; the record says ${other}`)];
  const { file: signed } = record;
  return [
    ...differs('the block without what the runner added', found.sent_block, record.sent_block),
    ...differs('the block', found.final_block, record.final_block),
    ...(signed === null || (signed.sha256 === file.sha256 && signed.bytes === file.bytes)
      ? []
      : [
          error(
            'file-differs',
            null,
            `the file has ${file.bytes} bytes and SHA-256 ${file.sha256}; its runner signed ${signed.bytes} and ${signed.sha256}`,
          ),
        ]),
  ];
}

/** What nobody here can know. */
function notTold({ record }: Told): Remark[] {
  const info = (message: string, remedy: string): Remark => ({
    code: 'not-told',
    severity: 'info',
    message,
    remedy,
  });
  if (record === null)
    return [
      info(
        'without a record texts are compared with the registry: whether an entry is missing, what the brief said and where its words end is not known',
        'give --team <id> or --record <file>',
      ),
    ];
  return [
    ...(record.final_block === null
      ? [
          info(
            'the record does not say that a runner took the brief, so not what one added',
            'ask again later',
          ),
        ]
      : []),
    ...(record.order === null
      ? [
          info(
            'the signed brief is not at hand: what stands behind the block is not compared',
            'give --team <id>',
          ),
        ]
      : []),
    ...(record.file === null
      ? [info('no result names this file: its output is not compared', 'ask again when the brief has ended')]
      : []),
  ];
}
