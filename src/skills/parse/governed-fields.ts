/**
 * What each field of governed frontmatter may hold (spec/skills.md §1, §2): one function a field, from the text
 * as written to the value of the entry.
 *
 * Always true: a breach is a finding, and the function still gives a value of its type, so that all fields of a
 * file are checked in one pass.
 */

import { nameRemedy } from '../../shared/did-you-mean.js';
import { BOUNDS, CAPABILITIES, type Capability, type EntryKind, PAGES, type Page } from '../entry.js';
import { quoted, type Remarks } from '../remark.js';
import { readAllowedTools } from './allowed-tools.js';
import type { GovernedField, WrittenFields } from './governed-lines.js';
import { FRONTMATTER_LINE } from './parsed-entry.js';
import { isSemanticVersion } from './version.js';

/** The name, which is the name of the directory, or the stem of a flat file. */
export function readName(fields: WrittenFields, expectedName: string, remarks: Remarks): string {
  const value = fields.get('name');
  if (value === undefined || value.text === '') {
    remarks.add(
      'error',
      'name-missing',
      value?.line ?? FRONTMATTER_LINE,
      'name is missing or blank',
      `add name: ${expectedName}`,
    );
    return '';
  }
  const name = value.text;
  const characters = [...name].length;
  if (characters > BOUNDS.nameCharacters) {
    remarks.add(
      'error',
      'name-too-long',
      value.line,
      `name has ${characters} characters, allowed are ${BOUNDS.nameCharacters}`,
      'choose a shorter name, and rename the directory with it',
    );
  }
  if (/[/\\]/.test(name) || name.startsWith('.')) {
    remarks.add(
      'error',
      'unsafe-name',
      value.line,
      `name is ${quoted(name)}, which is no plain name of a directory`,
      'use letters, digits and hyphens',
    );
  } else if (name !== expectedName) {
    remarks.add(
      'error',
      'name-mismatch',
      value.line,
      `name is ${quoted(name)}, the file lies under ${quoted(expectedName)}; both must be equal`,
      `write name: ${expectedName}, or rename the directory or file`,
    );
  }
  return name;
}

/** The one-line summary; a longer one is kept whole. */
export function readDescription(fields: WrittenFields, expectedName: string, remarks: Remarks): string {
  const value = fields.get('description');
  if (value === undefined || value.text === '') {
    remarks.add(
      'error',
      'description-missing',
      value?.line ?? FRONTMATTER_LINE,
      'description is missing or blank',
      `add description: and one line that says what ${expectedName} is for`,
    );
    return '';
  }
  // Code points are never more than code units, and counting them takes time.
  const characters = value.text.length > BOUNDS.descriptionCharacters ? [...value.text].length : 0;
  if (characters > BOUNDS.descriptionCharacters) {
    remarks.add(
      'warning',
      'description-too-long',
      value.line,
      `description has ${characters} characters, more than ${BOUNDS.descriptionCharacters}; it is kept as it is`,
      'move the detail into the body',
    );
  }
  return value.text;
}

/** The version; governed files must have one. */
export function readVersion(fields: WrittenFields, remarks: Remarks): string | null {
  const value = fields.get('version');
  if (value === undefined) {
    remarks.add('error', 'version-missing', FRONTMATTER_LINE, 'version is missing', 'add version: 1.0.0');
    return null;
  }
  if (!isSemanticVersion(value.text)) {
    remarks.add(
      'error',
      'version-not-semantic',
      value.line,
      `version is ${quoted(value.text)}, allowed is a semantic version of at most ${BOUNDS.versionCharacters} characters`,
      'write three numbers, such as version: 1.0.0',
    );
  }
  return value.text;
}

/** `rule` or `skill`; absent: what files of this folder are. */
export function readKind(fields: WrittenFields, fallback: EntryKind, remarks: Remarks): EntryKind {
  const value = fields.get('kind');
  if (value === undefined) return fallback;
  if (value.text === 'rule' || value.text === 'skill') return value.text;
  remarks.add(
    'error',
    'unknown-kind',
    value.line,
    `kind is ${quoted(value.text)}, allowed are rule and skill`,
    nameRemedy(value.text, ['rule', 'skill']),
  );
  return fallback;
}

/** Exactly `true` or `false`. */
export function readBoolean(
  field: GovernedField,
  fields: WrittenFields,
  fallback: boolean,
  remarks: Remarks,
): boolean {
  const value = fields.get(field);
  if (value === undefined) return fallback;
  if (value.text === 'true' || value.text === 'false') return value.text === 'true';
  remarks.add(
    'error',
    'not-a-boolean',
    value.line,
    `${field} is ${quoted(value.text)}, allowed are true and false`,
    `write ${field}: true or ${field}: false`,
  );
  return fallback;
}

/** The items of a flat list in the order written; null when the field is absent. */
export function readList(
  field: GovernedField,
  fields: WrittenFields,
  remarks: Remarks,
): readonly string[] | null {
  const value = fields.get(field);
  if (value === undefined) return null;
  const inner = /^\[(.*)\]$/s.exec(value.text)?.[1];
  if (inner === undefined) {
    remarks.add(
      'error',
      'not-a-list',
      value.line,
      `${field} is ${quoted(value.text)}, allowed is a flat list`,
      `write ${field}: [a, b]`,
    );
    return [];
  }
  const items = inner.trim() === '' ? [] : inner.split(',').map((item) => item.trim());
  if (items.some((item) => item === '' || /[[\]]/.test(item))) {
    remarks.add(
      'error',
      'malformed-list',
      value.line,
      `${field} is ${quoted(value.text)}, allowed is a flat list without empty items`,
      `write ${field}: [a, b], or [] for an empty list`,
    );
    return [];
  }
  return items;
}

/** The capabilities that a member must have; an unknown one is an error, for nobody could ever have it. */
export function readRequires(fields: WrittenFields, remarks: Remarks): readonly Capability[] {
  const known: Capability[] = [];
  for (const item of readList('requires', fields, remarks) ?? []) {
    const capability = CAPABILITIES.find((name) => name === item);
    if (capability === undefined) {
      remarks.add(
        'error',
        'unknown-capability',
        fields.get('requires')?.line ?? null,
        `requires names the unknown capability ${quoted(item)}`,
        nameRemedy(item, CAPABILITIES),
      );
    } else {
      known.push(capability);
    }
  }
  return known;
}

/** The tools an entry allows; null when it does not say, empty when it says none. */
export function readTools(fields: WrittenFields, remarks: Remarks): readonly string[] | null {
  const value = fields.get('allowed-tools');
  if (value === undefined) return null;
  const tools = readAllowedTools(value.text);
  if (tools !== null) return tools;
  remarks.add(
    'error',
    'malformed-list',
    value.line,
    `allowed-tools is ${quoted(value.text)}, its parentheses do not balance`,
    'write allowed-tools: [Read, Bash(git diff:*)]',
  );
  return [];
}

/** `required`, `optional` or `none` in any case; absent or other: as the process needs it (spec/skills.md §7). */
export function readPage(fields: WrittenFields, process: boolean, remarks: Remarks): Page {
  const fallback: Page = process ? 'required' : 'optional';
  const value = fields.get('page');
  if (value === undefined) return fallback;
  const page = PAGES.find((name) => name === value.text.toLowerCase());
  if (page !== undefined) return page;
  remarks.add(
    'info',
    'unknown-page',
    value.line,
    `page is ${quoted(value.text)}, which declares nothing; taken as ${fallback}`,
    `write page: ${PAGES.join(', page: ')} or remove the line`,
  );
  return fallback;
}

/** A note of who reviewed the text, and when. */
export function readVetted(fields: WrittenFields, remarks: Remarks): string | null {
  const value = fields.get('vetted');
  if (value?.text === '') {
    remarks.add(
      'error',
      'vetted-empty',
      value.line,
      'vetted is empty',
      'name reviewer and date, or remove the line',
    );
  }
  return value?.text ?? null;
}
