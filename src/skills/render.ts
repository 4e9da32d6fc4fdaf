/**
 * The one place that makes the model-facing form of an entry (spec/skills.md §5). Only kind, name, version,
 * description and body are rendered, so provenance can change without a change of one byte of a prompt.
 *
 * Always true:
 * R1. A rendered text holds its header on its first line and on no other: nothing inside a name, description
 *     or body can pose as a header, a section title, a provenance comment or a fence.
 * R2. It can be read back. Texts of several entries joined by an empty line split at the lines that start with
 *     `[Skill: ` or `[Rule: `; behind the header line the description reaches to the first empty line, the body
 *     from there to the end. Then
 *     - in the header `\]` is `]`, `\\` is `\` and `\u{hex}` is a control character;
 *     - a line that, behind any leading backslashes, imitates one of our marks lost one of these backslashes
 *       to us: we put one in front. In a description the same holds for an empty line.
 *     All other lines stand as they were written.
 */

import type { Entry } from './entry.js';
import { isSemanticVersion } from './parse/version.js';
import { replaceReferences } from './support.js';

/** The titles of the sections that entries are listed under; a line that shows one is an imitation too. */
const SECTION_TITLES = ['active rules', 'active skills', 'available skills', 'active process'];

const HEADER_WORDS = { skill: '[Skill:', rule: '[Rule:' } as const;
const PROVENANCE_COMMENT = '<!-- provenance';

/**
 * An entry for the system prompt: `[Skill: name] v1.2.0`, the description and an empty line, the body.
 * @param bundlePath where the member's tools find the files of the entry; null when they are out of reach
 */
export function renderForSystem(entry: Entry, bundlePath: string | null = null): string {
  const { version, description } = entry;
  // Open files may hold a version in another form: kept as data, not rendered (spec/skills.md §1).
  const header =
    version !== null && isSemanticVersion(version) ? `${headerOf(entry)} v${version}` : headerOf(entry);
  const summary = description === '' ? '' : `${defused(description, imitatesOrIsEmpty)}\n\n`;
  return `${header}\n${summary}${bodyOf(entry, bundlePath)}`;
}

/** An entry for a message: the header without version, then the body. `bundlePath` as in `renderForSystem`. */
export function renderInMessage(entry: Entry, bundlePath: string | null = null): string {
  return `${headerOf(entry)}\n${bodyOf(entry, bundlePath)}`;
}

function headerOf(entry: Entry): string {
  return `${HEADER_WORDS[entry.kind]} ${headerName(entry.name)}]`;
}

/** A loaded name holds no control character; the renderer does not depend on that. */
function headerName(name: string): string {
  return name.replace(/[\\\]\p{Cc}\u2028\u2029]/gu, (mark) =>
    mark === '\\' || mark === ']' ? `\\${mark}` : `\\u{${mark.charCodeAt(0).toString(16)}}`,
  );
}

function bodyOf(entry: Entry, bundlePath: string | null): string {
  const body = entry.support === 'partial' ? replaceReferences(entry.body, bundlePath) : entry.body;
  return defused(body, imitates);
}

/** Everything that a reader, or a model, may take for the start of a new line. */
const LINE_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/u;

/** Puts one backslash in front of each line that, behind its leading backslashes, is a `mark`. */
function defused(text: string, isMark: (line: string) => boolean): string {
  return text
    .split(LINE_BREAK)
    .map((part, index) => (index % 2 === 0 && isMark(withoutBackslashes(part)) ? `\\${part}` : part))
    .join('');
}

function withoutBackslashes(line: string): string {
  return line.replace(/^\\+/, '');
}

function imitatesOrIsEmpty(line: string): boolean {
  return line === '' || imitates(line);
}

/** Whether a line looks like one of our marks, in any case, width, Markdown dress or behind invisible characters. */
function imitates(line: string): boolean {
  const shown = line
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}\u3164\u115f\u1160]/gu, '')
    .replace(LEADING_DRESS, '')
    .toLowerCase();
  return MARKS.some((mark) => mark.test(shown)) || SECTION_TITLES.includes(shown.replace(/\P{L}+$/u, ''));
}

/** Blanks, quote marks, bullets, emphasis, headings, list numbers. */
const LEADING_DRESS = /^(?:[^\p{L}\p{N}[<~]|\d{1,9}[.)])+/u;

const MARKS: readonly RegExp[] = [
  wordsOf(HEADER_WORDS.skill),
  wordsOf(HEADER_WORDS.rule),
  wordsOf(PROVENANCE_COMMENT),
  /^<<.*~[0-9a-f]{6,}\P{L}*$/u, // opening and closing line of a fence (shared/fence.ts)
  /^~[0-9a-f]{6,}\s*>>/u,
];

/** The parts of a mark in lower case, with any blanks between them. */
function wordsOf(mark: string): RegExp {
  const parts = mark.toLowerCase().match(/[a-z]+|[^a-z\s]/g) ?? [];
  return new RegExp(`^${parts.map((part) => part.replace(/[[\]]/, '\\$&')).join('\\s*')}`, 'u');
}
