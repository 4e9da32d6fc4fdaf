/**
 * Governance keys in a text of others (spec/skills.md §9): who wrote a text, where it came from and who vetted it is
 * for the importer and its reviewers to say, so a text that says it itself is refused, however the key is spelled.
 */

import { isObject } from '../../shared/is-object.js';
import { asLatin } from '../decide/look-alikes.js';

const GOVERNANCE = ['origin', 'upstream', 'vetted'];

/** Paths of the keys that a mapping holds at any depth, such as `metadata.Origin`, in their order. */
export function governanceKeys(fields: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) => [
    ...(isGovernanceKey(key) ? [key] : []),
    ...inside(value).map((path) => `${key}.${path}`),
  ]);
}

/**
 * The same for lines that were not read as YAML: 1-based lines whose first word is such a key.
 * @param frontmatter the lines between the fences
 */
export function governanceLines(frontmatter: string): readonly number[] {
  return frontmatter.split('\n').flatMap((line, index) => {
    const key = /^[^\p{L}\p{N}]*([^:]*):/u.exec(line)?.[1];
    return key !== undefined && isGovernanceKey(key) ? [index + 2] : [];
  });
}

/** Case, compatibility forms, accents, separators, digits and letters that look alike make no other key. */
export function isGovernanceKey(key: string): boolean {
  const latin = asLatin(key.normalize('NFKC')).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'i');
  return GOVERNANCE.includes(latin.normalize('NFKD').replace(/[^a-z]/g, ''));
}

function inside(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(inside);
  return isObject(value) ? governanceKeys(value) : [];
}
