/**
 * The head of a transcript: what an engineer was given, read back from the file it worked into (spec/runner.md §3):
 *
 *     block of skills · empty line · # Brief <id> … · empty line · --- output ---
 *
 * The rest of the file is the engineer's own words, and so may be parts of the order: a goal may read like a tag, like a
 * title or like the end of the head. The reading goes by digests and by the order as it was signed, from the first byte
 * on (`read-block.ts`); nothing is searched for that somebody else could have written.
 */

import { type BlockReading, readBlock, type ToldText } from '../../skills/render/read-block.js';
import { OUTPUT_MARK } from '../engineers/transcript.js';
import { ORDER_OPENS } from '../runner/prompt.js';

export type OrderReading =
  /** It is the order that was told, to the byte, and output follows. `end`: of what the engineer was given. */
  | { readonly kind: 'told'; readonly end: number }
  /** It is not. `line`: the first that differs. */
  | { readonly kind: 'differs'; readonly line: number }
  /** Nobody has told an order. `ends`: whether a line ends the head at all; it may be one of a goal. */
  | { readonly kind: 'not-told'; readonly ends: boolean };

export interface Head<Told extends ToldText = ToldText> {
  readonly block: BlockReading<Told>;
  /** The id that the order is titled with; null: no order follows the block. */
  readonly brief: string | null;
  /** 1-based line on which the order begins. */
  readonly line: number;
  readonly order: OrderReading;
}

/**
 * Reads the head of a transcript. Total: any bytes give a reading.
 * @param bytes the beginning of the file, longer than any head
 * @param told entries that may stand in the block
 * @param order what `orderText` says of the signed brief; null where that is not at hand
 */
export function readHead<Told extends ToldText>(
  bytes: Buffer,
  told: readonly Told[],
  order: string | null,
): Head<Told> {
  const block = readBlock(bytes, told, ORDER_OPENS);
  const start = block.followed && block.end > 0 ? block.end + 2 : block.end;
  return {
    block,
    brief: block.followed ? titleAt(bytes, start) : null,
    line: lineOf(bytes, start),
    order: readOrder(bytes, start, order),
  };
}

/** The id behind the words that open an order. */
function titleAt(bytes: Buffer, start: number): string {
  const end = bytes.indexOf('\n', start);
  return bytes.toString('utf8', start + ORDER_OPENS.length, end === -1 ? bytes.length : end);
}

function readOrder(bytes: Buffer, start: number, order: string | null): OrderReading {
  if (order === null) return { kind: 'not-told', ends: bytes.indexOf(OUTPUT_MARK, start) !== -1 };
  const given = Buffer.from(`${order}\n`);
  const whole = Buffer.concat([given, Buffer.from(OUTPUT_MARK)]);
  const found = bytes.subarray(start, start + whole.length);
  if (found.equals(whole)) return { kind: 'told', end: start + given.length };
  let same = 0;
  while (same < found.length && found[same] === whole[same]) same++;
  return { kind: 'differs', line: lineOf(bytes, start + same) };
}

function lineOf(bytes: Buffer, place: number): number {
  let line = 1;
  for (let at = bytes.indexOf(10); at !== -1 && at < place; at = bytes.indexOf(10, at + 1)) line++;
  return line;
}
