/**
 * The few values of a frontmatter that a listing shows. The scanner reads them where it can; the YAML parser is
 * loaded only for a file that needs it.
 */

import type { Finding } from '../../shared/findings.js';
import { splitFrontmatter } from '../../shared/frontmatter.js';
import { scanFields } from './scan-fields.js';

export type HeadFields =
  | { readonly kind: 'read'; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'broken'; readonly findings: readonly Finding[] };

/**
 * The wanted keys that hold text, trimmed; what holds anything else, or nothing, is left out.
 * @param file what the whole reading will be, so that a listing shows what a run would see
 */
export async function headFields(
  path: string,
  text: string,
  wanted: readonly string[],
  file: 'recipe' | 'role',
): Promise<HeadFields> {
  const split = splitFrontmatter(text);
  const scanned = split.kind === 'split' ? scanFields(split.frontmatter, wanted) : undefined;
  const values = new Map<string, string>();
  const keep = (key: string, value: unknown): void => {
    if (typeof value === 'string' && value.trim() !== '') values.set(key, value.trim());
  };
  if (scanned !== undefined) {
    for (const [key, value] of scanned) keep(key, value);
    return { kind: 'read', values };
  }
  const read =
    file === 'role'
      ? (await import('../roles/role-mapping.js')).readRoleMapping(path, text)
      : (await import('./written-mapping.js')).readMapping(path, text);
  if (read.kind === 'refused') return { kind: 'broken', findings: read.findings };
  for (const key of wanted) keep(key, read.mapping.fields[key]);
  return { kind: 'read', values };
}

/** As much of a file as a glimpse takes in. */
const GLIMPSE_CHARACTERS = 16 * 1024;

/**
 * The wanted keys as far as the scanner alone can tell them, for a file that does not count: its author decides how
 * long a parser would take, and a clone of thousands of such files would keep every command from its work.
 */
export function glimpse(text: string, wanted: readonly string[]): ReadonlyMap<string, string> {
  const split = splitFrontmatter(text.slice(0, GLIMPSE_CHARACTERS));
  const values = new Map<string, string>();
  if (split.kind !== 'split') return values;
  for (const key of wanted) {
    const value = scanFields(split.frontmatter, [key])?.get(key)?.trim() ?? '';
    if (value !== '') values.set(key, value);
  }
  return values;
}
