/** Reads `test/fixtures/policy.md`: the verdict of every cell, as it is written there by hand. */

import { readFileSync } from 'node:fs';
import type { PolicyQuestion, PolicyVerdict } from '../../src/team/policy/policy.js';

export const POLICY_CALLS = [
  'own',
  'shell',
  'web',
  'provided',
  'agents',
  'matching',
  'outside',
  'denied',
  'granted',
] as const;
export const POLICY_RULES = ['none', 'allow', 'ask', 'deny'] as const;
const AUTO = ['never', 'safe', 'all'] as const;
const SAFETIES = ['read-only', 'non-destructive', 'full'] as const;
const CLASSES = ['read', 'write', 'destructive'] as const;
const VERDICTS = ['free', 'allow', 'ask', 'deny'] as const;

export interface PolicyTableRow {
  /** The section it stands in: what kind of call it is about. */
  readonly calls: (typeof POLICY_CALLS)[number];
  readonly title: string;
  readonly question: Pick<PolicyQuestion, 'safety' | 'class' | 'planPending' | 'autoApprove'>;
  /** The rule about the call. */
  readonly rule: (typeof POLICY_RULES)[number];
  readonly verdict: PolicyVerdict['kind'];
}

export function policyRows(): PolicyTableRow[] {
  const text = readFileSync(new URL('../fixtures/policy.md', import.meta.url), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const calls = one(POLICY_CALLS, /^key: (\w+)\./m.exec(section)?.[1]);
      const lines = section.split('\n').filter((line) => /^\| (read-only|non-destructive|full) /.test(line));
      return lines.flatMap((line) => rowsOf(calls, line));
    });
}

function rowsOf(calls: PolicyTableRow['calls'], line: string): PolicyTableRow[] {
  const [safetyText, classText, plan, ...groups] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  const safety = one(SAFETIES, safetyText);
  const toolClass = one(CLASSES, classText);
  const planPending = one(['approved', 'waits'] as const, plan) === 'waits';
  if (groups.length !== AUTO.length) throw new Error(`policy.md: no row: ${line}`);
  return AUTO.flatMap((autoApprove, at) => {
    const verdicts = (groups[at] ?? '').split(' ');
    if (verdicts.length !== POLICY_RULES.length) throw new Error(`policy.md: no row: ${line}`);
    return POLICY_RULES.map((rule, index) => ({
      calls,
      title: `${calls}, ${safety}, ${toolClass}, plan ${plan}, --auto-approve ${autoApprove}, rule ${rule}`,
      question: { safety, class: toolClass, planPending, autoApprove },
      rule,
      verdict: one(VERDICTS, verdicts[index]),
    }));
  });
}

function one<T extends string>(known: readonly T[], text: string | undefined): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new Error(`policy.md: found ${text}; allowed: ${known.join(', ')}`);
  return found;
}
