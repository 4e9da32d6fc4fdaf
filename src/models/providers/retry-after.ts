/** How long a provider asks to wait, from the headers of its refusal. Pure: the time of day is an argument. */

/** A provider may say a day; whoever waits asks again at least this often. */
const LONGEST_MS = 60 * 60_000;

/** Milliseconds to wait, bounded, or null when nothing usable is said. `headers` are in lower case. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, wallMs: number): number | null {
  const milliseconds = numberOf(headers['retry-after-ms']);
  if (milliseconds !== null) return bounded(milliseconds);
  const after = headers['retry-after'];
  if (after !== undefined) {
    const seconds = numberOf(after);
    if (seconds !== null) return bounded(seconds * 1000);
    const until = untilMs(after, headers, wallMs);
    if (until !== null) return bounded(until);
  }
  const resets = resetsOf(headers, wallMs);
  return resets.length === 0 ? null : bounded(Math.max(...resets));
}

/** The same bound for a wait that stood in a body. */
export function boundedWaitMs(ms: number): number {
  return bounded(ms);
}

/** The vendors' own headers: when a limit that is used up will be there again. */
function resetsOf(headers: Readonly<Record<string, string>>, wallMs: number): number[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const limit =
      /^(x-ratelimit)-reset-(.+)$/.exec(name) ?? /^(anthropic-ratelimit)-(.+)-reset$/.exec(name) ?? null;
    if (limit === null) return [];
    const [, vendor, what] = limit;
    const left =
      vendor === 'x-ratelimit'
        ? headers[`x-ratelimit-remaining-${what}`]
        : headers[`anthropic-ratelimit-${what}-remaining`];
    if (numberOf(left) !== 0) return [];
    const wait = spanMs(value) ?? untilMs(value, headers, wallMs);
    return wait === null ? [] : [wait];
  });
}

/** `6m0s`, `1.5s`, `20ms`. */
function spanMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return null;
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(count) * (units[unit ?? ''] ?? 0);
  }
  return sum;
}

/** Until a date, by the provider's own clock where it tells the time. */
function untilMs(date: string, headers: Readonly<Record<string, string>>, wallMs: number): number | null {
  // The parser takes a lone number for a year.
  const at = /^([A-Za-z]{3,9}, |\d{4}-\d\d-\d\dT)/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const told = Date.parse(headers['date'] ?? '');
  return at - (Number.isNaN(told) ? wallMs : told);
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}

function bounded(ms: number): number {
  return Math.ceil(Math.min(LONGEST_MS, Math.max(0, ms)));
}
