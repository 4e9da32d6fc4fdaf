/**
 * Where git may fetch from (spec/skills.md §9): the address that a pin names, and the mirror that stands in for it.
 *
 * Always true: what is accepted is exactly what is fetched and recorded: an address that a URL parser would rewrite
 * (another host by its digits, a path that climbs, a blank, a default port) is refused with its plain form; nothing
 * that begins with `-` or names a transport helper is an address.
 */

import { isIPv4 } from 'node:net';
import type { Finding } from '../../shared/findings.js';
import { withoutUserInfo } from '../../shared/secret-text.js';
import { oneLine } from '../../shared/terminal-text.js';

/** An address that may be handed to git. */
export interface GitAddress {
  readonly url: string;
  /** The one protocol git may use for it. */
  readonly protocol: 'https' | 'http' | 'file';
  /** Who named it, as findings say it. */
  readonly flag: string;
}

export type AddressRead =
  /** Findings are warnings. */
  | { readonly kind: 'address'; readonly address: GitAddress; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** Longer than any address of a repository; a pin of it still fits into frontmatter. */
const MAX_CHARACTERS = 1_024;

/** The address that stands in `upstream`: https alone. */
export function readUrl(written: string): AddressRead {
  return readAddress(written, '--url', ['https']);
}

/** Where it is fetched from instead: https, a repository of this machine, or http on this machine. */
export function readMirror(written: string): AddressRead {
  return readAddress(written, '--source', ['https', 'file', 'http']);
}

function readAddress(
  written: string,
  flag: string,
  protocols: readonly GitAddress['protocol'][],
): AddressRead {
  const form = protocols.includes('file')
    ? 'https://host/path, file:///path or http://127.0.0.1:port/path'
    : 'https://host/path';
  const refuse = (code: string, message: string, remedy = `write ${form}`): AddressRead => ({
    kind: 'refused',
    finding: { code, severity: 'error', path: flag, message, remedy },
  });
  const shown = `"${oneLine(withoutUserInfo(written), 120)}"`;
  if (written.length > MAX_CHARACTERS) {
    return refuse('url-too-long', `the address has more than ${MAX_CHARACTERS} characters`);
  }
  const protocol = protocols.find((name) => written.startsWith(`${name}://`));
  if (protocol === undefined) return refuse('url-protocol', `found ${shown}, allowed is ${form}`);
  const url = URL.canParse(written) ? new URL(written) : null;
  // Every character that a shell, a log, a terminal or git might read as something else, encoded or not.
  if (url === null || /[^\x21-\x7e]|["'<>\\^`{|}]|%(?:[01]|7f)/i.test(written)) {
    return refuse('url-malformed', `found ${shown}, which is no plain address: visible ASCII, no quotes`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(
      'url-user-info',
      'the address carries a user or password',
      'remove what stands before the host',
    );
  }
  if (url.search !== '' || url.hash !== '' || written.includes('@')) {
    return refuse('url-parts', `found ${shown}, allowed is an address without "?", "#" and "@"`);
  }
  if (url.href !== written) {
    return refuse(
      'url-not-plain',
      `found ${shown}, which is read as "${oneLine(url.href, 120)}"`,
      'write it that way',
    );
  }
  if (url.pathname === '/') return refuse('url-no-repository', `found ${shown}, which names no repository`);
  if (protocol === 'file' ? url.host !== '' : url.hostname === '') {
    return refuse('url-malformed', `found ${shown}, allowed is ${form}`);
  }
  if (protocol === 'http' && !isLoopback(url.hostname)) {
    return refuse('url-protocol', `found ${shown}, http is allowed on this machine only`, 'use https');
  }
  return {
    kind: 'address',
    address: { url: written, protocol, flag },
    findings: lookAlike(url.hostname, flag),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

/** A host of letters beyond ASCII stands in its encoded form, which no reader knows: it is said how it reads. */
function lookAlike(host: string, flag: string): Finding[] {
  if (!host.split('.').some((label) => label.startsWith('xn--'))) return [];
  const message = `the host "${host}" has letters beyond ASCII, which may look like those of another host`;
  const remedy = 'make sure that it is the host you mean';
  return [{ code: 'url-look-alike', severity: 'warning', path: flag, message, remedy }];
}
