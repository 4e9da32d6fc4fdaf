/**
 * From what was found to the body of a result: pure. Always true of it: it obeys its schema and fits into what is read
 * again, whatever an engineer has written; and no text in it holds what is secret on this machine (invariant 8).
 */

import type { Redactor } from '../../shared/secrets/redactor.js';
import { oneLine } from '../../shared/terminal-text.js';
import { BRIEF_BYTES, type Brief, type Named } from '../brief/brief.js';
import type { ResultBody, VerifyOutcome } from '../brief/result.js';
import type { EngineerSeen } from '../engineers/run-engineer.js';
import type { Collected } from '../workspace/workspace.js';
import type { Classified } from './classify.js';

/** All that is known of a brief's work when its result is made; what was not reached is null or empty. */
export interface Found {
  readonly brief: Brief;
  readonly runner: string;
  readonly acceptedAt: string;
  readonly endedAt: string;
  readonly classified: Classified;
  readonly engineerVersion: string | null;
  readonly projectSettings: boolean;
  readonly block: {
    readonly sentBlock: string;
    readonly finalBlock: string;
    readonly additions: readonly Named[];
  };
  readonly seen: EngineerSeen | null;
  readonly collected: Collected | null;
  readonly verify: readonly VerifyOutcome[];
  readonly notVerified: ResultBody['not_verified'];
  readonly bundle: { readonly sha256: string; readonly bytes: number } | null;
  readonly pushed: boolean;
  readonly workspaceChanges: readonly string[];
}

/** How much of each text and list is kept: the first that fits is taken. Lists are of a sorted order, so their heads stay. */
const SIZES = [
  { message: 256 << 10, tail: 32 << 10, paths: 10_000, few: 1_000 },
  { message: 64 << 10, tail: 4 << 10, paths: 2_000, few: 500 },
  { message: 8 << 10, tail: 500, paths: 200, few: 100 },
] as const;

/** Of a path in a list, in UTF-16 units. */
const PATH = 1_000;

/** Room for key, signature and the braces around them. */
const ROOM = 4 << 10;

/** The body of the result, without the key that it is signed with. */
export function resultOf(found: Found, secrets: Redactor): Omit<ResultBody, 'key_id'> {
  const clean = cleaned(found, secrets);
  const bodies = SIZES.map((size) => () => bodyOf(clean, size));
  for (const body of bodies) {
    const made = body();
    if (Buffer.byteLength(JSON.stringify(made), 'utf8') <= BRIEF_BYTES - ROOM) return made;
  }
  return bodyOf({ ...clean, verify: [] }, SIZES[2]);
}

function bodyOf(found: Found, size: (typeof SIZES)[number]): Omit<ResultBody, 'key_id'> {
  const { brief, classified, seen, collected, block } = found;
  const paths = (list: readonly string[], most: number): string[] =>
    list.slice(0, most).map((path) => cut(path, PATH));
  return {
    v: 1,
    brief: brief.id,
    team: brief.team,
    task: brief.task,
    attempt: brief.attempt,
    offer: brief.offer,
    runner: found.runner,
    status: classified.status,
    cause: classified.cause,
    detail: detailOf(found, size.few),
    message: cut(seen?.message ?? '', size.message),
    base: brief.workspace.base,
    head: collected?.head ?? null,
    branch: brief.workspace.branch,
    commits: (collected?.commits ?? [])
      .slice(0, size.few)
      .map(({ sha, subject }) => ({ sha, subject: cut(subject, 500) })),
    diffstat: collected?.diffstat ?? { files: 0, insertions: 0, deletions: 0 },
    changed: paths(collected?.changed ?? [], size.paths),
    uncommitted: paths(collected?.uncommitted ?? [], size.few),
    protected: paths(collected?.protected ?? [], size.paths),
    bundle: found.bundle,
    pushed: found.pushed,
    verify: found.verify.map((outcome) => ({
      ...outcome,
      argv: [...outcome.argv],
      tail: endOf(outcome.tail, size.tail),
    })),
    not_verified: found.notVerified,
    missing_artifacts: [...(collected?.missingArtifacts ?? [])],
    workspace_changes: paths(found.workspaceChanges, 100),
    engineer: {
      kind: brief.engineer.kind,
      version: seen?.version ?? found.engineerVersion,
      model: seen?.model ?? null,
    },
    session: seen?.session ?? null,
    usage: {
      input_tokens: seen?.usage.inputTokens ?? 0,
      cached_tokens: seen?.usage.cachedTokens ?? 0,
      output_tokens: seen?.usage.outputTokens ?? 0,
      turns: seen?.usage.turns ?? 0,
      cost_usd: seen === null ? 0 : seen.usage.costUsd,
    },
    noise: seen?.noise ?? { lines: 0, oversize: 0, bytes: 0 },
    project_settings: found.projectSettings,
    sent_block: block.sentBlock,
    final_block: block.finalBlock,
    additions: block.additions.map((addition) => ({ ...addition })),
    transcript: transcriptOf(seen),
    accepted_at: found.acceptedAt,
    ended_at: found.endedAt,
  };
}

function transcriptOf(seen: EngineerSeen | null): ResultBody['transcript'] {
  if (seen === null) return null;
  const { path, bytes, sha256 } = seen.transcript;
  return { path, bytes, sha256 };
}

/** What stands in `detail`: why, and what a reader would otherwise take for whole. */
function detailOf({ classified, seen, collected }: Found, few: number): string | null {
  const left = Object.entries(collected?.leftOut ?? {}).filter(([, count]) => count > 0);
  const short = (collected?.commits.length ?? 0) > few || (collected?.changed.length ?? 0) > few * 10;
  const notes = [
    ...(classified.detail === null ? [] : [classified.detail]),
    ...(left.length > 0
      ? [`left out of the lists: ${left.map(([what, count]) => `${count} ${what}`).join(', ')}`]
      : []),
    ...(short ? ['the lists are cut: the branch has all of it'] : []),
    ...(collected === null || collected.strayed === null
      ? []
      : [`the engineer stood on ${collected.strayed} at its end: what it committed there was not taken`]),
    ...(seen === null || seen.transcript.cut === 0
      ? []
      : [`${seen.transcript.cut} bytes of its output are not in the transcript`]),
    ...(seen === null || seen.transcript.failure === null
      ? []
      : [`the transcript ends early: ${oneLine(seen.transcript.failure)}`]),
  ];
  return notes.length === 0 ? null : cut(notes.join('; '), 60 << 10);
}

/** The same without secrets in anything that an engineer, a program or this machine has worded. */
function cleaned(found: Found, secrets: Redactor): Found {
  const { classified, seen, collected, verify } = found;
  const text = <Value>(value: Value): Value => secrets.shown(value);
  return {
    ...found,
    classified: { ...classified, detail: text(classified.detail) },
    engineerVersion: text(found.engineerVersion),
    workspaceChanges: text(found.workspaceChanges),
    seen:
      seen === null
        ? null
        : {
            ...seen,
            message: text(wholeLines(seen.message)),
            session: text(seen.session),
            model: text(seen.model),
            version: text(seen.version),
          },
    collected:
      collected === null
        ? null
        : {
            ...collected,
            commits: collected.commits.map(({ sha, subject }) => ({ sha, subject: text(subject) })),
            changed: text(collected.changed),
            protected: text(collected.protected),
            uncommitted: text(collected.uncommitted),
            missingArtifacts: text(collected.missingArtifacts),
            strayed: text(collected.strayed),
          },
    verify: verify.map((outcome) => ({
      ...outcome,
      argv: text(outcome.argv),
      tail: text(wholeLines(outcome.tail)),
    })),
  };
}

/** Of a tail whose first line was cut: without that line, which may begin in the middle of a secret. */
function wholeLines(text: string): string {
  return text.replace(/^(… \(\d+ bytes left out\)\n)[^\n]*\n?/, '$1');
}

function cut(text: string, most: number): string {
  return wellFormed(text.length <= most ? text : `${text.slice(0, most - 1)}…`);
}

function endOf(text: string, most: number): string {
  return wellFormed(text.length <= most ? text : `…${text.slice(1 - most)}`);
}

/** Half of a pair becomes a mark: only a text that is well formed can be signed. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
