/**
 * Whether permission rules name tools that there are, and hosts where calls are told by their host: a rule for a tool
 * nobody has would be obeyed by nobody, and a `deny` that denies nothing is worse than none (invariant 10; spec/team.md §3).
 */

import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding, FindingPlace } from '../../shared/findings.js';
import { COORDINATION_TOOLS, WORK_TOOLS } from '../../tools/catalogue.js';

/** Where the rule at a place of the list stands. */
export type RulePlace = (at: number) => FindingPlace;

/**
 * One finding per rule that cannot do what it says; an unknown name is an error.
 * @param provided names of tools that entries provide
 */
export function ruleToolFindings(
  rules: readonly { readonly tool: string; readonly match: string | null }[],
  place: RulePlace,
  provided: ReadonlySet<string>,
): Finding[] {
  const work = WORK_TOOLS.map((row) => row.name);
  return rules.flatMap(({ tool, match }, index): Finding[] => {
    if (tool === 'web_fetch' && match !== null && !mayBeHost(match))
      return [noHost(match, index, place(index))];
    if (tool === '*' || work.includes(tool) || provided.has(tool)) return [];
    const at = place(index);
    const named = `permissions[${index}].tool`;
    if (COORDINATION_TOOLS.some((row) => row.name === tool)) {
      const message = `${named}: "${tool}" changes only the team and is never asked about, so the rule has no effect`;
      return [{ code: 'not-in-effect', severity: 'warning', ...at, message, remedy: 'remove the rule' }];
    }
    const message = `${named}: there is no tool "${tool}"; rules name tools as bnerd calls them, or "*"`;
    const remedy = nameRemedy(tool, work);
    return [{ code: 'unknown-tool', severity: 'error', ...at, message, remedy }];
  });
}

/** A host, or part of one with `*`; an address of IPv6 stands in brackets. */
function mayBeHost(match: string): boolean {
  return /^(\[[0-9a-f:*]+\]|[^\s/:@?#[\]]+)$/i.test(match) && !match.endsWith('.');
}

function noHost(match: string, index: number, at: FindingPlace): Finding {
  const message = `permissions[${index}].match: ${JSON.stringify(match)} is no host, and rules about web_fetch match the host alone, so it would match nothing`;
  const remedy = 'write the host, as in docs.example.org or *.example.org';
  return { code: 'bad-value', severity: 'error', ...at, message, remedy };
}
