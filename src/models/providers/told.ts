/** Text of a provider as it may stand in a message of ours: one line, short, and without any credential. */

import { redactorOf } from '../../shared/secrets/redactor.js';
import { oneLine } from '../../shared/terminal-text.js';
import { type Credential, secretsOf } from './door.js';

const LENGTH = 300;

/**
 * @returns the text with every form of the credential replaced by its name, then cut: a cut first would leave the half
 *   of a key that no search finds
 */
export function told(text: string, credential: Credential): string {
  // Control characters go before the search, since one inside of a key would hide it.
  const line = oneLine(text, 100_000);
  const name = credential.kind === 'none' ? '' : credential.variable;
  const secrets = redactorOf(secretsOf(credential).map((value) => ({ name, value })));
  return oneLine(secrets.text(line).trim(), LENGTH);
}
