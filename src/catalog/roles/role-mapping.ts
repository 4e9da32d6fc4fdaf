/**
 * The frontmatter of a role: as strict YAML, and where it is none, once more with its prose taken literally
 * (spec/team.md §1 by way of spec/skills.md §2). Every reader of role files comes through here: a run, `describe`,
 * `lint` and listings.
 *
 * Always true: a repaired file says so in a finding for each line; what cannot be repaired whole is refused whole.
 */

import type { Finding } from '../../shared/findings.js';
import { splitFrontmatter } from '../../shared/frontmatter.js';
import { type MendedLine, mendFrontmatter } from '../../shared/repair-frontmatter.js';
import { readMapping, type WrittenMapping } from '../files/written-mapping.js';
import { isRoleText } from './role-keys.js';

export type RoleMappingRead =
  | {
      readonly kind: 'read';
      readonly mapping: WrittenMapping;
      /** `repaired-frontmatter`, one for each line that was taken literally. */
      readonly repairs: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Reads the frontmatter of a role. Total: every text gives a mapping or findings. */
export function readRoleMapping(path: string, text: string): RoleMappingRead {
  const strict = readMapping(path, text);
  if (strict.kind === 'read') return { ...strict, repairs: [] };
  const split = splitFrontmatter(text);
  if (split.kind !== 'split' || strict.findings.some(({ code }) => code === 'frontmatter-too-large'))
    return strict;
  const mended = mendFrontmatter(split.frontmatter, isRoleText);
  if (mended.lines.length === 0) return strict;
  const second = readMapping(path, `---\n${mended.text}---\n${split.body}`);
  if (second.kind === 'refused') {
    // What is left after an attempt at the first lines is what keeps the file from being repaired.
    const said = new Set(strict.findings.map((finding) => finding.line));
    const others = second.findings.filter((finding) => !said.has(finding.line));
    return { kind: 'refused', findings: [...strict.findings, ...others] };
  }
  return { kind: 'read', mapping: second.mapping, repairs: mended.lines.map((line) => repaired(path, line)) };
}

function repaired(path: string, { key, line, cause }: MendedLine): Finding {
  return {
    code: 'repaired-frontmatter',
    severity: 'warning',
    path,
    line: line + 1, // the fence is line 1
    message: `\`${key}\` was read literally to the end of its line: ${cause}`,
    remedy: `write \`${key}: >-\` and the text on the next line, indented by two blanks`,
  };
}
