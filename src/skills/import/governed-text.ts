/**
 * An open text as a governed one (spec/skills.md §9): its fields in the strict grammar, with the provenance that the
 * caller knows. Pure.
 *
 * Always true: what comes out was read back by the parser of the runtime, and every field that counts is the one that
 * the open text had; what the grammar has no place for is named, and nothing is left out unsaid.
 */

import coerce from 'semver/functions/coerce.js';
import { type Finding, firstOf, hasErrors } from '../../shared/findings.js';
import { oneLine } from '../../shared/terminal-text.js';
import { unseenCharacters } from '../../shared/unseen-characters.js';
import type { EntryKind, EntrySource, EntryText } from '../entry.js';
import { parseGoverned } from '../parse/governed.js';
import { parseOpen } from '../parse/open.js';
import { readOpenMapping } from '../parse/open-mapping.js';
import { OpenFields } from '../parse/open-values.js';
import { splitEntry } from '../parse/parsed-entry.js';
import { isSpdxExpression } from '../parse/provenance.js';
import { isSemanticVersion } from '../parse/version.js';
import { quoted, Remarks } from '../remark.js';
import { settleValue, spellsTheSame, type ValueRule, type WrittenText } from './declared-value.js';
import { governanceKeys, governanceLines } from './foreign-marks.js';

export interface GovernWish {
  /** The text as it was found, for findings about it. */
  readonly source: EntrySource;
  readonly origin:
    | { readonly kind: 'third-party'; readonly upstream: string }
    | { readonly kind: 'proprietary' };
  /** Of an entry in the folder of the governed text that declares none. */
  readonly folderKind: EntryKind;
  /** By flag. */
  readonly version: string | null;
  /** By flag. */
  readonly license: string | null;
}

/** Something of the open text that the governed one has not. */
export interface Dropped {
  readonly key: string;
  /** On one line, bounded. */
  readonly value: string;
}

export type GovernedText =
  | {
      readonly kind: 'governed';
      readonly text: string;
      readonly entry: EntryText;
      readonly license: string | null;
      readonly dropped: readonly Dropped[];
      /** Warnings about both texts. */
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Names of new entries (spec/skills.md §2): those of the Agent Skills specification. */
const NEW_NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

const VERSION: ValueRule = {
  key: 'version',
  isForm: isSemanticVersion,
  form: 'a semantic version of at most 64 characters',
  example: '1.0.0',
  spelling: '1.0',
  // `1.0` and 1.0.0 are one number; `latest` is none.
  same: (flag, declared) => /^v?\d+(?:\.\d+){0,2}$/.test(declared) && coerce(declared)?.version === flag,
};

const LICENSE: ValueRule = {
  key: 'license',
  isForm: isSpdxExpression,
  form: 'an SPDX licence expression',
  example: 'Apache-2.0',
  spelling: '"apache 2.0"',
  same: spellsTheSame,
};

/** Makes the governed text. Total: every text gives one or the reasons why not. */
export function governText(text: string, wish: GovernWish): GovernedText {
  const { source, folderKind } = wish;
  const open = parseOpen(text, source);
  const remarks = new Remarks(source.path);
  const parts = splitEntry(text, remarks);
  const mapping = parts === null ? null : readOpenMapping(source.path, parts.frontmatter);
  if (open.kind === 'refused' || parts === null || mapping?.kind !== 'read') {
    return { kind: 'refused', findings: open.findings.filter(({ severity }) => severity === 'error') };
  }
  const fields = new OpenFields(mapping.mapping);
  remarkOnUnseen(text, remarks);
  remarkOnMarks(fields, mapping.repairs.length > 0 ? parts.frontmatter : '', remarks);
  remarkOnName(open.entry.name, fields, remarks);
  const version = settleValue(VERSION, wish.version, declaredAt('version', fields), remarks);
  const license = licenseOf(wish, fields, remarks);
  const found = [...remarks.findings, ...open.findings.filter(({ code }) => PASSED_ON.includes(code))];
  if (hasErrors(found) || version === null) return { kind: 'refused', findings: found };
  const meant = { ...open.entry, version, description: onOneLine(open.entry.description) };
  const requires = namesOf(fields, 'requires');
  const written = governedText(meant, { folderKind, origin: wish.origin, license, requires });
  const checked = checkedEntry(written, meant, requires, { ...source, kind: folderKind });
  if (checked.kind === 'refused') return { kind: 'refused', findings: [...found, ...checked.findings] };
  const dropped = droppedFrom(fields, open.entry.description === meant.description);
  return {
    kind: 'governed',
    text: written,
    entry: checked.entry,
    license,
    dropped,
    findings: [...found, ...checked.findings],
  };
}

/** Remarks on the open text that hold for the governed one. */
const PASSED_ON: readonly string[] = ['repaired-frontmatter', 'not-substituted'];

/** Findings of one kind that are told one by one. */
const MOST_TOLD = 10;

/** What a reviewer of the diff cannot see is not let in (spec/skills.md §4 asks the same of an approval). */
function remarkOnUnseen(text: string, remarks: Remarks): void {
  const found = unseenCharacters(text).map(({ line, codePoint, kind }): Finding => {
    const message = `the text holds ${codePoint}, which a reviewer cannot see`;
    const severity = kind === 'hidden' ? 'error' : 'warning';
    const remedy = 'mend it where the text comes from';
    return { code: 'unseen-character', severity, path: '', line, message, remedy };
  });
  const worst = found.sort(
    (one, other) => Number(other.severity === 'error') - Number(one.severity === 'error'),
  );
  const told = firstOf(worst, MOST_TOLD, (count) => ({
    code: 'unseen-character',
    severity: 'warning',
    path: '',
    message: `${count} more characters that a reviewer cannot see`,
    remedy: 'mend it where the text comes from',
  }));
  for (const { severity, code, line, message, remedy } of told) {
    remarks.add(severity, code, line ?? null, message, remedy);
  }
}

/** @param unread frontmatter that was not read as it stands; empty when it was */
function remarkOnMarks(fields: OpenFields, unread: string, remarks: Remarks): void {
  const remedy = 'nobody vouches for a text but its reviewers; remove it where the text comes from';
  for (const path of governanceKeys(fields.mapping.fields)) {
    const line = fields.line(path.split('.')[0] ?? path);
    remarks.add('error', 'governance-key', line, `the text declares ${quoted(path)} itself`, remedy);
  }
  if (hasErrors(remarks.findings)) return;
  for (const line of governanceLines(unread)) {
    remarks.add(
      'error',
      'governance-key',
      line,
      'the line declares origin, upstream or vetted itself',
      remedy,
    );
  }
}

function remarkOnName(name: string, fields: OpenFields, remarks: Remarks): void {
  if (NEW_NAME.test(name)) return;
  const message = `name is ${quoted(name)}, allowed are lower-case letters, digits and single hyphens, at most 64`;
  remarks.add('error', 'unsafe-name', fields.line('name'), message, 'mend it where the text comes from');
}

function declaredAt(key: 'version' | 'license', fields: OpenFields): readonly WrittenText[] {
  const own = fields.get(key);
  const inner = fields.textInside('metadata', key);
  return [
    ...(own === undefined
      ? []
      : [{ text: own.kind === 'text' ? own.text : `a ${own.kind}`, line: own.line }]),
    ...(inner === null ? [] : [{ text: inner, line: fields.line('metadata') }]),
  ];
}

/** Our own text has none; one that declares a licence is most likely another's. */
function licenseOf(wish: GovernWish, fields: OpenFields, remarks: Remarks): string | null {
  const declared = declaredAt('license', fields);
  if (wish.origin.kind === 'third-party') return settleValue(LICENSE, wish.license, declared, remarks);
  const [first] = declared;
  if (first !== undefined) {
    const message = `the text declares the licence ${quoted(first.text)}, which a proprietary one does not have`;
    remarks.add(
      'error',
      'license-forbidden',
      first.line,
      message,
      'import it if others wrote it, or remove license',
    );
  }
  return null;
}

function onOneLine(description: string): string {
  return description.replace(/\s+/g, ' ').trim();
}

/** The items of a list of names, or of a text with commas; null when the key is absent. */
function namesOf(fields: OpenFields, key: string): readonly string[] | null {
  const value = fields.get(key);
  if (value === undefined) return null;
  if (value.kind === 'list') return value.items.map((item) => item ?? '');
  return value.kind === 'text' ? value.text.split(',').map((item) => item.trim()) : [''];
}

interface Provenance {
  readonly folderKind: EntryKind;
  readonly origin: GovernWish['origin'];
  readonly license: string | null;
  readonly requires: readonly string[] | null;
}

function governedText(entry: EntryText, { folderKind, origin, license, requires }: Provenance): string {
  const list = (items: readonly string[]): string => `[${items.join(', ')}]`;
  const lines: readonly (readonly [string, string | null])[] = [
    ['name', entry.name],
    ['version', entry.version],
    ['description', entry.description],
    ['origin', origin.kind],
    ['license', license],
    ['upstream', origin.kind === 'third-party' ? origin.upstream : null],
    ['kind', entry.kind === folderKind ? null : entry.kind],
    ['always_on', entry.alwaysOn === (entry.kind === 'rule') ? null : String(entry.alwaysOn)],
    ['keywords', entry.keywords.length === 0 ? null : list(entry.keywords)],
    ['applies_to', entry.appliesTo === null ? null : list(entry.appliesTo)],
    ['requires', requires === null ? null : list(requires)],
    ['allowed-tools', entry.allowedTools === null ? null : list(entry.allowedTools)],
    ['process', entry.process ? 'true' : null],
    ['page', entry.page === (entry.process ? 'required' : 'optional') ? null : entry.page],
  ];
  const frontmatter = lines
    .flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}\n`]))
    .join('');
  return `---\n${frontmatter}---\n\n${entry.body}\n`;
}

/** The written text as the runtime reads it, compared with what was meant. */
function checkedEntry(
  written: string,
  meant: EntryText,
  requires: readonly string[] | null,
  source: EntrySource,
): ReturnType<typeof parseGoverned> {
  const parsed = parseGoverned(written, { ...source, expectedName: meant.name });
  if (parsed.kind === 'refused') return parsed;
  const { entry } = parsed;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['kind', entry.kind, meant.kind],
    ['description', entry.description, meant.description],
    ['the body', entry.body, meant.body],
    ['always_on', entry.alwaysOn, meant.alwaysOn],
    ['keywords', entry.keywords, meant.keywords],
    ['applies_to', entry.appliesTo, meant.appliesTo],
    ['requires', entry.requires, requires ?? []],
    ['allowed-tools', entry.allowedTools, meant.allowedTools],
    ['process', entry.process, meant.process],
    ['page', entry.page, meant.page],
  ];
  const lost = pairs
    .filter(([, one, other]) => JSON.stringify(one) !== JSON.stringify(other))
    .map(([key]) => key);
  if (lost.length === 0) return parsed;
  const message = `the governed grammar cannot hold ${lost.join(', ')} as the text has it`;
  const remedy = 'mend it where the text comes from';
  const finding: Finding = {
    code: 'not-representable',
    severity: 'error',
    path: source.path,
    message,
    remedy,
  };
  return { kind: 'refused', name: meant.name, findings: [finding] };
}

/** Keys whose values stand in the governed text. */
const KEPT: readonly string[] = [
  'name',
  'version',
  'description',
  'license',
  'kind',
  'always_on',
  'keywords',
  'applies_to',
  'requires',
  'allowed-tools',
  'allowed_tools',
  'process',
  'page',
];

function droppedFrom(fields: OpenFields, sameDescription: boolean): readonly Dropped[] {
  const keys = Object.entries(fields.without(KEPT)).map(([key, value]) => ({
    key: oneLine(key, 80),
    value: oneLine(JSON.stringify(value) ?? '', 200),
  }));
  return sameDescription ? keys : [...keys, { key: 'description', value: 'its line breaks' }];
}
