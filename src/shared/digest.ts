/** SHA-256, in the two forms the product uses: plain, and over length-prefixed fields under a domain line. */

import { hash } from 'node:crypto';

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text (or of bytes). */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/**
 * `1:` + SHA-256 over a domain line and a text, BOM removed and CRLF turned into LF first: the digest of a
 * role or recipe file (spec/team.md §1).
 */
export function fileDigest(domain: string, text: string): string {
  const normal = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return `1:${sha256(`${domain}\n${normal}`)}`;
}
