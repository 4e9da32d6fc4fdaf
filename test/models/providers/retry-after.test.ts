import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/models/providers/retry-after.js';

const NOW = Date.parse('2026-10-05T10:00:00Z');
const used = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '12' };

test.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ 'retry-after': '' }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.25' }, 1250],
  [{ 'retry-after': '-3' }, null],
  [{ 'retry-after': 'NaN' }, null],
  [{ 'retry-after': '86400' }, 3_600_000],
  [{ 'retry-after': '1e999' }, null],
  [{ 'retry-after-ms': '250.5', 'retry-after': '9' }, 251],
  [{ 'retry-after': 'Mon, 05 Oct 2026 10:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Mon, 05 Oct 2026 09:59:00 GMT' }, 0],
  // The provider's clock is ten minutes ahead of ours: its own word counts.
  [{ date: 'Mon, 05 Oct 2026 10:10:00 GMT', 'retry-after': 'Mon, 05 Oct 2026 10:10:05 GMT' }, 5000],
  [{ ...used, 'x-ratelimit-reset-requests': '6m0s', 'x-ratelimit-reset-tokens': '50m' }, 360_000],
  [{ ...used, 'x-ratelimit-reset-requests': '20ms' }, 20],
  [{ ...used, 'x-ratelimit-reset-requests': 'later' }, null],
  [{ 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '6m0s' }, null],
  [{ 'x-ratelimit-reset-requests': '6m0s' }, null],
  [
    {
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-10-05T10:00:12Z',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-10-05T10:00:04Z',
      'anthropic-ratelimit-output-tokens-remaining': '900',
      'anthropic-ratelimit-output-tokens-reset': '2026-10-05T10:50:00Z',
    },
    12_000,
  ],
  [{ 'retry-after': '2', ...used, 'x-ratelimit-reset-requests': '6m0s' }, 2000],
])('%j asks to wait %s', (headers, expected) => {
  expect(retryAfterMs(headers, NOW)).toBe(expected);
});
