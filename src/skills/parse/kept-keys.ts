/**
 * Keys of an open file that set nothing (spec/skills.md §1): kept as data, each reported by name, so that nobody
 * relies on what has no effect.
 */

import { didYouMean } from '../../shared/did-you-mean.js';
import { quoted, type Remarks } from '../remark.js';
import type { OpenFields } from './open-values.js';

/** What bnerd adds to the format; files of a `.claude` tree cannot set it. */
export const EXTENSION_KEYS = ['kind', 'always_on', 'keywords', 'applies_to', 'tools'] as const;

/** Keys that set something. */
const SETTING_KEYS: readonly string[] = [
  'name',
  'description',
  'version',
  ...EXTENSION_KEYS,
  'allowed-tools',
  'allowed_tools',
  'process',
  'page',
];

/** Keys that only governed files have. `license` is data in an open one. */
const GOVERNED_ONLY: readonly string[] = ['origin', 'upstream', 'vetted', 'requires'];

/** Keys of the Agent Skills format and of programs that read it. */
export const FOREIGN_KEYS: readonly string[] = [
  'license',
  'compatibility',
  'metadata',
  'disable-model-invocation',
  'user-invocable',
  'when_to_use',
  'argument-hint',
  'arguments',
  'paths',
  'context',
  'agent',
  'model',
  'effort',
  'hooks',
  'shell',
];

/** The keys that set nothing with their values; one remark for each. */
export function readKeptKeys(fields: OpenFields, remarks: Remarks): Readonly<Record<string, unknown>> {
  const kept = fields.without(SETTING_KEYS);
  for (const key of Object.keys(kept)) {
    const line = fields.line(key);
    if (GOVERNED_ONLY.includes(key)) {
      const message = `${key} is for governed files and sets nothing in an open one`;
      const severity = key === 'requires' ? 'warning' : 'info';
      remarks.add(severity, 'governed-only', line, message, 'do not rely on it here');
    } else if (FOREIGN_KEYS.includes(key)) {
      const message = `${key} is kept as data and has no effect here`;
      remarks.add('info', 'kept-as-data', line, message, 'do not rely on it here');
    } else {
      const meant = didYouMean(key, SETTING_KEYS);
      const remedy = meant === undefined ? 'nothing reads it; it may stay' : `did you mean "${meant}"?`;
      remarks.add(
        'info',
        'unknown-key',
        line,
        `${quoted(key)} is no key of an entry; it is kept as data`,
        remedy,
      );
    }
  }
  return kept;
}
