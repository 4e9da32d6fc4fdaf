/**
 * From the text of an address to where it leads: http or https, no user in it, a port that web servers have. The host
 * is folded once, so that rules, checks and the request speak of the same name: the parser of the URL standard
 * lower-cases it, writes other scripts as `xn--` and every spelling of an address (`0x7f.1`, `2130706433`) in one form;
 * a dot at its end is taken off.
 */

import { familyOf } from '../../shared/address-range.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';

export interface WebTarget {
  readonly kind: 'target';
  /** In the one spelling of the parser, without a fragment. ASCII without blanks. */
  readonly url: string;
  /** What rules match on: `example.org`, `93.184.216.34`, `[2606:4700::1]`. */
  readonly host: string;
  /** The address, when the host is one; without brackets. */
  readonly literal: string | undefined;
  readonly port: number;
  readonly secure: boolean;
  /** Path and query, as they stand in a request. */
  readonly path: string;
  /** The host with its port where that is not the scheme's own, as the header says it. */
  readonly authority: string;
}

/** Longer ones carry data out; servers refuse them anyway. */
export const LONGEST_URL = 4_096;

/** Ports that browsers do not speak HTTP with, since other services listen there (Fetch standard, "bad port"). */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Reads an address.
 * @param base what a relative one, of a redirect, is relative to
 */
export function webTarget(text: string, base?: string): WebTarget | Refusal {
  if (text.length > LONGEST_URL) return no(text, `is longer than ${LONGEST_URL} characters`);
  if (!URL.canParse(text, base)) return no(text, 'is no URL');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return no(text, `has the scheme ${oneLine(url.protocol, 40)}`);
  }
  if (url.username !== '' || url.password !== '') return no('', 'holds a user or a password');
  const name = url.hostname.replace(/\.+$/, '');
  if (name === '') return no(text, 'names no host');
  url.hostname = name;
  url.hash = '';
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (BAD_PORTS.has(port)) return no(text, `has port ${port}, which is not one of web servers`);
  const bare = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    kind: 'target',
    url: url.href,
    host: url.hostname,
    literal: familyOf(bare) === undefined ? undefined : bare,
    port,
    secure,
    path: `${url.pathname}${url.search}`,
    authority: url.host,
  };
}

/** What an operator named as a host, in the spelling of `WebTarget.host`. */
export function foldedHost(name: string): string {
  const target = webTarget(`http://${name}/`);
  return target.kind === 'target' ? target.host : name;
}

function no(text: string, why: string): Refusal {
  const shown = text === '' ? 'the address' : `the address ${JSON.stringify(oneLine(text))}`;
  return refused(`${shown} ${why}; allowed are http and https addresses such as https://example.org/page`);
}
