/** Rules and skills as lines for people (spec/skills.md §10). Pure; controls stripped, a line each. */

import type { RoleEntries } from '../../runtime/skills/role-entries.js';
import type { ShownEntry } from '../../runtime/skills/show-entry.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Entry, EntryHead } from '../../skills/entry.js';
import { type StandingFile, standingText } from '../../skills/inventory/standing.js';
import type { Resources } from '../../skills/read/resources.js';
import { shownFrom } from '../findings/place.js';
import { columns } from './columns.js';
import { findingText } from './finding-text.js';

/** A state that says why pushes its own description out, and not those of all the entries that are in use. */
const LIST_WIDEST = [40, 40, 40, 'untrusted'.length];

/** An entry a line: kind, name, tier, how it stands, description. */
export function entriesText(files: readonly StandingFile<EntryHead>[], workingDirectory: string): string {
  if (files.length === 0) return 'no rules and no skills here\n';
  return columns(
    files.map(({ file, kind, name, standing }) => [
      kind,
      name,
      file.place.tier,
      standingText(standing, (path) => shownFrom(path, workingDirectory)),
      descriptionOf(file),
    ]),
    LIST_WIDEST,
  );
}

/** Lines of a description are joined with blanks; a file that holds no entry is named by its reason. */
function descriptionOf(file: StandingFile<EntryHead>['file']): string {
  if (file.kind === 'loaded') return onOneLine(file.entry.description);
  return file.findings.find(({ severity }) => severity === 'error')?.message ?? '';
}

function onOneLine(description: string): string {
  return description.split(/\s*\n\s*/).join(' ');
}

/** A file a line: path, media type, size. */
export function resourcesText({ resources }: Resources): string {
  if (resources.length === 0) return 'no other files\n';
  return columns(resources.map(({ path, type, bytes }) => [path, type, `${bytes} bytes`]));
}

/** What a member of a role would be given, a line each, and what it would not. */
export function roleText({ entries }: RoleEntries): string {
  if (entries.length === 0) return 'no rules and no skills come with this role\n';
  return columns(
    entries.map(({ entry, name, outcome, came, detail }) => [
      entry?.kind ?? '-',
      name,
      entry?.tier ?? '-',
      outcome === 'instruction' || outcome === 'reference' ? `${outcome}, ${came}` : outcome,
      detail ?? onOneLine(entry?.description ?? ''),
    ]),
  );
}

/** All that is known of one. */
export function entryText({ shown, entry, rendered, others, findings }: ShownEntry, from: string): string {
  const path = (full: string): string => shownFrom(full, from);
  const { file, kind, name, standing } = shown;
  const rows: (readonly [string, string])[] = [
    ['path', path(file.path)],
    ['tier', file.place.tier],
    ['state', standingText(standing, path)],
    ...(entry === null ? [] : fieldsOf(entry)),
    ...(rendered === null
      ? []
      : [['rendered', `${rendered.bytes} bytes, SHA-256 ${rendered.sha256}`] as const]),
    ...others.map(
      (other) =>
        [
          'also',
          `${path(other.file.path)} (${other.file.place.tier}, ${standingText(other.standing, path)})`,
        ] as const,
    ),
    ...findings.map((finding) => ['finding', findingText(finding, from)] as const),
  ];
  const width = Math.max(...rows.map(([label]) => label.length)) + 3;
  return [`${kind} ${name}`, ...rows.map(([label, value]) => `  ${`${label}:`.padEnd(width)}${value}`)]
    .map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER).trimEnd()}\n`)
    .join('');
}

/** What the file says, and what was made of it; what it does not say and nobody expects is left out. */
function fieldsOf(entry: Entry): (readonly [string, string])[] {
  const { appliesTo, allowedTools } = entry;
  return [
    ['digest', entry.digest],
    ['trust', entry.trust],
    ['support', entry.support],
    ['description', entry.description],
    ['version', entry.version ?? 'none'],
    ['body', `${Buffer.byteLength(entry.body)} bytes`],
    ['always on', entry.alwaysOn ? 'yes' : 'no'],
    ['applies to', appliesTo === null ? 'everything' : listText(appliesTo)],
    ...listed('keywords', entry.keywords),
    ...listed('requires', entry.requires),
    ...(allowedTools === null ? [] : [['allowed tools', listText(allowedTools)] as const]),
    ...entry.tools.map(
      ({ name, class: risk, run }) => ['brings a tool', `${name} (${risk}): ${JSON.stringify(run)}`] as const,
    ),
    ['process', entry.process ? 'yes' : 'no'],
    ['page', entry.page],
    ...given('origin', entry.origin),
    ...given('license', entry.license),
    ...given('upstream', entry.upstream),
    ...given('vetted', entry.vetted),
    ...Object.entries(entry.data).map(([key, value]) => [`data ${key}`, JSON.stringify(value)] as const),
  ];
}

function listed(label: string, values: readonly string[]): (readonly [string, string])[] {
  return values.length === 0 ? [] : [[label, listText(values)]];
}

function given(label: string, value: string | null): (readonly [string, string])[] {
  return value === null ? [] : [[label, value]];
}

function listText(values: readonly string[]): string {
  return values.length === 0 ? 'none' : values.join(', ');
}
