/**
 * The section `web` of the settings file (spec/team.md §2, `web_fetch`): by which proxy, and which addresses beside the
 * public network. Neither is ever taken from the environment.
 */

import { z } from 'zod';
import { addressRange } from '../shared/address-range.js';
import type { SettingsWeb } from './settings.js';

const proxy = z
  .string()
  .trim()
  .refine(
    isProxy,
    'http://<host>:<port>, without user, password or path: a proxy that wants those is not supported',
  );

const allowed = z
  .string()
  .trim()
  .refine(
    (text) => addressRange(text) !== undefined || isHostName(text),
    'one host name, address or range of addresses (docs.internal, 10.1.2.3, 10.1.0.0/16), without *, scheme or port',
  );

/** Keys of the section, for the shape of the whole file. */
export const WEB_SECTION = {
  web: z.strictObject({ proxy: proxy.optional(), 'allow-private': z.array(allowed).optional() }).optional(),
};

const section = z.object(WEB_SECTION);

/** The section in working shape. */
export function webSettings({ web = {} }: z.infer<typeof section>): SettingsWeb {
  return { proxy: web.proxy ?? null, allowPrivate: web['allow-private'] ?? [] };
}

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return (
    protocol === 'http:' &&
    [username, password, search, hash].every((part) => part === '') &&
    pathname === '/'
  );
}

/** A name, and not another spelling of an address (`127.1`). */
function isHostName(text: string): boolean {
  if (/[\s/?#@:*%[\]\\]/.test(text) || !URL.canParse(`http://${text}/`)) return false;
  return addressRange(new URL(`http://${text}/`).hostname) === undefined;
}
