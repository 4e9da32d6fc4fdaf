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
