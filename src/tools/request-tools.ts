/**
 * Tools whose answer is somebody's word: a question to the operator, a plan for approval (spec/team.md §3, §6).
 * The tool only says what is asked; opening the request, parking the turn and the answer are the runtime's.
 */

import { z } from 'zod';
import type { ToolDefinition } from '../agent/tool.js';
import { sha256 } from '../shared/digest.js';
import { toolArguments } from './arguments.js';

export type RequestCall =
  | {
      readonly kind: 'request';
      readonly request: 'question' | 'plan';
      /** Whole text of what is asked, digested as it stands. */
      readonly text: string;
      readonly digest: string;
      readonly arguments: unknown;
    }
  | { readonly kind: 'refused'; readonly text: string };

const question = toolArguments({
  question: z.string().min(1).describe('what you need to know from the operator'),
});
const plan = toolArguments({
  plan: z.string().min(1).describe('what you are going to do, step by step'),
});

export const REQUEST_TOOLS: Readonly<Record<'ask_question' | 'team_plan_submit', ToolDefinition>> = {
  ask_question: {
    name: 'ask_question',
    description: 'Ask the operator a question. Your turn waits for the answer; other members work on.',
    parameters: question.parameters,
  },
  team_plan_submit: {
    name: 'team_plan_submit',
    description: 'Submit your plan for approval. Tools that change things are there once it is approved.',
    parameters: plan.parameters,
  },
};

/** Checks the arguments of a request tool. */
export function requestCall(tool: 'ask_question' | 'team_plan_submit', args: unknown): RequestCall {
  if (tool === 'ask_question') {
    const parsed = question.parse(tool, args);
    if (parsed.kind === 'refused') return parsed;
    return asked('question', parsed.value.question, parsed.value);
  }
  const parsed = plan.parse(tool, args);
  if (parsed.kind === 'refused') return parsed;
  return asked('plan', parsed.value.plan, parsed.value);
}

function asked(request: 'question' | 'plan', text: string, args: unknown): RequestCall {
  return { kind: 'request', request, text, digest: sha256(text), arguments: args };
}
