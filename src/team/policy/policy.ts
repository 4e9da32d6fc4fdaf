/**
 * The policy: may this call run, must somebody be asked, or is it refused? One function for code, listings and
 * tests (spec/team.md §3). Unclear means refused or asked, never allowed.
 *
 * P1 the safety floor and plan mode exclude; no rule and no flag admits what they exclude;
 * P2 deny beats ask, ask beats allow; an allow rule answers a confirmation and does nothing else; what rules with a
 *    pattern mean of a shell line stands in `permission-match.ts`;
 * P3 needs confirmation: every Write and Destructive call, and any that runs a program (`shell_exec`, a tool of an
 *    entry) or is a `web_fetch`;
 * P4 `--auto-approve safe` answers for class Read but never for `web_fetch`, nor for a tool of an entry, whose class is
 *    the word of its author; `all` for what P1 admits;
 * P5 a write into an agent folder is the operator's to confirm, whatever rules and flags say;
 * P6 patterns of the member's role are rules of this member alone: one that denies denies; of a tool that has allow
 *    patterns only calls that match one of them run, and such a pattern answers the confirmation as an allow rule does;
 * P7 what an operator has allowed the member for the rest of the run (`always`) is an allow rule of this member, and
 *    never answers for class Destructive.
 */

import type { PermissionRule, Safety } from '../../events/facts/frozen.js';
import type { CallSubjects } from '../../shared/call-subjects.js';
import { allowingPattern, patternMatches } from './pattern-match.js';
import { allowingRules, grantMatches, ruleHits, ruleMayHit } from './permission-match.js';

export type { PermissionRule };

export interface PolicyQuestion {
  readonly tool: string;
  readonly class: 'read' | 'write' | 'destructive';
  /** What rules match on: the command, the path, the host. */
  readonly subject: string;
  /** The simple commands of a shell line; absent: nothing is known of them. */
  readonly subjects?: CallSubjects | undefined;
  readonly safety: Safety;
  /** The member is in plan mode and its plan is not approved. */
  readonly planPending: boolean;
  readonly autoApprove: 'never' | 'safe' | 'all';
  /** Rules that apply to this member, in any order. */
  readonly rules: readonly PermissionRule[];
  /** Patterns of the member's role; see P6. */
  readonly patterns: readonly PermissionRule[];
  /** What was allowed it for the rest of the run; see P7. */
  readonly granted?: readonly PermissionRule[];
  /** Only an operator may confirm it (a write into an agent folder): no rule and no flag answers. */
  readonly operatorConfirms?: boolean;
  /** It runs a program that is not ours: a tool of an entry. `shell_exec` is known by its name. */
  readonly runsProgram?: boolean;
}

export type PolicyVerdict =
  /** Runs without anybody's word: no confirmation is called for. */
  | { readonly kind: 'free'; readonly row: string }
  /** A confirmation was called for and is answered by a rule or flag. */
  | { readonly kind: 'allow'; readonly row: string }
  | { readonly kind: 'ask'; readonly row: string }
  | { readonly kind: 'deny'; readonly row: string };

const ADMITTED: Readonly<Record<Safety, readonly PolicyQuestion['class'][]>> = {
  'read-only': ['read'],
  'non-destructive': ['read', 'write'],
  full: ['read', 'write', 'destructive'],
};

/** Whether a safety mode admits a class of tools. */
export function admits(safety: Safety, toolClass: PolicyQuestion['class']): boolean {
  return ADMITTED[safety].includes(toolClass);
}

/** Decides one call. `row` says in words which line of the policy decided. */
export function policy(question: PolicyQuestion): PolicyVerdict {
  const { tool, class: toolClass, safety, rules } = question;
  if (!admits(safety, toolClass)) {
    return { kind: 'deny', row: `safety ${safety} does not admit ${toolClass} tools` };
  }
  if (question.planPending && toolClass !== 'read') {
    return { kind: 'deny', row: `plan mode: no ${toolClass} tool before the plan is approved` };
  }
  const hitting = rules.filter((rule) => rule.decision !== 'allow' && ruleHits(rule, question));
  const deny = hitting.find((rule) => rule.decision === 'deny');
  if (deny !== undefined) return { kind: 'deny', row: `rule of ${deny.origin}: deny ${describe(deny)}` };
  const patterns = patternVerdict(question);
  if (patterns.kind === 'deny') return patterns;
  const ask = hitting.find((rule) => rule.decision === 'ask');
  if (ask !== undefined) return { kind: 'ask', row: `rule of ${ask.origin}: ask ${describe(ask)}` };
  const meant = rules.find((rule) => rule.decision !== 'allow' && ruleMayHit(rule, question));
  if (meant !== undefined) {
    const row = `rule of ${meant.origin}: ${meant.decision} ${describe(meant)}; not all that the line runs can be seen`;
    return { kind: 'ask', row };
  }
  if (question.operatorConfirms === true) {
    return { kind: 'ask', row: 'a write into an agent folder: the operator confirms each' };
  }
  if (!needsConfirmation(question)) {
    return { kind: 'free', row: `${toolClass} tool: no confirmation needed` };
  }
  const allow = allowingRules(rules, question);
  if (allow !== undefined) {
    const named = allow.map((rule) => `rule of ${rule.origin}: allow ${describe(rule)}`);
    return { kind: 'allow', row: named.join('; ') };
  }
  if (patterns.kind === 'allow') return patterns;
  const granted = (question.granted ?? []).find((rule) => grantMatches(rule, question));
  if (granted !== undefined && toolClass !== 'destructive') {
    return { kind: 'allow', row: `${granted.origin}: allow ${describe(granted)}` };
  }
  if (question.autoApprove === 'all') return { kind: 'allow', row: '--auto-approve all' };
  if (question.autoApprove === 'safe' && isProvenRead(question)) {
    return { kind: 'allow', row: '--auto-approve safe' };
  }
  return { kind: 'ask', row: `${toolClass} ${tool}: confirmation needed` };
}

/** What the patterns of the role say about the call (P6); `none`: nothing. */
function patternVerdict({
  tool,
  subject,
  subjects,
  patterns,
}: PolicyQuestion): Extract<PolicyVerdict, { kind: 'allow' | 'deny' }> | { readonly kind: 'none' } {
  const own = patterns.filter((pattern) => pattern.tool === tool);
  const deny = own.find(
    (pattern) => pattern.decision === 'deny' && patternMatches(pattern, { tool, subject, subjects }),
  );
  if (deny !== undefined) return { kind: 'deny', row: `pattern of ${deny.origin}: deny ${describe(deny)}` };
  const allowed = own.filter(({ decision }) => decision === 'allow');
  const [first] = allowed;
  if (first === undefined) return { kind: 'none' };
  const allow = allowingPattern(allowed, { tool, subject, subjects });
  if (allow !== undefined)
    return { kind: 'allow', row: `pattern of ${allow.origin}: allow ${describe(allow)}` };
  const only = allowed.map(({ match }) => match).join(', ');
  return { kind: 'deny', row: `pattern of ${first.origin}: of ${tool} only ${only}` };
}

function needsConfirmation({ tool, class: toolClass, runsProgram }: PolicyQuestion): boolean {
  return toolClass !== 'read' || tool === 'shell_exec' || tool === 'web_fetch' || runsProgram === true;
}

/** Of class Read by our own look at the call: what is fetched, and what a program does that an entry names, we cannot see. */
function isProvenRead({ tool, class: toolClass, runsProgram }: PolicyQuestion): boolean {
  return toolClass === 'read' && tool !== 'web_fetch' && runsProgram !== true;
}

function describe(rule: PermissionRule): string {
  return rule.match === null ? rule.tool : `${rule.tool} ${rule.match}`;
}
