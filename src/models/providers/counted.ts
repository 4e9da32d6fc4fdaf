/** Answers without a count of tokens: some servers that speak a vendor's protocol send none, and packages refuse those. */

/**
 * A `fetch` that gives an answer that came whole and counts nothing the count given, so that it can be read; what is
 * made of zeros is `usageOf`'s affair. Streams and answers that count are passed on untouched.
 */
export function counted(
  fetch: typeof globalThis.fetch,
  usage: Readonly<Record<string, number>>,
): typeof globalThis.fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!/^application\/json/.test(response.headers.get('content-type') ?? '')) return response;
    const body = await response.text();
    const { status, headers } = response;
    if (/"usage"\s*:\s*\{/.test(body)) return new Response(body, { status, headers });
    const answer = parse(body);
    return new Response(answer === null ? body : JSON.stringify({ ...answer, usage }), { status, headers });
  };
}

function parse(body: string): object | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null; // no answer at all: the package says so
  }
}
