/**
 * What each field of an open file may hold (spec/skills.md §1, §2): one function a field. Where the rule is that of
 * governed files, their function is used.
 *
 * Always true: what would decide when a text reaches a model (`kind`, `always_on`, `applies_to`) is never guessed: a
 * value that cannot be understood refuses the file. What decides nothing gives a remark.
 */

import { BOUNDS, type EntryKind, type EntrySource, type Page } from '../entry.js';
import { quoted, type Remarks } from '../remark.js';
import { readAllowedTools } from './allowed-tools.js';
import { readDescription, readKind, readPage } from './governed-fields.js';
import type { GovernedField, WrittenFields } from './governed-lines.js';
import type { OpenFields } from './open-values.js';
import { FRONTMATTER_LINE } from './parsed-entry.js';
import { refuseCommentEnd, refuseControls } from './plain-value.js';
import { isSemanticVersion } from './version.js';

/** The form that the Agent Skills specification asks of names; entries with other names load all the same. */
const PORTABLE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The name; it need not be that of the directory. */
export function readOpenName(fields: OpenFields, source: EntrySource, remarks: Remarks): string {
  const value = fields.get('name');
  const place = source.layout === 'directory' ? 'directory' : 'file';
  if (value === undefined || (value.kind === 'text' && value.text === '')) {
    const remedy = `add name: ${source.expectedName}, as its ${place} is named`;
    remarks.add(
      'error',
      'name-missing',
      fields.line('name') ?? FRONTMATTER_LINE,
      'name is missing or blank',
      remedy,
    );
    return '';
  }
  if (value.kind !== 'text') {
    remarks.add(
      'error',
      'not-text',
      value.line,
      `name is a ${value.kind}, allowed is text`,
      'write one name',
    );
    return '';
  }
  const { text: name, line } = value;
  refuseControls('name', name, line, remarks);
  refuseCommentEnd('name', name, line, remarks);
  const characters = [...name].length;
  if (characters > BOUNDS.nameCharacters) {
    remarks.add(
      'warning',
      'name-too-long',
      line,
      `name has ${characters} characters, new entries may have ${BOUNDS.nameCharacters}; it is kept as it is`,
      `choose a shorter name, and rename the ${place} with it`,
    );
  } else if (!PORTABLE_NAME.test(name)) {
    remarks.add(
      'info',
      'name-not-portable',
      line,
      `name is ${quoted(name)}; the Agent Skills specification allows lower-case letters, digits and single hyphens`,
      'rename it if other programs are to load it',
    );
  }
  if (name !== source.expectedName) {
    remarks.add(
      'info',
      'name-differs',
      line,
      `name is ${quoted(name)}, the ${place} is named ${quoted(source.expectedName)}; the name counts`,
      'give both the same name',
    );
  }
  return name;
}

/** The summary, of one line or several; a longer one is kept whole. */
export function readOpenDescription(fields: OpenFields, expectedName: string, remarks: Remarks): string {
  const value = fields.get('description');
  if (value === undefined || value.kind === 'text') {
    return readDescription(asGoverned('description', fields), expectedName, remarks);
  }
  const message = `description is a ${value.kind}, allowed is text`;
  remarks.add('error', 'not-text', value.line, message, `write what ${expectedName} is for in one line`);
  return '';
}

/** The version; one in another form is kept as data and not rendered. */
export function readOpenVersion(fields: OpenFields, remarks: Remarks): string | null {
  const version = readLabel('version', fields, remarks);
  if (version !== null && !isSemanticVersion(version)) {
    remarks.add(
      'info',
      'version-not-semantic',
      fields.line('version'),
      `version is ${quoted(version)}, no semantic version of at most ${BOUNDS.versionCharacters} characters; it is kept and not shown to models`,
      'write three numbers, such as version: 1.0.0',
    );
  }
  return version;
}

/** A value that says where a text comes from, never rendered; null when it is absent or no text. */
export function readLabel(key: string, fields: OpenFields, remarks: Remarks): string | null {
  const value = fields.get(key);
  if (value === undefined) return null;
  if (value.kind !== 'text') {
    const message = `${key} is a ${value.kind}, allowed is text; it is taken as absent`;
    remarks.add('info', 'not-text', value.line, message, `write ${key}: and one value`);
    return null;
  }
  refuseControls(key, value.text, value.line, remarks);
  refuseCommentEnd(key, value.text, value.line, remarks);
  return value.text === '' ? null : value.text;
}

/** Who the text says wrote it: `origin`, or `metadata.origin`. A label, never a reason to trust. */
export function readOpenOrigin(fields: OpenFields, remarks: Remarks): string | null {
  const own = readLabel('origin', fields, remarks);
  const inner = own === null ? fields.textInside('metadata', 'origin') : null;
  if (inner === null || inner === '') return own;
  refuseControls('metadata.origin', inner, fields.line('metadata'), remarks);
  refuseCommentEnd('metadata.origin', inner, fields.line('metadata'), remarks);
  return inner;
}

/**
 * Refuses `metadata` that is no mapping. Text of several lines is a mapping that some program has flattened: nothing
 * reads it here, so it is remarked on and the entry loads.
 */
export function checkMetadata(fields: OpenFields, remarks: Remarks): void {
  const value = fields.get('metadata');
  if (value === undefined || value.kind === 'mapping') return;
  const flattened = value.kind === 'text' && value.text.includes('\n');
  remarks.add(
    flattened ? 'warning' : 'error',
    'not-a-mapping',
    value.line,
    `metadata is ${value.kind === 'list' ? 'a list' : 'text'}, allowed is a mapping`,
    'write metadata: and below it, indented by two blanks, lines of the form key: value',
  );
}

/** `rule` or `skill`; absent: what files of this folder are. */
export function readOpenKind(fields: OpenFields, fallback: EntryKind, remarks: Remarks): EntryKind {
  const value = fields.get('kind');
  if (value === undefined || value.kind === 'text') {
    return readKind(asGoverned('kind', fields), fallback, remarks);
  }
  const message = `kind is a ${value.kind}, allowed are rule and skill`;
  remarks.add('error', 'unknown-kind', value.line, message, 'write kind: rule or kind: skill');
  return fallback;
}

/** Whether the entry is active without being named. */
export function readAlwaysOn(fields: OpenFields, fallback: boolean, remarks: Remarks): boolean {
  const value = fields.get('always_on');
  if (value === undefined) return fallback;
  const word = value.kind === 'text' ? value.text.toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  const found = value.kind === 'text' ? quoted(value.text) : `a ${value.kind}`;
  remarks.add(
    'error',
    'not-a-boolean',
    value.line,
    `always_on is ${found}, allowed are true and false`,
    'write always_on: true or always_on: false',
  );
  return fallback;
}

/** Only `true` makes a process entry; any other value was written for another program. */
export function readProcess(fields: OpenFields, remarks: Remarks): boolean {
  const value = fields.get('process');
  const word = value?.kind === 'text' ? value.text.toLowerCase() : '';
  if (value !== undefined && word !== 'true' && word !== 'false') {
    const message = 'process is neither true nor false, so the entry is none';
    remarks.add('warning', 'not-a-boolean', value.line, message, 'write process: true, or remove the line');
  }
  return word === 'true';
}

/** How the entry stands to a page. */
export function readOpenPage(fields: OpenFields, process: boolean, remarks: Remarks): Page {
  return readPage(asGoverned('page', fields), process, remarks);
}

/** Modes or roles, as a list or as text with commas; null: all of them. */
export function readAppliesTo(fields: OpenFields, remarks: Remarks): readonly string[] | null {
  const names = readNames('applies_to', fields);
  if (names !== 'not-names') return names;
  remarks.add(
    'error',
    'not-a-list',
    fields.line('applies_to'),
    'applies_to is no list of names',
    'write applies_to: [team, code-reviewer]',
  );
  return [];
}

/** Words that make a chat load the entry, as a list or as text with commas. */
export function readKeywords(fields: OpenFields, remarks: Remarks): readonly string[] {
  const words = readNames('keywords', fields);
  if (words !== 'not-names') return words ?? [];
  remarks.add(
    'warning',
    'not-a-list',
    fields.line('keywords'),
    'keywords is no list of words, so there are none',
    'write keywords: [flux, kustomize]',
  );
  return [];
}

/** The tools an entry allows: a list, or text; null when it does not say, empty when it says none. */
export function readOpenAllowedTools(fields: OpenFields, remarks: Remarks): readonly string[] | null {
  const keys = ['allowed-tools', 'allowed_tools'].filter((key) => fields.keys.includes(key));
  const [key, other] = keys;
  if (key === undefined) return null;
  if (other !== undefined) {
    const message = `${key} and ${other} both stand here; ${key} counts`;
    remarks.add('warning', 'duplicate-field', fields.line(other), message, 'keep one of the two');
  }
  const value = fields.get(key);
  if (value === undefined) return []; // declared and empty is not the same as absent
  const texts = value.kind === 'text' ? [value.text] : value.kind === 'list' ? value.items : [null];
  const tools = texts.map((text) => (text === null ? null : readAllowedTools(text)));
  if (tools.every((names) => names !== null)) return tools.flat();
  remarks.add(
    'error',
    'malformed-list',
    value.line,
    `${key} is no list of tools, or its parentheses do not balance`,
    `write ${key}: [Read, "Bash(git diff:*)"]`,
  );
  return [];
}

/** A text field as the governed dialect hands it to its functions. */
function asGoverned(field: GovernedField, fields: OpenFields): WrittenFields {
  const value = fields.get(field);
  if (value === undefined) return new Map();
  const text = value.kind === 'text' ? value.text : `a ${value.kind}`;
  return new Map([[field, { text, line: value.line ?? 1 }]]);
}

/** The names of a list or of a text with commas, blank ones left out; null when the key is absent. */
function readNames(key: string, fields: OpenFields): readonly string[] | null | 'not-names' {
  const value = fields.get(key);
  if (value === undefined) return null;
  if (value.kind === 'mapping') return 'not-names';
  const items = value.kind === 'list' ? value.items : value.text.split(',').map((item) => item.trim());
  const names: string[] = [];
  for (const item of items) {
    if (item === null) return 'not-names';
    if (item !== '') names.push(item);
  }
  return names;
}
