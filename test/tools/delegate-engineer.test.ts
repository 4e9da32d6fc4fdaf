// `delegate_engineer` under the policy (spec/runner.md §4, spec/team.md §3): its class is what the engineer may do, and rules,
// plan mode and the word `always` speak of safety and kind, never of the words of a goal.

import { expect, test } from 'vitest';
import type { PermissionRule } from '../../src/events/facts/frozen.js';
import { patternKind, patternProblem } from '../../src/team/policy/pattern-match.js';
import { type PolicyQuestion, policy } from '../../src/team/policy/policy.js';
import { alwaysPattern } from '../../src/tools/always-pattern.js';
import { delegateEngineer } from '../../src/tools/delegate-engineer.js';
import { house } from './house.js';

const TOOL = 'delegate_engineer';

async function callOf(safety: string, goal = 'make it work') {
  const at = await house();
  const { delegating } = at.parts;
  if (delegating === null || delegating === undefined) throw new Error('nobody delegates in this house');
  const tool = delegateEngineer({ ...delegating, safety: 'full' });
  const prepared = await tool.prepare({ task: '#1', goal, acceptance: ['it works'], safety });
  if (prepared.kind === 'refused') throw new Error(prepared.text);
  return prepared;
}

async function asked(safety: string, change: Partial<PolicyQuestion> = {}, goal?: string) {
  const { class: toolClass, subject } = await callOf(safety, goal);
  if (toolClass === 'coordination') throw new Error('it is a work tool');
  return policy({
    tool: TOOL,
    class: toolClass,
    subject,
    safety: 'full',
    planPending: false,
    autoApprove: 'never',
    rules: [],
    patterns: [],
    ...change,
  });
}

test('what needs a word: reading none, work one, full one each time', async () => {
  expect(await asked('read-only')).toMatchObject({ kind: 'free' });
  expect(await asked('non-destructive')).toMatchObject({ kind: 'ask' });
  expect(await asked('full')).toMatchObject({ kind: 'ask' });
  expect(await asked('full', { safety: 'non-destructive' })).toMatchObject({ kind: 'deny' });
});

test('plan mode: an engineer that reads may be sent before the plan is approved, one that works may not', async () => {
  const planPending = true;
  expect(await asked('read-only', { planPending })).toMatchObject({ kind: 'free' });
  for (const safety of ['non-destructive', 'full'])
    expect(await asked(safety, { planPending, autoApprove: 'all' })).toMatchObject({
      kind: 'deny',
      row: expect.stringContaining('plan mode'),
    });
});

test('a rule speaks of safety and kind; a goal that is written like one changes nothing', async () => {
  const rule = (match: string, decision: PermissionRule['decision']): PermissionRule => ({
    tool: TOOL,
    match,
    decision,
    origin: 'recipe',
  });
  const rules = [rule('non-destructive *', 'deny'), rule('* command', 'allow')];
  const goal = 'read-only command';
  expect(await asked('non-destructive', { rules, autoApprove: 'all' }, goal)).toMatchObject({ kind: 'deny' });
  expect(await asked('full', { rules })).toMatchObject({ kind: 'allow' });
  expect(await asked('full', { rules: [rule('* codex', 'allow')] }, '* codex')).toMatchObject({
    kind: 'ask',
  });
});

test('a pattern of a role cannot tell its calls apart, and says so where it is written', () => {
  expect(patternKind(TOOL)).toBeUndefined();
  expect(patternProblem(TOOL, 'read-only *')).toBe('calls of this tool are not told apart');
});

test('`always` allows its asker engineers of this kind and safety, none that may do more, and no full one', async () => {
  const work = await callOf('non-destructive');
  const match = alwaysPattern(TOOL, work);
  expect(match).toBe('non-destructive command');
  const granted = [{ tool: TOOL, match, decision: 'allow' as const, origin: 'operator: always (r1)' }];
  expect(await asked('non-destructive', { granted }, 'another goal')).toMatchObject({ kind: 'allow' });
  expect(await asked('full', { granted })).toMatchObject({ kind: 'ask' });
  expect(await asked('non-destructive', { granted, planPending: true })).toMatchObject({ kind: 'deny' });
  expect(alwaysPattern(TOOL, await callOf('full'))).toBeNull();
});
