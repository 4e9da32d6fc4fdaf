/**
 * Which addresses `web_fetch` may speak with (spec/team.md §2): the one table. Everything on the public network, and
 * nothing else: not this machine, not the network around it, not what stands for one of them in another spelling.
 *
 *  A1 what the table does not know of IPv6 is refused: only 2000::/3 is given out to the public;
 *  A2 an address that holds another (mapped, translated, tunnelled) is refused whatever it holds: who needs one names
 *     its range;
 *  A3 a range that the operator has named is allowed; a host that the operator has named may have the addresses of a
 *     network at home, and no other that the table refuses.
 */

import { type AddressRange, addressRange, familyOf } from '../../shared/address-range.js';
import { BugError } from '../../shared/errors.js';

/** What the operator allows beside the public network: `web: {allow-private: […]}`. */
export interface AllowedAddresses {
  /** Host names, folded as `web-url.ts` folds them. */
  readonly hosts: ReadonlySet<string>;
  readonly ranges: readonly AddressRange[];
}

export const NO_ALLOWED_ADDRESSES: AllowedAddresses = { hosts: new Set(), ranges: [] };

interface Row {
  readonly range: AddressRange;
  readonly what: string;
  /** A machine of one's own has such an address: a named host may. */
  readonly home: boolean;
}

const TABLE: readonly Row[] = [
  row('0.0.0.0/8', 'an address that stands for this machine'),
  home('10.0.0.0/8', 'a private address'),
  home('100.64.0.0/10', 'an address of a carrier network'),
  home('127.0.0.0/8', 'a loopback address'),
  row('169.254.0.0/16', 'a link-local address'), // metadata services of cloud machines among them
  row('168.63.129.16', 'an address of a cloud platform'), // Azure: public by number, a service of the machine's host
  home('172.16.0.0/12', 'a private address'),
  row('192.0.0.0/24', 'a reserved address'),
  row('192.0.2.0/24', 'an address for documentation'),
  row('192.31.196.0/24', 'a reserved address'),
  row('192.52.193.0/24', 'a reserved address'),
  row('192.88.99.0/24', 'an address of a 6to4 relay'),
  home('192.168.0.0/16', 'a private address'),
  row('192.175.48.0/24', 'a reserved address'),
  row('198.18.0.0/15', 'an address for benchmarks'),
  row('198.51.100.0/24', 'an address for documentation'),
  row('203.0.113.0/24', 'an address for documentation'),
  row('224.0.0.0/4', 'a multicast address'),
  row('255.255.255.255', 'the broadcast address'),
  row('240.0.0.0/4', 'a reserved address'),
  row('::', 'the unspecified address'),
  home('::1', 'a loopback address'),
  row('::ffff:0:0/96', 'an IPv4 address in IPv6 form'),
  row('::/96', 'an IPv4 address in IPv6 form'),
  row('64:ff9b::/96', 'a translated IPv4 address'),
  row('64:ff9b:1::/48', 'a translated IPv4 address'),
  row('100::/64', 'an address that discards'),
  row('2001::/32', 'a Teredo address'),
  row('2001:2::/48', 'an address for benchmarks'),
  row('2001::/23', 'a reserved address'),
  row('2001:db8::/32', 'an address for documentation'),
  row('3fff::/20', 'an address for documentation'),
  row('2002::/16', 'a 6to4 address'),
  row('2620:4f:8000::/48', 'a reserved address'),
  home('fc00::/7', 'a private address'),
  row('fe80::/10', 'a link-local address'),
  row('fec0::/10', 'a site-local address'),
  row('ff00::/8', 'a multicast address'),
];

const PUBLIC_V6 = rangeOf('2000::/3');

/**
 * Why an address may not be spoken with; undefined when it may.
 * @param host the name that resolved to it, or the address itself
 * @param own addresses of this machine's network cards
 */
export function addressProblem(
  address: string,
  host: string,
  allowed: AllowedAddresses,
  own: readonly string[],
): string | undefined {
  const family = familyOf(address);
  if (family === undefined) return address.includes('%') ? 'an address with a zone' : 'no address';
  if (allowed.ranges.some((range) => range.has(address))) return undefined;
  const found = lookUp(address, family, own);
  if (found === undefined || (found.home && allowed.hosts.has(host))) return undefined;
  return found.what;
}

function lookUp(address: string, family: 4 | 6, own: readonly string[]): Omit<Row, 'range'> | undefined {
  const listed = TABLE.find(({ range }) => range.has(address));
  if (listed !== undefined) return listed;
  if (family === 6 && !PUBLIC_V6.has(address)) return { what: 'a reserved address', home: false };
  if (family === 6 && isIsatap(address)) return { what: 'a tunnelled IPv4 address', home: false };
  // Services that the world is kept from by a firewall listen on the public address too.
  if (own.some((mine) => addressRange(mine)?.has(address) === true))
    return { what: 'an address of this machine', home: true };
  return undefined;
}

/** ISATAP has no range of its own: the second half of any prefix may say so, `::5efe:10.0.0.1`. */
function isIsatap(address: string): boolean {
  // The parser of URLs writes every spelling in one form.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [left = [], right = []] = groups.map((half) => (half === '' ? [] : half.split(':')));
  const all = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  return all[5] === '5efe' && (all[4] === '0' || all[4] === '200');
}

function row(range: string, what: string): Row {
  return { range: rangeOf(range), what, home: false };
}

function home(range: string, what: string): Row {
  return { range: rangeOf(range), what, home: true };
}

function rangeOf(text: string): AddressRange {
  const range = addressRange(text);
  if (range === undefined) throw new BugError('no-range', `${text} is no range of addresses`);
  return range;
}
