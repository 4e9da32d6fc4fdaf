/** Names and paths that hold a secret: they are in every record, and cannot be replaced there (invariant 8). */

import type { Finding } from '../../shared/findings.js';
import { placeholderWithin } from '../../shared/secrets/placeholder.js';
import type { Redactor } from '../../shared/secrets/redactor.js';

/** What else a person can do about a text that holds a secret. */
export const NO_SECRET =
  'change the secret, or say in ~/.bnerd.yaml that the variable holds none: secrets: {except: [NAME]}';

/**
 * The error about names and paths that hold a secret; none where they hold none.
 * @param path where the finding points
 */
export function secretInNames(secrets: Redactor, names: object, path: string): Finding[] {
  const clean = secrets.value(names);
  if (clean === names) return [];
  const found = placeholderWithin(clean) ?? 'a secret';
  return [
    {
      code: 'secret-in-name',
      severity: 'error',
      path,
      message: `a name or a path of the run holds the value of ${found}: it would be in every record, and cannot be replaced there`,
      remedy: `rename it, or ${NO_SECRET}`,
    },
  ];
}
