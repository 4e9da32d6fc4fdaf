/** The keys of a Redis that fit a pattern, page by page: the server is never held up by it. */

/** A client of Redis, as far as this needs one. */
export interface Scanning {
  scan(
    cursor: string,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    most: number,
  ): Promise<[cursor: string, keys: string[]]>;
}

/** Every key that fits and was there all the time; of one that comes or goes meanwhile nothing is promised. */
export async function scanKeys(client: Scanning, pattern: string): Promise<string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    for (const key of keys) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...found];
}
