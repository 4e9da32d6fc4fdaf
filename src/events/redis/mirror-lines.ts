/**
 * What a mirror holds, line by line: entries of a record's streams as they stood on the server, and its texts, in an order in
 * which nothing is named before it is there (spec/engine.md §1 "Loss").
 *
 *  C1 each line begins with a digest over the one of the line before it and over itself; the first follows on the id of the
 *     team. So what was changed, left out, doubled, moved or is another team's is found, and what stands before it is proven;
 *  C2 cut off at any place it is the mirror as it was then: bytes behind the last line end were never whole;
 *  C3 entries of the log keep the digests that they had on the server, and are held to them as well.
 *
 * Pure: bytes in and out, no file, no server.
 */

import { z } from 'zod';
import { sha256 } from '../../shared/digest.js';
import { FatalError } from '../../shared/errors.js';
import type { LogEntry } from '../log-entry.js';
import { LOG_START, openStream, type RawEntry } from './log-stream.js';
import { openTranscriptStream } from './redis-transcripts.js';

const raw = z.tuple([z.string(), z.array(z.string())]);

const item = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('log'), entry: raw }),
  z.strictObject({ kind: z.literal('memory'), member: z.string(), entry: raw }),
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
]);

/** What a line holds: an entry of the log's stream, one of a member's transcript, or a text of the record. */
export type MirrorItem = z.infer<typeof item>;

/** A mirror as it was read. */
export interface Mirrored {
  readonly log: readonly RawEntry[];
  /** What those hold. */
  readonly entries: readonly LogEntry[];
  readonly memories: ReadonlyMap<string, readonly RawEntry[]>;
  readonly texts: readonly string[];
}

/** The digest before the first line. */
export function mirrorStart(team: string): string {
  return sha256(`bnerd-teams mirror of ${team}`);
}

/** The line behind one with the digest, and its own. */
export function mirrorLine(
  before: string,
  held: MirrorItem,
): { readonly line: string; readonly digest: string } {
  const body = JSON.stringify(held);
  const digest = sha256(`${before}\n${body}`);
  return { line: `${digest} ${body}\n`, digest };
}

/**
 * Opens the bytes of a mirror.
 * @param path for the words of an error
 * @throws FatalError `mirror-broken`, with the line from which on nothing is proven
 */
export function openMirror(team: string, bytes: Uint8Array, path: string): Mirrored {
  const log: RawEntry[] = [];
  const memories = new Map<string, RawEntry[]>();
  const texts: string[] = [];
  let digest = mirrorStart(team);
  // Behind the last line end stands what was never written whole.
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .split('\n')
    .slice(0, -1);
  for (const [place, line] of lines.entries()) {
    const body = line.slice(line.indexOf(' ') + 1);
    digest = sha256(`${digest}\n${body}`);
    if (line !== `${digest} ${body}`) throw broken(path, place + 1, 'does not follow on the line before it');
    const held = heldBy(body);
    if (held === undefined) throw broken(path, place + 1, 'holds nothing that a record has');
    if (held.kind === 'log') log.push(held.entry);
    else if (held.kind === 'text') texts.push(held.text);
    else {
      const memory = memories.get(held.member) ?? [];
      memories.set(held.member, memory);
      memory.push(held.entry);
    }
  }
  const opened = openStream(team, log, LOG_START.digest);
  const [wrong] = opened.broken;
  if (wrong !== undefined) throw brokenPart(path, `entry ${wrong.line} of the log in it ${wrong.reason}`);
  for (const [member, entries] of memories) {
    const [hole] = openTranscriptStream(entries).broken;
    if (hole !== undefined)
      throw brokenPart(path, `entry ${hole.line} of the transcript of ${member} in it ${hole.reason}`);
  }
  return { log, entries: opened.entries, memories, texts };
}

function heldBy(body: string): MirrorItem | undefined {
  try {
    return item.parse(JSON.parse(body));
  } catch {
    return undefined; // told by its line
  }
}

function broken(path: string, line: number, reason: string): FatalError {
  const remedy =
    line === 1
      ? 'none of it is proven'
      : `lines 1 to ${line - 1} are proven: cut off behind them it can be used (head -n ${line - 1})`;
  return new FatalError('mirror-broken', `${path}:${line}: line ${line} of the mirror ${reason}; ${remedy}`);
}

function brokenPart(path: string, what: string): FatalError {
  return new FatalError('mirror-broken', `${path}: ${what}; nothing of it can be used`);
}
