/**
 * From an address to the page behind it. Each step of a redirect is checked like a first address.
 *
 *  F1 a redirect is followed within the host that was asked for, and from http to https of it; to another host or port
 *     it is told and not followed, since somebody has said yes to this host and to no other;
 *  F2 never from https to http, never to another scheme or with a user in it, at most five times.
 */

import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import type { AllowedAddresses } from './addresses.js';
import { type ConnectOptions, connect } from './connect.js';
import { type Answer, type ExchangeLimits, exchange } from './exchange.js';
import { checkedAddresses, type Resolve } from './resolve.js';
import { type WebTarget, webTarget } from './web-url.js';

export interface FetchOptions extends ConnectOptions, ExchangeLimits {
  readonly resolve: Resolve;
  readonly allowed: AllowedAddresses;
}

export interface Page {
  readonly kind: 'page';
  /** Where it was found in the end. */
  readonly target: WebTarget;
  readonly answer: Answer;
}

const MOST_REDIRECTS = 5;

/** Gets the page of an address. The signal is its deadline too. */
export async function fetchPage(
  first: WebTarget,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Page | Refusal> {
  let target = first;
  for (let followed = 0; ; followed++) {
    const answer = await ask(target, options, signal);
    if (answer.kind === 'refused') return answer;
    if (answer.location === undefined) return { kind: 'page', target, answer };
    if (followed === MOST_REDIRECTS) {
      return refused(
        `${first.url} redirects more than ${MOST_REDIRECTS} times; the last was to ${target.url}`,
      );
    }
    const next = redirected(target, answer);
    if (next.kind === 'refused') return next;
    target = next;
  }
}

async function ask(target: WebTarget, options: FetchOptions, signal: AbortSignal): Promise<Answer | Refusal> {
  const addresses = await checkedAddresses(target, options, signal);
  if ('kind' in addresses) return addresses;
  const socket = await connect(target, addresses, options, signal);
  return 'kind' in socket ? socket : exchange(target, socket, options, signal);
}

/** Where a redirect leads, when it may be followed. */
function redirected(from: WebTarget, { status, location = '' }: Answer): WebTarget | Refusal {
  const to = webTarget(location, from.url);
  if (to.kind === 'refused') {
    return refused(`${from.url} redirects (${status}) to a place that is not fetched: ${to.text}`);
  }
  if (from.secure && !to.secure) {
    return refused(`${from.url} redirects (${status}) from https to http, ${to.url}; that is not followed`);
  }
  const upgraded = !from.secure && to.secure && from.port === 80 && to.port === 443;
  if (to.host === from.host && (to.port === from.port || upgraded)) return to;
  const other = to.host === from.host ? 'another port' : 'another host';
  return refused(
    `${from.url} redirects (${status}) to ${other}, ${to.url}; that is not followed. ` +
      'Call web_fetch with that address if it is wanted',
  );
}
