/** Text of a provider as it may stand in a message of ours: one line, short, and without any credential. */

import { oneLine } from '../../shared/terminal-text.js';
import { type Credential, secretsOf } from './door.js';

const LENGTH = 300;
/** Shorter ones are placeholders for servers that ask for none (`x`, `ollama`) and parts of ordinary words. */
const SECRET_BYTES = 8;

/**
 * @returns the text with every form of the credential replaced by its name, then cut: a cut first would leave the half
 *   of a key that no search finds
 */
export function told(text: string, credential: Credential): string {
  // Control characters go before the search, since one inside of a key would hide it.
  let line = oneLine(text, 100_000);
  const name = credential.kind === 'none' ? '' : `[secret:${credential.variable}]`;
  for (const secret of secretsOf(credential)) {
    if (Buffer.byteLength(secret) < SECRET_BYTES) continue;
    for (const form of formsOf(secret)) line = line.replaceAll(form, name);
  }
  return oneLine(line.trim(), LENGTH);
}

/** Longest first, so that no form hides inside another. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
