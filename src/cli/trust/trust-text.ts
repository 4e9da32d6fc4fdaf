/**
 * What `bnerd trust` shows of files that need a word. Pure.
 *
 * Always true: what a file says stands behind a left mark or in one line, and every character that a terminal would
 * obey or nobody sees is shown as `<U+…>`.
 */

import { relative } from 'node:path';
import type { TrustSource } from '../../catalog/trust/judge-trust.js';
import type { TrustSubject } from '../../runtime/trust/trust-subjects.js';
import { type Finding, formatFinding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import { lineDiff } from '../../shared/line-diff.js';
import { oneLine } from '../../shared/terminal-text.js';
import { withUnseenShown } from '../../shared/unseen-characters.js';

/** A text that was approved before. */
export interface EarlierText {
  readonly digest: string;
  readonly approver: string;
  readonly at: string;
  readonly text: string;
}

/** As much of a text as is shown at a time. */
const PAGE_BYTES = 64 * 1024;

/** Three lines a file, then what to do, then the places. */
export function subjectsText(
  subjects: readonly TrustSubject[],
  sources: readonly TrustSource[],
  workingDirectory: string,
): string {
  const waiting = subjects.filter(
    ({ state }) => state.kind === 'unreadable' || state.verdict.kind !== 'trusted',
  );
  const lines = subjects.flatMap((subject) => [
    `${subject.kind} ${shown(subject.name)} (${subject.file.tier}): ${stateWords(subject)}`,
    `  ${shown(pathFrom(workingDirectory, subject.path))}`,
    ...(subject.state.kind === 'readable' ? [`  ${subject.state.question.digest}`] : []),
  ]);
  const places = sources.flatMap(({ file, shown: from }) =>
    file.places.map(
      ({ path, root_commit: commit, approver }) =>
        `place ${shown(path ?? 'anywhere')} (root commit ${commit}): trusted for good by ${shown(approver)} in ${shown(from)}`,
    ),
  );
  const count =
    subjects.length === 0 ? 'no file here needs a word' : counted(subjects.length, waiting.length);
  return text([...lines, ...places, count]);
}

function counted(all: number, waiting: number): string {
  const files = `${all} ${all === 1 ? 'file needs' : 'files need'} a word`;
  if (waiting === 0) return `${files}, and all are approved`;
  return `${files}, ${waiting} not in use; bnerd trust <path or name> shows one and asks`;
}

/** Who and what a file is, and what is to be known before its text. */
export function subjectHead(subject: TrustSubject): string {
  const { kind, name, path, file, state } = subject;
  const rows: (readonly [string, string])[] = [
    ['path', path],
    ['tier', `${file.tier}, root ${file.root}`],
    ['state', stateWords(subject)],
    ...(state.kind === 'readable' ? state.facts.map(({ label, value }) => [label, value] as const) : []),
    ...state.findings.map((finding) => ['finding', shortFinding(finding)] as const),
    ...(state.kind === 'readable' ? [['digest', state.question.digest] as const] : []),
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return text([
    `${kind} ${shown(name)}`,
    ...rows.map(([label, value]) => `  ${`${label}:`.padEnd(width)}${shown(value)}`),
  ]);
}

/** The text of a file, or its difference to the one that was approved before, in pages. */
export function subjectPages(current: string, before: EarlierText | null): readonly string[] {
  if (before === null) {
    const lines = current.replace(/\n$/, '').split('\n');
    return pagesOf([`  the whole text (${current.length} characters):`, ...lines.map(mark)]);
  }
  const diff = lineDiff(before.text, current);
  const from = shown(`${before.digest}, approved by ${before.approver}, ${before.at}`);
  const none = '  the text is the same: line ends, a mark in front, or fields that no digest reads';
  return pagesOf([`  difference to ${from}:`, ...(diff.length === 0 ? [none] : diff.map(mark))]);
}

/** One document for programs. */
export function subjectJson(subject: TrustSubject): Record<string, unknown> {
  const { kind, name, path, file, state } = subject;
  const common = { kind, name, path, tier: file.tier, root: file.root, file: file.path };
  if (state.kind === 'unreadable') {
    return { ...common, digest: null, state: 'unreadable', by: null, facts: [], findings: state.findings };
  }
  const { question, verdict, facts, findings } = state;
  return {
    ...common,
    digest: question.digest,
    state: verdict.kind === 'untrusted' && verdict.changed ? 'changed' : verdict.kind,
    by: verdict.kind === 'untrusted' ? null : verdict.by,
    facts,
    findings,
  };
}

/** The path as a person would type it here. */
export function pathFrom(workingDirectory: string, path: string): string {
  return isInside(path, workingDirectory) ? relative(workingDirectory, path) : path;
}

function stateWords({ state }: TrustSubject): string {
  if (state.kind === 'unreadable') return 'cannot be read, so nobody can approve it';
  const { verdict } = state;
  switch (verdict.kind) {
    case 'trusted':
      return `approved by ${shown(verdict.by)}`;
    case 'revoked':
      return `revoked by ${shown(verdict.by)}`;
    case 'untrusted':
      return verdict.changed ? 'changed since it was approved' : 'untrusted';
  }
}

/** Without the path, which stands above. */
function shortFinding({ line, ...finding }: Finding): string {
  return formatFinding({ ...finding, path: line === undefined ? 'file' : `line ${line}` });
}

function pagesOf(lines: readonly string[]): readonly string[] {
  const pages: string[] = [];
  let page = '';
  for (const line of lines) {
    if (page !== '' && Buffer.byteLength(page) + Buffer.byteLength(line) > PAGE_BYTES) {
      pages.push(page);
      page = '';
    }
    page += `${line}\n`;
  }
  return [...pages, page];
}

function mark(line: string): string {
  // Readers of build logs take `##[` for a command wherever it stands.
  return `  │ ${withUnseenShown(line).replaceAll('##[', '##<U+005B>')}`;
}

/** One line, everything in it visible. */
function shown(value: string): string {
  return withUnseenShown(value.replaceAll('\n', '\\n').replaceAll('\t', ' '));
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER)}\n`).join('');
}
