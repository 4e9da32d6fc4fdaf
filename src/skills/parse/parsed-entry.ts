/**
 * What both dialects have in common: the fence and the bounds of a file, and the steps from its fields to an entry
 * (spec/skills.md §1, §2).
 *
 * Always true: badge and digest are computed here and nowhere else, from the same fields in every dialect.
 */

import type { Finding } from '../../shared/findings.js';
import { promptBody, splitFrontmatter } from '../../shared/frontmatter.js';
import { entryDigest } from '../digest.js';
import { BOUNDS, type EntryHead, type EntrySource, type EntryText } from '../entry.js';
import type { Remarks } from '../remark.js';
import { supportBadge } from '../support.js';

export type ParsedEntry =
  | { readonly kind: 'entry'; readonly entry: EntryText; readonly findings: readonly Finding[] }
  | {
      readonly kind: 'refused';
      /** The name it declares, where that could be read. */
      readonly name: string | null;
      readonly findings: readonly Finding[];
    };

/** Where a finding on the fields as a whole points: the line of the opening fence. */
export const FRONTMATTER_LINE = 1;

/** What the start of a file gives. */
export type ParsedHead =
  | { readonly kind: 'head'; readonly head: Omit<EntryHead, 'trust'>; readonly findings: readonly Finding[] }
  | Extract<ParsedEntry, { kind: 'refused' }>;

/** The two halves of a file. */
export interface EntryParts {
  /** The lines between the fences; the first of them is line 2 of the file. */
  readonly frontmatter: string;
  /** The body as prompt text. */
  readonly body: string;
  /** 1-based line of the file on which what follows the closing fence begins. */
  readonly bodyLine: number;
  /** 1-based line of the file on which `body` begins. */
  readonly textLine: number;
}

/** Splits a file at its fences; null, with an error, when they are not there. */
export function splitEntry(text: string, remarks: Remarks): EntryParts | null {
  const split = splitFrontmatter(text);
  if (split.kind === 'split') {
    const { frontmatter, bodyLine } = split;
    const textLine = split.body.startsWith('\n') ? bodyLine + 1 : bodyLine; // the break that a prompt body loses
    return { frontmatter, body: promptBody(split.body), bodyLine, textLine };
  }
  const message =
    split.kind === 'no-frontmatter'
      ? 'the file does not start with ---'
      : 'the frontmatter is opened here and no line is exactly ---';
  remarks.add('error', split.kind, 1, message, 'put the fields between two lines that are exactly ---');
  return null;
}

/** Measures both halves; exactly at a bound passes. */
export function checkSizes(parts: EntryParts, remarks: Remarks): void {
  checkFrontmatterSize(parts, remarks);
  checkBodySize(parts, remarks);
  const { body, bodyLine } = parts;
  if (body !== '') return;
  remarks.add(
    'warning',
    'empty-body',
    bodyLine,
    'the body is empty',
    'write the knowledge below the frontmatter',
  );
}

/** Measures the frontmatter. */
export function checkFrontmatterSize({ frontmatter }: EntryParts, remarks: Remarks): void {
  const frontmatterBytes = Buffer.byteLength(frontmatter.replace(/\n$/, ''));
  if (frontmatterBytes > BOUNDS.frontmatterBytes) {
    remarks.add(
      'error',
      'frontmatter-too-large',
      1,
      `the frontmatter has ${frontmatterBytes} bytes, allowed are ${BOUNDS.frontmatterBytes}`,
      'shorten it; knowledge belongs in the body',
    );
  }
}

/** Measures the body. */
export function checkBodySize({ body, bodyLine }: EntryParts, remarks: Remarks): void {
  const bodyBytes = Buffer.byteLength(body);
  if (bodyBytes > BOUNDS.bodyBytes) {
    remarks.add(
      'error',
      'body-too-large',
      bodyLine,
      `the body has ${bodyBytes} bytes, allowed are ${BOUNDS.bodyBytes}`,
      'split it into several entries',
    );
  }
}

/** Everything of an entry that its file says. */
export type EntryFields = Omit<EntryText, 'tier' | 'path' | 'support' | 'digest'>;

/** The entry of these fields. */
export function finishEntry(fields: EntryFields, { tier, path }: EntrySource): EntryText {
  const support = supportBadge({
    body: fields.body,
    values: [
      fields.name,
      fields.version ?? '',
      fields.description,
      ...fields.keywords,
      ...(fields.appliesTo ?? []),
      ...fields.requires,
      ...fields.tools.flatMap((tool) => [tool.name, tool.description, ...tool.run]),
    ],
    declaresTools: fields.allowedTools !== null,
  });
  return { ...fields, tier, path, support, digest: entryDigest({ ...fields, support }) };
}
