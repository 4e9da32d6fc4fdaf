/** Reads a stream in pages: neither the server nor this process holds more of it at once than it must. */

import type { Redis } from 'ioredis';
import type { RawEntry } from './log-stream.js';

/** Entries of a page; each may be a megabyte, most are far smaller. */
const PAGE = 200;

/** All entries from an id on (`-`: from the beginning), oldest first. */
export async function readStream(client: Redis, key: string, from: string): Promise<readonly RawEntry[]> {
  const all: RawEntry[] = [];
  let start = from;
  for (;;) {
    const page = await client.xrange(key, start, '+', 'COUNT', PAGE);
    for (const entry of page) all.push(entry);
    const newest = page.at(-1);
    if (newest === undefined || page.length < PAGE) return all;
    start = `(${newest[0]}`;
  }
}

/** The newest entry with an id of at most `upto` (`+`: of all); undefined when there is none. */
export async function newestEntry(client: Redis, key: string, upto = '+'): Promise<RawEntry | undefined> {
  const [newest] = await client.xrevrange(key, upto, '-', 'COUNT', 1);
  return newest;
}
