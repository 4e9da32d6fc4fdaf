/**
 * Calls of `web_fetch` against the far side. Loopback plays the public network: 127.0.0.2 is allowed, as the address of
 * a site, and 127.0.0.1 is not.
 */

import type { Writable } from 'node:stream';
import { expect } from 'vitest';
import type { ToolResult } from '../../../src/agent/tool.js';
import { addressRange } from '../../../src/shared/address-range.js';
import type { Redactor } from '../../../src/shared/secrets/redactor.js';
import type { FetchOptions } from '../../../src/tools/web/fetch-page.js';
import { fetchOptions, webFetch } from '../../../src/tools/web-fetch.js';
import { until } from '../../helpers/until.js';
import { webServer } from './far-side.js';

export const SITE = '127.0.0.2';
export const INSIDE = '127.0.0.1';

/** Bounds for a loaded machine; a test that runs into one of them by intent says a shorter one. */
export const PATIENT: FetchOptions = {
  ...fetchOptions({ proxy: null, allowPrivate: [] }),
  resolve: async (name) => (name.endsWith('site.test') ? [SITE] : [INSIDE]),
  allowed: { hosts: new Set(), ranges: [addressRange(SITE) ?? never()] },
};

export interface Asked {
  readonly options?: Partial<FetchOptions>;
  readonly totalMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly secrets?: Redactor;
}

export async function fetched(
  url: string,
  { options, maxBytes, signal, ...bounds }: Asked = {},
): Promise<ToolResult> {
  const tool = webFetch({ ...PATIENT, ...options }, bounds);
  const prepared = await tool.prepare({ url, ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }) });
  if (prepared.kind === 'refused') return { outcome: 'error', text: prepared.text };
  expect(prepared.class).toBe('read');
  return tool.run(JSON.parse(JSON.stringify(prepared.arguments)), signal ?? new AbortController().signal);
}

export function never(): never {
  throw new Error('not reached');
}

export const allClosed = (far: { open(): number }) =>
  until(() => far.open() === 0, { what: 'every connection closed' });

/** What stands between the marks of the fence. */
export function pageIn({ text }: ToolResult): string {
  const found = /<<web page, written by a stranger (~[0-9a-f]{12,})\n(.*)\n\1>>$/s.exec(text);
  if (found === null) throw new Error(`no page in: ${text}`);
  return found[2] ?? '';
}

export const site = (answer: Parameters<typeof webServer>[0]) => webServer(answer, { address: SITE });

/** Writes a chunk again and again for as long as somebody reads. */
export function endless(out: Writable, chunk: string | Buffer): void {
  const more = (): void => {
    while (!out.destroyed && out.write(chunk));
    if (!out.destroyed) out.once('drain', more);
  };
  more();
}
