/**
 * The snapshot of a team on Redis: one hash beside its log, which the next who opens the team may begin with instead of
 * folding the log from its first entry (spec/engine.md §1 "Versions").
 *
 * A cache, and nobody's promise: it is used only when its digest fits what it holds, the same code wrote it, and the log
 * still holds the entry that it ends with; and, where teams have to be signed, only when somebody has signed it whose key
 * counts. Anything else is as if there were none. It is written only while the log holds
 * that entry, as all that belongs to a team is, so none is left behind one that was deleted. Its bytes are bounded and not
 * counted for the record.
 */

import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { Redis } from 'ioredis';
import { sha256 } from '../../shared/digest.js';
import { isObject } from '../../shared/is-object.js';
import type { Snapshot, Snapshots } from '../record.js';
import { guardedWrite } from './guarded-script.js';
import { digestIn, type LogHead } from './log-stream.js';
import type { RedisReach } from './redis-reach.js';

export interface RedisSnapshotsSetup {
  readonly reach: RedisReach;
  /** The log as this process knows it. */
  readonly log: LogStart & { readonly key: string };
  readonly key: string;
  /** The hash of sizes of the team. */
  readonly sizes: string;
  readonly team: string;
  /** Version of the code: what another one has folded is not looked into. */
  readonly code: string;
  readonly afterFacts: number;
  readonly seal?: SnapshotSeal;
}

/** Where others may write to the server: who says that a digest is that of a fold, and whether that one is believed. */
export interface SnapshotSeal {
  /** Undefined: nobody here can say so, and nothing is kept. */
  sign(digest: string): string | undefined;
  holds(digest: string, seal: string): boolean;
}

/** Where a log may be read on from. */
export interface LogStart {
  readonly head: LogHead;
  /** Of the entries up to there. */
  readonly bytes: number;
}

/** What is said of a snapshot beside its text. */
interface Label extends LogStart {
  readonly code: string;
}

/** Bounds of a text, as it is and as it is kept: a larger one is not worth its place in the memory of the server. */
const MOST_TEXT_BYTES = 64 * 1024 * 1024;
const MOST_KEPT_BYTES = 8 * 1024 * 1024;

export class RedisSnapshots implements Snapshots {
  readonly #setup: RedisSnapshotsSetup;
  readonly afterFacts: number;
  found: Snapshot | undefined;

  constructor(setup: RedisSnapshotsSetup) {
    this.#setup = setup;
    this.afterFacts = setup.afterFacts;
  }

  /** Looks for one that may be used. Rejects only as any look at the server does. */
  async find(): Promise<LogStart | undefined> {
    const { reach, log, key, team, code, seal } = this.#setup;
    const label = await reach.look(async (client) => readLabel(await client.hget(key, 'label')));
    if (label?.code !== code) return undefined;
    const { head, bytes } = label;
    if (!(await reach.look((client) => holds(client, log.key, head)))) return undefined;
    const [digest, kept, sealed] = await reach.look((client) =>
      client.hmgetBuffer(key, 'digest', 'text', 'seal'),
    );
    if (kept == null || digest?.toString() !== digestOf(team, label, kept)) return undefined;
    if (seal?.holds(digest.toString(), sealed?.toString() ?? '') === false) return undefined;
    const text = await inflated(kept);
    if (text === undefined) return undefined;
    this.found = { next: head.next, text };
    return { head, bytes };
  }

  async keep({ next, text }: Snapshot): Promise<void> {
    const { reach, log, key, sizes, team, code, seal } = this.#setup;
    const {
      head: { id, digest, ...at },
      bytes,
    } = log;
    const head: LogHead = { id, digest, next };
    if (at.next !== next || text.length > MOST_TEXT_BYTES) return;
    try {
      const kept = await promisify(deflate)(text, { level: 1 });
      if (kept.length > MOST_KEPT_BYTES) return;
      const label: Label = { code, head, bytes };
      const of = digestOf(team, label, kept);
      const sealed = seal === undefined ? '' : seal.sign(of);
      if (sealed === undefined) return;
      const fields = { label: JSON.stringify(label), digest: of, seal: sealed, text: kept };
      await reach.look((client) =>
        guardedWrite(
          client,
          { log: log.key, sizes, seen: head },
          {
            command: 'HSET',
            key,
            args: Object.entries(fields).flat(),
            behind: null,
            counted: { name: 'snapshot', bytes: 0 },
          },
        ),
      );
    } catch {
      // Whoever opens the team next folds it.
    }
  }
}

async function holds(client: Redis, log: string, { id, digest }: LogHead): Promise<boolean> {
  const [entry] = await client.xrange(log, id, id);
  return entry !== undefined && digestIn(entry) === digest;
}

function digestOf(team: string, { code, head, bytes }: Label, kept: Buffer): string {
  const of = JSON.stringify([code, head.id, head.digest, head.next, bytes]);
  return sha256(Buffer.concat([Buffer.from(`bnerd-teams snapshot of ${team}\n${of}\n`), kept]));
}

/** Total: what is no label gives none. */
function readLabel(text: string | null): Label | undefined {
  const label = parsed(text ?? '');
  if (!isObject(label) || !isObject(label['head'])) return undefined;
  const { code, bytes } = label;
  const { id, digest, next } = label['head'];
  if (typeof code !== 'string' || typeof bytes !== 'number' || typeof id !== 'string') return undefined;
  if (typeof digest !== 'string' || typeof next !== 'number') return undefined;
  return { code, bytes, head: { id, digest, next } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no label
  }
}

async function inflated(kept: Buffer): Promise<string | undefined> {
  try {
    return (await promisify(inflate)(kept, { maxOutputLength: MOST_TEXT_BYTES })).toString('utf8');
  } catch {
    return undefined; // not what was kept: as if there were none
  }
}
