/**
 * Reads an entry in the open dialect (spec/skills.md §2): frontmatter that is a YAML 1.2 mapping, as the Agent Skills
 * format has it. Same output type as every dialect.
 *
 *     open.ts → open-mapping.ts, literal-pairs.ts (YAML, and what is done when it is none)
 *             → open-values.ts (what stands there) → open-fields.ts, tool-definitions.ts (what it sets)
 *             → kept-keys.ts (what sets nothing), left-literal.ts (what is not replaced)
 *
 * Always true: the result is an entry, with remarks, or no entry and at least one error; a file's result depends on
 * its own text and place alone; a file of a `.claude` tree is a plain skill whatever it says.
 */

import { hasErrors } from '../../shared/findings.js';
import type { EntrySource } from '../entry.js';
import { Remarks } from '../remark.js';
import { EXTENSION_KEYS, readKeptKeys } from './kept-keys.js';
import { remarkOnLiterals } from './left-literal.js';
import {
  checkMetadata,
  readAlwaysOn,
  readAppliesTo,
  readKeywords,
  readLabel,
  readOpenAllowedTools,
  readOpenDescription,
  readOpenKind,
  readOpenName,
  readOpenOrigin,
  readOpenPage,
  readOpenVersion,
  readProcess,
} from './open-fields.js';
import { readOpenMapping, scanOpenMapping } from './open-mapping.js';
import { OpenFields } from './open-values.js';
import {
  checkBodySize,
  checkFrontmatterSize,
  checkSizes,
  type EntryFields,
  finishEntry,
  type ParsedEntry,
  type ParsedHead,
  splitEntry,
} from './parsed-entry.js';
import { readToolDefinitions } from './tool-definitions.js';

/** Reads the text of one open file. Total: every text gives an entry or the reasons why not. */
export function parseOpen(text: string, source: EntrySource): ParsedEntry {
  const remarks = new Remarks(source.path);
  const parts = splitEntry(text, remarks);
  if (parts === null) return { kind: 'refused', name: null, findings: remarks.findings };
  checkSizes(parts, remarks);
  if (hasErrors(remarks.findings)) return { kind: 'refused', name: null, findings: remarks.findings };
  const read = readOpenMapping(source.path, parts.frontmatter);
  if (read.kind === 'refused') {
    return { kind: 'refused', name: null, findings: [...remarks.findings, ...read.findings] };
  }
  for (const repair of read.repairs) remarks.take(repair);
  const values = readFields(new OpenFields(read.mapping), parts.body, source, remarks);
  remarkOnLiterals(parts, remarks);
  const { findings } = remarks;
  if (hasErrors(findings)) return { kind: 'refused', name: values.name || null, findings };
  return { kind: 'entry', entry: finishEntry(values, source), findings };
}

/**
 * Reads the head of one open file: the same values, the same refusals, the same remarks but those on the body. Plain
 * frontmatter needs no YAML parser.
 * @param text the file, or its start with all of the frontmatter where the file is within the bound of a body
 */
export function parseOpenHead(text: string, source: EntrySource): ParsedHead {
  const remarks = new Remarks(source.path);
  const parts = splitEntry(text, remarks);
  if (parts === null) return { kind: 'refused', name: null, findings: remarks.findings };
  checkFrontmatterSize(parts, remarks);
  checkBodySize(parts, remarks);
  if (hasErrors(remarks.findings)) return { kind: 'refused', name: null, findings: remarks.findings };
  const read =
    scanOpenMapping(source.path, parts.frontmatter) ?? readOpenMapping(source.path, parts.frontmatter);
  if (read.kind === 'refused') {
    return { kind: 'refused', name: null, findings: [...remarks.findings, ...read.findings] };
  }
  for (const repair of read.repairs) remarks.take(repair);
  const values = readFields(new OpenFields(read.mapping), '', source, remarks);
  const { findings } = remarks;
  const { kind, name, version, description, alwaysOn } = values;
  if (hasErrors(findings)) return { kind: 'refused', name: name || null, findings };
  const { tier, path } = source;
  return { kind: 'head', head: { kind, name, version, description, alwaysOn, tier, path }, findings };
}

/** All fields, checked in one pass; they are used only when `remarks` holds no error. */
function readFields(fields: OpenFields, body: string, source: EntrySource, remarks: Remarks): EntryFields {
  const extended = source.tree === 'claude' ? withoutExtensions(fields, remarks) : fields;
  const kind = readOpenKind(extended, source.kind, remarks);
  const process = readProcess(fields, remarks);
  checkMetadata(fields, remarks);
  return {
    kind,
    name: readOpenName(fields, source, remarks),
    version: readOpenVersion(fields, remarks),
    description: readOpenDescription(fields, source.expectedName, remarks),
    body,
    alwaysOn: readAlwaysOn(extended, kind === 'rule', remarks),
    keywords: readKeywords(extended, remarks),
    appliesTo: readAppliesTo(extended, remarks),
    requires: [], // governed files only
    allowedTools: readOpenAllowedTools(fields, remarks),
    tools: readToolDefinitions(extended, remarks),
    process,
    page: readOpenPage(fields, process, remarks),
    data: readKeptKeys(fields, remarks),
    origin: readOpenOrigin(fields, remarks),
    license: readLabel('license', fields, remarks),
    upstream: null,
    vetted: null,
  };
}

/** A directory shared with Claude Code can neither become a rule nor bring tools. */
function withoutExtensions(fields: OpenFields, remarks: Remarks): OpenFields {
  for (const key of EXTENSION_KEYS) {
    if (!fields.keys.includes(key)) continue;
    const message = `${key} sets nothing in a folder of Claude Code; a file there is a plain skill`;
    remarks.add(
      'info',
      'ignored-under-claude',
      fields.line(key),
      message,
      'move it to the skills folder of bnerd',
    );
  }
  return new OpenFields({ ...fields.mapping, fields: fields.without(EXTENSION_KEYS) });
}
