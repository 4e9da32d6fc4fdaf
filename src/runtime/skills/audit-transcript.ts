/**
 * What an engineer was given, read from the transcript of its run and held against the record of its team, or without one
 * against the registry (spec/runner.md §2, `bnerd skills audit --transcript`).
 */

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ORDER_OPENS } from '../../delegate/runner/prompt.js';
import { auditHead, type HeadAudit, type TranscriptBytes } from '../../delegate/transcript/audit-head.js';
import { readBlob } from '../../events/blob-files.js';
import type { Fact } from '../../events/event.js';
import { parseLog } from '../../events/log-lines.js';
import { errorText } from '../../shared/errors.js';
import { hasErrors } from '../../shared/findings.js';
import type { Found } from '../find-team.js';
import type { House } from '../house.js';
import { type RecordedBrief, recordedBriefs } from '../recorded-briefs.js';
import { withTeam } from '../teams.js';
import { readTranscriptFile } from '../transcript-file.js';
import { briefUnusable, type TextOf, toldByRecord, toldByRegistry } from './told-entries.js';

/** What a transcript is held against. */
export type ToldBy =
  /** A team of this home, as it was typed. */
  | { readonly kind: 'team'; readonly team: string }
  /** The log of a record, as it was typed; texts are looked for beside it. */
  | { readonly kind: 'record'; readonly file: string }
  | { readonly kind: 'registry' };

export interface TranscriptAudit extends HeadAudit {
  /** As it was typed. */
  readonly transcript: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly against: 'record' | 'registry';
  /** Of the record; null without one. */
  readonly team: string | null;
}

/** Audits one; refused where the file or what it is held against cannot be read. */
export async function auditTranscript(
  house: House,
  typed: string,
  by: ToldBy,
): Promise<Found<TranscriptAudit>> {
  const read = await readTranscriptFile(resolve(house.workingDirectory, typed));
  if (read.kind === 'unreadable')
    return refused(
      'no-transcript',
      typed,
      read.reason,
      'name the transcript of a brief: bnerd team transcript <team> <brief>',
    );
  const { head, bytes, sha256 } = read;
  const file = { path: typed, head, bytes, sha256 };
  const whole = (audit: HeadAudit, team: string | null): Found<TranscriptAudit> => ({
    kind: 'found',
    value: {
      transcript: typed,
      bytes,
      sha256,
      against: by.kind === 'registry' ? 'registry' : 'record',
      team,
      ...audit,
    },
  });
  if (by.kind === 'registry') return whole(auditHead(file, await toldByRegistry(house)), null);
  const record = by.kind === 'team' ? await recordOfTeam(house, by.team) : await recordOfFile(house, by.file);
  if (record.kind === 'refused') return record;
  const { facts, textOf } = record.value;
  const team = facts.find((fact) => fact.type === 'run.started')?.team ?? null;
  return whole(await auditByRecord(file, recordedBriefs(facts), textOf), team);
}

interface RecordAtHand {
  readonly facts: readonly Fact[];
  readonly textOf: TextOf;
}

function recordOfTeam(house: House, typed: string): Promise<Found<RecordAtHand>> {
  return withTeam(house, typed, async ({ look }) => {
    const view = look.view('strict');
    const { entries } = await view.log();
    return { facts: entries.flatMap((entry) => entry.facts), textOf: (sha256) => view.blob(sha256) };
  });
}

async function recordOfFile(house: House, typed: string): Promise<Found<RecordAtHand>> {
  const path = resolve(house.workingDirectory, typed);
  try {
    const { entries, broken } = parseLog(await readFile(path));
    const [first] = broken;
    if (first !== undefined)
      return refused(
        first.code,
        typed,
        `line ${first.line} ${first.reason}`,
        'give log.jsonl of a run folder',
      );
    const blobs = join(dirname(path), 'blobs');
    return {
      kind: 'found',
      value: { facts: entries.flatMap((entry) => entry.facts), textOf: (sha256) => readBlob(blobs, sha256) },
    };
  } catch (error) {
    return refused('no-record', typed, errorText(error), 'give log.jsonl of a run folder');
  }
}

function refused(code: string, path: string, message: string, remedy: string): Found<never> {
  return { kind: 'refused', findings: [{ code, severity: 'error', path, message, remedy }] };
}

/**
 * Against the brief of the record that it is titled with. Its title is behind its block, and where that ends the brief's
 * own entries say: so each brief is tried whose title stands in it. One that fits is it; where none does, the first that
 * the file is titled with is the one that is told of.
 */
async function auditByRecord(
  file: TranscriptBytes,
  briefs: readonly RecordedBrief[],
  textOf: TextOf,
): Promise<HeadAudit> {
  const titled = briefs
    .map((brief) => ({ brief, at: file.head.indexOf(`${ORDER_OPENS}${brief.sent.brief}\n`) }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at);
  const tried: { readonly id: string; readonly audit: HeadAudit }[] = [];
  for (const { brief } of titled) {
    const { told, trouble } = await toldByRecord(brief, textOf);
    const found = auditHead(file, told);
    const findings = [...found.findings, ...(trouble === null ? [] : [briefUnusable(file.path, trouble)])];
    const audit = { ...found, findings };
    if (!hasErrors(findings)) return audit;
    tried.push({ id: brief.sent.brief, audit });
  }
  const meant = tried.find(({ id, audit }) => audit.brief === id) ?? tried[0];
  return meant?.audit ?? ofNoBrief(file, briefs);
}

/** No brief of the record: what it holds is compared with nothing. */
function ofNoBrief(file: TranscriptBytes, briefs: readonly RecordedBrief[]): HeadAudit {
  const audit = auditHead(file, { entries: [], record: null });
  const ids = briefs.map(({ sent }) => sent.brief).join(', ');
  const message = `it is titled as no brief of the record; ${ids === '' ? 'none was sent' : `sent were: ${ids}`}`;
  const finding = { code: 'unknown-brief', severity: 'error', path: file.path, message } as const;
  return { ...audit, findings: [{ ...finding, remedy: 'name the team whose engineer wrote it' }] };
}
