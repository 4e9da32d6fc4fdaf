/**
 * Whether a file that was found counts (spec/team.md §1 "Trust is one rule").
 *
 * Always true:
 *  J1 a file of a place that needs approvals is read once and whole; the text that was judged is the text that is
 *     loaded, so nothing can be put in its place in between;
 *  J2 what cannot be read whole as text has no digest that anybody could approve: it counts, with its fault, only
 *     where the whole place is trusted;
 *  J3 nobody is asked about a file of another place: it counts by where it lies.
 */

import { relative, sep } from 'node:path';
import type { Finding } from '../../shared/findings.js';
import { type AskedFile, notUsed, type TrustVerdict } from '../trust.js';
import { type CatalogueFileKind, catalogueDigest } from './file-digest.js';
import type { FoundFile } from './find-files.js';
import { readSource, readSourceHead, type SourceFile, type SourceRead } from './source-file.js';

export type Standing =
  /** `text`: what was judged and is to be loaded; null where the place decides, whatever the file says. */
  | { readonly kind: 'counts'; readonly text: string | null }
  | {
      readonly kind: 'unused';
      readonly why: Exclude<TrustVerdict['kind'], 'trusted'>;
      readonly remark: Finding;
    };

export interface JudgedFile {
  /** At least the head of the file. */
  readonly head: SourceRead;
  readonly standing: Standing;
}

/** Reads as much of a file as it takes to list it, and judges it. */
export async function judgeFile(file: FoundFile, kind: CatalogueFileKind): Promise<JudgedFile> {
  if (file.approval === null) {
    return { head: await readSourceHead(file.path, file.root), standing: { kind: 'counts', text: null } };
  }
  const { tier, trust } = file.approval;
  const whole = await readSource(file.path, file.root);
  if (whole.kind === 'unreadable') {
    const counts = await trust.placeTrusted(file.root);
    const standing: Standing = counts
      ? { kind: 'counts', text: null }
      : unused(file, { kind: 'untrusted', changed: false });
    return { head: whole, standing };
  }
  const asked = askedAs(file, tier);
  const verdict = await trust.verdict({ kind, ...asked, digest: catalogueDigest(kind, whole.text) });
  if (verdict.kind === 'trusted') return { head: whole, standing: { kind: 'counts', text: whole.text } };
  return { head: whole, standing: unused(file, verdict) };
}

/** A file as parsers take it, with what an approval of it names. */
export function sourceOf(file: FoundFile, text: string): SourceFile {
  const { path, tier, approval } = file;
  return { path, tier, text, ...(approval === null ? {} : { asked: askedAs(file, approval.tier) }) };
}

function askedAs({ path, root }: FoundFile, tier: AskedFile['tier']): AskedFile {
  return { tier, root, path: relative(root, path).replaceAll(sep, '/') };
}

/** The whole text of a file that counts: the judged one where there is one. */
export async function readCounting(
  file: FoundFile,
  standing: Extract<Standing, { kind: 'counts' }>,
): Promise<SourceRead> {
  return standing.text === null ? readSource(file.path, file.root) : { kind: 'read', text: standing.text };
}

function unused(file: FoundFile, verdict: Exclude<TrustVerdict, { kind: 'trusted' }>): Standing {
  return { kind: 'unused', why: verdict.kind, remark: notUsed(file.path, verdict) };
}
