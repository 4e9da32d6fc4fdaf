/**
 * Reads an entry in the governed dialect (spec/skills.md §2): the strict one, for sources that refuse to start a
 * run with a bad file. Same output type as every dialect.
 *
 * Always true: the result is an entry with at most warnings, or no entry and at least one error; every rule has
 * its own code, and all breaches of a file are reported, not the first.
 */

import { type Finding, hasErrors } from '../shared/findings.js';
import { promptBody, splitFrontmatter } from '../shared/frontmatter.js';
import { entryDigest } from './digest.js';
import { BOUNDS, type Entry, type EntrySource } from './entry.js';
import {
  readBoolean,
  readDescription,
  readKind,
  readList,
  readName,
  readPage,
  readRequires,
  readTools,
  readVersion,
  readVetted,
} from './governed-fields.js';
import { readGovernedLines, type WrittenFields } from './governed-lines.js';
import { checkProvenance } from './provenance.js';
import { Remarks } from './remark.js';
import { supportBadge } from './support.js';

export type ParsedEntry =
  | { readonly kind: 'entry'; readonly entry: Entry; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Reads the text of one governed file. Total: every text gives an entry or the reasons why not. */
export function parseGoverned(text: string, source: EntrySource): ParsedEntry {
  const remarks = new Remarks(source.path);
  const split = splitFrontmatter(text);
  if (split.kind !== 'split') {
    const [code, message] =
      split.kind === 'no-frontmatter'
        ? (['frontmatter-missing', 'the file does not start with ---'] as const)
        : (['frontmatter-unclosed', 'the frontmatter is opened here and no line is exactly ---'] as const);
    remarks.add('error', code, 1, message, 'put the fields between two lines that are exactly ---');
    return { kind: 'refused', findings: remarks.findings };
  }
  const body = promptBody(split.body);
  checkSizes(split.frontmatter, body, split.bodyLine, remarks);
  const fields = readGovernedLines(split.frontmatter, remarks);
  checkProvenance(fields, remarks);
  const entry = assemble(fields, body, source, remarks);
  const { findings } = remarks;
  return hasErrors(findings) ? { kind: 'refused', findings } : { kind: 'entry', entry, findings };
}

function checkSizes(frontmatter: string, body: string, bodyLine: number, remarks: Remarks): void {
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
  if (body === '') {
    remarks.add(
      'warning',
      'empty-body',
      bodyLine,
      'the body is empty',
      'write the knowledge below the frontmatter',
    );
  }
}

/** Builds the entry as far as the fields allow; it is used only when `remarks` holds no error. */
function assemble(fields: WrittenFields, body: string, source: EntrySource, remarks: Remarks): Entry {
  const kind = readKind(fields, source.kind, remarks);
  const process = readBoolean('process', fields, false, remarks);
  const content = {
    kind,
    name: readName(fields, source.expectedName, remarks),
    version: readVersion(fields, remarks),
    description: readDescription(fields, remarks),
    body,
    alwaysOn: readBoolean('always_on', fields, kind === 'rule', remarks),
    keywords: readList('keywords', fields, remarks) ?? [],
    appliesTo: readList('applies_to', fields, remarks),
    requires: readRequires(fields, remarks),
    allowedTools: readTools(fields, remarks),
    tools: [], // knowledge only: `tools` is an unknown field here
    process,
  };
  const support = supportBadge({
    body,
    values: [
      content.name,
      content.description,
      ...content.keywords,
      ...(content.appliesTo ?? []),
      ...content.requires,
    ],
    declaresTools: content.allowedTools !== null,
  });
  return {
    ...content,
    page: readPage(fields, process, remarks),
    origin: fields.get('origin')?.text ?? null,
    license: fields.get('license')?.text ?? null,
    upstream: fields.get('upstream')?.text ?? null,
    vetted: readVetted(fields, remarks),
    tier: source.tier,
    path: source.path,
    trust: source.trust,
    support,
    digest: entryDigest({ ...content, support }),
  };
}
