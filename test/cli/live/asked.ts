/** Requests as a person at the terminal is asked them, and what the machine of prompts makes of what is typed. */

import {
  linesTyped,
  NO_PROMPTS,
  type PromptAction,
  type PromptStep,
  requestOpened,
} from '../../../src/cli/live/prompts.js';
import type { RequestView } from '../../../src/team/show/status.js';

export function request(given: Partial<RequestView> = {}): RequestView {
  return {
    id: 'r3',
    kind: 'confirmation',
    member: 'code-reviewer',
    state: 'open',
    principals: ['operator'],
    tool: 'shell_exec',
    class: 'write',
    summary: 'gh pr view 142',
    arguments: '{"command":"gh pr view 142"}',
    context: 'reading PR body before reviewing',
    policy: 'write shell_exec: confirmation needed',
    digest: '0',
    always: null,
    task: null,
    opened_ms: 0,
    expires_ms: null,
    left_ms: null,
    decision: null,
    by: null,
    ...given,
  };
}

export const question = (id: string): RequestView =>
  request({
    id,
    kind: 'question',
    tool: 'ask_question',
    class: null,
    summary: 'Should I check the migration for reversibility?',
    arguments: '{"question":"Should I check the migration for reversibility?"}',
  });

export const plan = (): RequestView =>
  request({
    id: 'r5',
    kind: 'plan',
    tool: 'team_plan_submit',
    class: null,
    summary: '1. look\n2. write',
    arguments: '{"plan":"1. look\\n2. write"}',
  });

/** Text as the terminal has it after these actions. */
export function picture(actions: readonly PromptAction[]): string {
  return actions
    .map((action) => {
      if (action.kind === 'print') return action.lines.map((line) => `${line}\n`).join('');
      return action.kind === 'ask' ? action.question : '';
    })
    .join('');
}

/** A machine with the requests open, then the pieces of input one after the other. */
export function play(requests: readonly RequestView[], ...pieces: (readonly string[])[]): PromptStep {
  let step: PromptStep = { state: NO_PROMPTS, actions: [] };
  for (const one of requests) step = requestOpened(step.state, one);
  for (const piece of pieces) step = linesTyped(step.state, piece);
  return step;
}

export const words = (step: PromptStep): PromptAction[] =>
  step.actions.filter(({ kind }) => kind === 'answer' || kind === 'send');
