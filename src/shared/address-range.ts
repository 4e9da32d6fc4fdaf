/** Addresses of the network in ranges, `10.0.0.0/8` or one alone: read once, asked often. */

import { BlockList, isIP } from 'node:net';

export interface AddressRange {
  readonly family: 4 | 6;
  /** Whether the address, in any spelling of its own family, lies in it; one of the other family never does. */
  has(address: string): boolean;
}

/**
 * Reads `192.168.0.0/16`, `fd00::/8` or an address alone, without brackets.
 * Undefined: it is neither; an address with a zone (`fe80::1%eth0`) is none.
 */
export function addressRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...more] = text.split('/');
  const family = familyOf(address);
  if (family === undefined || more.length > 0) return undefined;
  const longest = family === 4 ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, bits === undefined ? longest : Number(bits), nameOf(family));
  // Asked of its own family only: a list takes `::ffff:10.0.0.1` for 10.0.0.1, and a range does not.
  return { family, has: (other) => familyOf(other) === family && list.check(other, nameOf(family)) };
}

/** 4, 6, or undefined for what is no address. */
export function familyOf(address: string): 4 | 6 | undefined {
  const family = address.includes('%') ? 0 : isIP(address);
  return family === 4 || family === 6 ? family : undefined;
}

function nameOf(family: 4 | 6): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}
