/** Addresses of providers as people write them, made into what the packages take. */

import { UserError } from '../../shared/errors.js';

/**
 * The address without a slash at the end. Only http and https, and nothing behind the path; a name and password in it
 * would stand in messages and logs, so they are refused too.
 */
export function baseUrl(written: string): string {
  const url = URL.canParse(written) ? new URL(written) : null;
  const fault =
    url === null || !/^https?:$/.test(url.protocol)
      ? 'it is no http or https address'
      : url.username !== '' || url.password !== ''
        ? 'it holds a name or a password'
        : url.search !== '' || url.hash !== ''
          ? 'it goes on behind its path'
          : null;
  if (url === null || fault !== null) {
    throw new UserError(
      'bad-base-url',
      `the address of the provider cannot be used: ${fault}; allowed: https://<host>/<path>`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * The same with the version of the interface at its end. Vendors' own tools leave it away and the packages want it;
 * both are taken.
 */
export function versionedUrl(written: string, version: string): string {
  const base = baseUrl(written);
  return /\/v\d+[a-z0-9]*$/.test(base) ? base : `${base}/${version}`;
}
