/**
 * The grammar of governed frontmatter (spec/skills.md §2): lines of `key: value`, split at the first colon,
 * where a value is a scalar or a flat list `[a, b]`. Nothing else: no empty line, no comment, no indent, no
 * quotes, no nesting.
 *
 * Always true: every line gives a field or a finding, and one bad line never hides another.
 */

import { nameRemedy } from '../../shared/did-you-mean.js';
import { quoted, type Remarks } from '../remark.js';
import { refuseCommentEnd, refuseControls } from './plain-value.js';

/** The fields a governed file may set. */
const GOVERNED_FIELDS = [
  'name',
  'version',
  'description',
  'origin',
  'license',
  'upstream',
  'vetted',
  'applies_to',
  'requires',
  'kind',
  'always_on',
  'keywords',
  'allowed-tools',
  'process',
  'page',
] as const;
export type GovernedField = (typeof GOVERNED_FIELDS)[number];

/** A value as it stands, without the blanks around it, and the line of the file it stands on. */
export interface WrittenValue {
  readonly text: string;
  readonly line: number;
}

export type WrittenFields = ReadonlyMap<GovernedField, WrittenValue>;

/** Reads the lines between the fences; the first of them is line 2 of the file. */
export function readGovernedLines(frontmatter: string, remarks: Remarks): WrittenFields {
  const fields = new Map<GovernedField, WrittenValue>();
  const lines = frontmatter === '' ? [] : frontmatter.replace(/\n$/, '').split('\n');
  for (const [index, line] of lines.entries()) {
    const number = index + 2;
    const pair = /^([A-Za-z][A-Za-z0-9_-]*):(.*)$/s.exec(line);
    if (pair === null) {
      remarks.add(
        'error',
        'malformed-line',
        number,
        `found ${quoted(line)}, allowed are lines of the form key: value`,
        'write key: value or key: [a, b] on one line, without indent, comment or empty line',
      );
      continue;
    }
    const [, key = '', written = ''] = pair;
    const field = GOVERNED_FIELDS.find((name) => name === key);
    if (field === undefined) {
      const remedy = nameRemedy(key, GOVERNED_FIELDS);
      remarks.add('error', 'unknown-field', number, `found the unknown field ${quoted(key)}`, remedy);
      continue;
    }
    const earlier = fields.get(field);
    if (earlier !== undefined) {
      remarks.add(
        'error',
        'duplicate-field',
        number,
        `found ${field} again, it stands on line ${earlier.line} already`,
        'keep one of the two lines',
      );
      continue;
    }
    fields.set(field, { text: checkedText(field, written, number, remarks), line: number });
  }
  return fields;
}

/** The fields whose value is a list, or may be one. */
const LIST_FIELDS: readonly GovernedField[] = ['applies_to', 'requires', 'keywords', 'allowed-tools'];

/** Values that are shown inside a comment or a header, where `-->` would end it. */
const PROVENANCE_FIELDS: readonly GovernedField[] = [
  'name',
  'version',
  'origin',
  'license',
  'upstream',
  'vetted',
];

function checkedText(field: GovernedField, written: string, line: number, remarks: Remarks): string {
  // Not String.trim: it also removes line separators, which are to be refused, not mended.
  const text = written.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
  refuseControls(field, text, line, remarks);
  if (PROVENANCE_FIELDS.includes(field)) refuseCommentEnd(field, text, line, remarks);
  if (!LIST_FIELDS.includes(field) && text.startsWith('[') && text.endsWith(']')) {
    remarks.add(
      'error',
      'not-a-scalar',
      line,
      `${field} is the list ${quoted(text)}, allowed is one value`,
      `write ${field}: and the value without brackets`,
    );
  }
  return text;
}
