/**
 * Which repository a brief works on, as an address that may be handed to git (spec/runner.md §3 "Workspace"): an absolute
 * path of this machine, or a file, https or ssh address.
 *
 * It is the recipe's or the operator's word. What is refused is what git would read as something else: an option, a
 * transport helper (`ext::`), a password that would stand in records; and what leads elsewhere than it says.
 */

import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutUserInfo } from '../../shared/secret-text.js';
import { oneLine } from '../../shared/terminal-text.js';

export interface RepositoryAddress {
  readonly url: string;
  readonly protocol: 'file' | 'https' | 'ssh' | 'http';
  /** Where it lies, for one of this machine; else null. */
  readonly path: string | null;
}

export type RepositoryRead =
  | { readonly kind: 'address'; readonly address: RepositoryAddress }
  | { readonly kind: 'refused'; readonly detail: string };

const FORMS = 'an absolute path, file:///path, https://host/path, ssh://user@host/path or user@host:path';

/** `user@host:path`, as ssh users write it; nothing in it begins with `-`. */
const SCP_FORM = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9_][\w.-]*:(?!-)[^\s:]+$/;

/** @param protocols that the runner's settings allow */
export function readRepositoryAddress(repo: string, protocols: readonly string[]): RepositoryRead {
  const shown = `"${oneLine(withoutUserInfo(repo), 200)}"`;
  const refused = (why: string): RepositoryRead => ({
    kind: 'refused',
    detail: `repository ${shown}: ${why}`,
  });
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(repo)) return refused('it holds control characters');
  const address = addressOf(repo);
  if (address === null) return refused(`this is no address of a repository; allowed is ${FORMS}`);
  if (leadsUp(repo)) return refused(LEADS_UP);
  if (address === 'secret')
    return refused('it carries a password; remove it and name a variable in runner.git-env');
  if (!protocols.includes(address.protocol))
    return refused(
      `this runner does not use ${address.protocol}; allowed: ${protocols.join(', ') || 'none'} (runner.repos)`,
    );
  return { kind: 'address', address };
}

/** Why an address with `.` or `..` among its steps is none, as the end of a sentence. */
export const LEADS_UP = 'it goes by "." or ".."; write it in its shortest form';

/**
 * Whether an address goes by `.` or `..`, also where only its reader would find them, as in `%2e`: what it begins with
 * would then say nothing of where it leads, and a list of what is allowed goes by that.
 */
export function leadsUp(repo: string): boolean {
  const read = repo.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
  return read.split(/[/\\:]/).some((step) => step === '.' || step === '..');
}

function addressOf(repo: string): RepositoryAddress | 'secret' | null {
  if (isAbsolute(repo)) return { url: repo, protocol: 'file', path: repo };
  if (SCP_FORM.test(repo)) return { url: repo, protocol: 'ssh', path: null };
  const protocol = (['file', 'https', 'ssh', 'http'] as const).find((name) => repo.startsWith(`${name}://`));
  if (protocol === undefined || !URL.canParse(repo)) return null;
  const url = new URL(repo);
  if (protocol === 'file') {
    if (url.host !== '' || url.search !== '' || url.hash !== '') return null;
    const path = fileURLToPath(url);
    return { url: path, protocol, path };
  }
  if (url.hostname === '' || url.hostname.startsWith('-') || url.pathname.length < 2) return null;
  if (url.password !== '' || (protocol !== 'ssh' && url.username !== '')) return 'secret';
  return { url: repo, protocol, path: null };
}
