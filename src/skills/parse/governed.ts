/**
 * Reads an entry in the governed dialect (spec/skills.md §2): the strict one, for sources that refuse to start a
 * run with a bad file. Same output type as every dialect.
 *
 * Always true: the result is an entry with at most warnings, or no entry and at least one error; every rule has
 * its own code, and all breaches of a file are reported, not the first.
 */

import { hasErrors } from '../../shared/findings.js';
import type { EntrySource } from '../entry.js';
import { Remarks } from '../remark.js';
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
import { checkSizes, type EntryFields, finishEntry, type ParsedEntry, splitEntry } from './parsed-entry.js';
import { checkProvenance } from './provenance.js';

/** Reads the text of one governed file. Total: every text gives an entry or the reasons why not. */
export function parseGoverned(text: string, source: EntrySource): ParsedEntry {
  const remarks = new Remarks(source.path);
  const parts = splitEntry(text, remarks);
  if (parts === null) return { kind: 'refused', name: null, findings: remarks.findings };
  checkSizes(parts, remarks);
  const fields = readGovernedLines(parts.frontmatter, remarks);
  checkProvenance(fields, remarks);
  const values = readFields(fields, parts.body, source, remarks);
  const { findings } = remarks;
  if (hasErrors(findings)) return { kind: 'refused', name: values.name || null, findings };
  return { kind: 'entry', entry: finishEntry(values, source), findings };
}

/** All fields, checked in one pass; they are used only when `remarks` holds no error. */
function readFields(fields: WrittenFields, body: string, source: EntrySource, remarks: Remarks): EntryFields {
  const kind = readKind(fields, source.kind, remarks);
  const process = readBoolean('process', fields, false, remarks);
  return {
    kind,
    name: readName(fields, source.expectedName, remarks),
    version: readVersion(fields, remarks),
    description: readDescription(fields, source.expectedName, remarks),
    body,
    alwaysOn: readBoolean('always_on', fields, kind === 'rule', remarks),
    keywords: readList('keywords', fields, remarks) ?? [],
    appliesTo: readList('applies_to', fields, remarks),
    requires: readRequires(fields, remarks),
    allowedTools: readTools(fields, remarks),
    tools: [], // knowledge only: `tools` is an unknown field here
    process,
    page: readPage(fields, process, remarks),
    data: {},
    origin: fields.get('origin')?.text ?? null,
    license: fields.get('license')?.text ?? null,
    upstream: fields.get('upstream')?.text ?? null,
    vetted: readVetted(fields, remarks),
  };
}
