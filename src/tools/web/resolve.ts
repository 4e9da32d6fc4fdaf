/**
 * From a host to the addresses that may be connected to: the address itself, or everything that the name resolves to.
 * The list is asked for once and every address of it is checked; whoever connects uses these addresses and no name, so
 * that a name that resolves to something else a moment later (rebinding) leads nowhere.
 */

import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { orAborted } from '../../shared/abort.js';
import { systemCode } from '../../shared/errors.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import { type AllowedAddresses, addressProblem } from './addresses.js';
import type { WebTarget } from './web-url.js';

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** As every other program of this machine does it: its hosts file, its name servers, its order. */
export const systemResolve: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

/** More than any site has; the rest of a longer answer is not tried, and checked all the same. */
const TRIED_ADDRESSES = 4;

const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA']);

/** The addresses to connect to, in order; refused when one of them is not to be spoken with. */
export async function checkedAddresses(
  target: Pick<WebTarget, 'host' | 'literal'>,
  options: { readonly resolve: Resolve; readonly allowed: AllowedAddresses },
  signal: AbortSignal,
): Promise<readonly string[] | Refusal> {
  const { host, literal } = target;
  const found = literal === undefined ? await addressesOf(host, options.resolve, signal) : [literal];
  if ('kind' in found) return found;
  const own = Object.values(networkInterfaces()).flatMap((cards = []) => cards.map(({ address }) => address));
  for (const address of found) {
    const problem = addressProblem(address, host, options.allowed, own);
    // The address itself is not told: names of a network at home would be a map of it.
    if (problem !== undefined) {
      const leads = literal === undefined ? `${host} leads to ${problem}` : `${host} is ${problem}`;
      return refused(
        `${leads}; allowed are hosts of the public network, and what the operator names in web.allow-private`,
      );
    }
  }
  return found.slice(0, TRIED_ADDRESSES);
}

async function addressesOf(
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly string[] | Refusal> {
  try {
    const found = await orAborted(resolve(host), signal);
    return found.length > 0 ? found : refused(`the host ${host} has no address`);
  } catch (error) {
    if (signal.aborted) throw error;
    const code = systemCode(error) ?? '';
    if (NO_SUCH_NAME.has(code)) return refused(`there is no host ${host}`);
    return refused(`the address of ${host} cannot be found now${code === '' ? '' : ` (${code})`}`);
  }
}
