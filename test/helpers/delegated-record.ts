/**
 * The record of a team that has sent a brief, on disk as a run leaves it: facts by the core, texts as blobs, the signed
 * brief and the signed result among them, and the transcript of its engineer.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Brief } from '../../src/delegate/brief/brief.js';
import type { ResultBody } from '../../src/delegate/brief/result.js';
import { namedOf, ride } from '../../src/delegate/brief/riding.js';
import { composeBlock } from '../../src/delegate/runner/compose.js';
import { canonicalJson } from '../../src/shared/canonical-json.js';
import { sha256 } from '../../src/shared/digest.js';
import { newKeyPair, signed } from '../../src/shared/signature.js';
import type { Entry } from '../../src/skills/entry.js';
import { aBrief, accepted, resultOrder } from './briefs.js';
import { acceptance, briefOffer, delegating, ending, HEAD } from './build-brief.js';
import type { Team } from './build-state.js';
import { asFile, transcriptOf } from './transcripts.js';

export const DELEGATING_TEAM = 'run-feature-01JZZZZZZZZZZZZZZZZZZZZZZZ';

export interface Delegation {
  readonly sent?: readonly Entry[];
  readonly added?: readonly Entry[];
  readonly order?: Parameters<typeof aBrief>[1];
  readonly result?: Partial<Omit<ResultBody, 'key_id'>>;
  readonly workspace?: string;
}

export interface DelegatedRecord {
  readonly team: Team;
  readonly brief: Brief;
  readonly folder: string;
  readonly log: string;
  readonly transcript: string;
  /** Names of the texts of the brief and of its result. */
  readonly texts: { readonly brief: string; readonly result: string };
  blobPath(digest: string): string;
}

/** Plays it and writes it below a home. */
export async function delegatedRecord(home: string, how: Delegation = {}): Promise<DelegatedRecord> {
  const [worker, runner] = [newKeyPair(), newKeyPair()];
  const riding = ride(how.sent ?? []);
  if (riding.kind === 'refused') throw new Error('refused');
  const brief = aBrief(worker, {
    team: DELEGATING_TEAM,
    from: 'worker',
    ...how.order,
    skills: [...riding.riding],
  });
  const composed = composeBlock(brief.skills, how.added ?? []);
  if (composed.kind === 'refused') throw new Error('refused');
  const { sentBlock: sent_block, finalBlock: final_block, additions } = composed;
  const folder = join(home, 'runs', DELEGATING_TEAM);
  const transcript = join(folder, 'runner', 'briefs', brief.id, 'transcript');
  const text = transcriptOf(brief, composed.text);
  const { bytes, sha256: digest } = asFile(text);
  const blobs = new Map<string, string>();
  const store = (value: object): string => {
    const json = canonicalJson(value);
    blobs.set(sha256(json), json);
    return sha256(json);
  };
  const order = resultOrder(brief, {
    head: HEAD,
    commits: [{ sha: HEAD, subject: 'Add the line' }],
    sent_block,
    final_block,
    additions: [...additions],
    transcript: { path: transcript, bytes, sha256: digest },
    ...how.result,
  });
  const result = signed('result', order, runner);
  const texts = { brief: store(brief), result: store(result) };
  const team = delegating({
    team: DELEGATING_TEAM,
    keys: [accepted(worker, 'worker'), accepted(runner, 'runner')].map(({ retired: _, ...key }) => key),
    ...(how.workspace === undefined ? {} : { workspace: { path: how.workspace, kind: 'directory' } }),
  });
  const { workspace, limits, verify } = brief;
  team.ok({
    kind: 'brief.send',
    sent: briefOffer({
      brief: brief.id,
      text: texts.brief,
      bytes: Buffer.byteLength(canonicalJson(brief)),
      engineer: brief.engineer,
      safety: brief.safety,
      base: workspace.base,
      branch: workspace.branch,
      verify: verify.map(({ key }) => key),
      ...limits,
      sent_block,
      entries: brief.skills.map(namedOf),
    }),
    ...team.in('worker'),
  });
  team.ok(acceptance(brief.id, { sent_block, final_block, additions: [...additions], key_id: runner.id }));
  team.ok(
    ending(
      team.state,
      brief.id,
      { head: HEAD, sent_block, final_block, transcript: order.transcript },
      { text: texts.result },
    ),
  );
  const files = new Map([
    [join(folder, 'log.jsonl'), team.entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')],
    [transcript, text],
    ...[...blobs].map(([name, json]) => [join(folder, 'blobs', name), json] as const),
  ]);
  for (const [path, content] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  const log = join(folder, 'log.jsonl');
  return { team, brief, folder, log, transcript, texts, blobPath: (name) => join(folder, 'blobs', name) };
}
