/** The audit of a transcript for people (spec/runner.md §2). Pure; controls stripped, a line each. */

import type { AuditedEntry } from '../../delegate/transcript/audit-head.js';
import type { TranscriptAudit } from '../../runtime/skills/audit-transcript.js';
import { oneLine } from '../../shared/terminal-text.js';
import { columns } from './columns.js';

const HEAD = [
  'LINE',
  'ENTRY',
  'KIND',
  'VERSION',
  'ORIGIN',
  'LICENSE',
  'GIVEN BY',
  'BYTES',
  'RENDERED',
  'PROVEN',
  'UPSTREAM',
];

/** Enough of a digest to tell two texts apart; `--json` has all of it. */
const SHORT = 12;

/** A tag a line, as it stands in the file; `-` is nothing. */
export function transcriptTable({ entries }: TranscriptAudit): string {
  return columns([HEAD, ...entries.map(row)]);
}

function row({ line, tag, entry, bytes, rendered_sha256 }: AuditedEntry): string[] {
  return [
    String(line),
    tag?.name ?? '-',
    entry?.kind ?? '-',
    tag?.version ?? '-',
    tag?.origin ?? '-',
    tag?.license ?? '-',
    entry?.came ?? '-',
    String(bytes),
    rendered_sha256.slice(0, SHORT),
    entry === null ? 'no' : 'yes',
    tag?.upstream ?? '-',
  ];
}

/** What it is of, and what came of it. */
export function transcriptSummary({ brief, team, against, entries, findings }: TranscriptAudit): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const what = brief === null ? 'no brief' : `brief ${oneLine(brief)}`;
  const whose = against === 'registry' ? 'by the registry' : `by the record of ${oneLine(team ?? 'no team')}`;
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
  return `${what}, ${whose}: ${count}: ${errors === 0 ? 'no objection' : `${errors} ${errors === 1 ? 'error' : 'errors'}`}`;
}
