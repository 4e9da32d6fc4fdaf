/**
 * The conversation with the person at the terminal, as a pure machine: requests and lines in, actions out
 * (spec/team.md §3).
 *
 *  P1 one request is shown at a time; the next line answers it, any other line is a message to the lead;
 *  P2 neither `y` nor `always` is taken before everything it is about has been shown;
 *  P3 what was typed before a request was shown never answers it.
 */

import { type Answer, readAnswer } from '../../runtime/operator-words.js';
import { whyNoAlways } from '../../team/policy/always.js';
import type { RequestView } from '../../team/show/status.js';
import { explanation, requestBlock } from './prompt-blocks.js';
import type { ScreenAction } from './screen.js';

export interface PromptState {
  /** Open requests, oldest first; the first of them is shown. */
  readonly queue: readonly RequestView[];
  /** Whether all of the shown request has been shown. */
  readonly seen: boolean;
}

export type PromptAction =
  | ScreenAction
  | { readonly kind: 'answer'; readonly request: string; readonly answer: Answer }
  | { readonly kind: 'send'; readonly text: string };

export interface PromptStep {
  readonly state: PromptState;
  readonly actions: readonly PromptAction[];
}

export const NO_PROMPTS: PromptState = { queue: [], seen: false };

/** A request has been opened that this person may decide. */
export function requestOpened(state: PromptState, request: RequestView): PromptStep {
  if (state.queue.some(({ id }) => id === request.id)) return { state, actions: [] };
  const queue = [...state.queue, request];
  return queue.length === 1 ? shown(queue) : { state: { ...state, queue }, actions: [] };
}

/** A request is no longer open: decided elsewhere, expired or withdrawn. */
export function requestClosed(state: PromptState, id: string, how: string): PromptStep {
  const place = state.queue.findIndex((request) => request.id === id);
  if (place === -1) return { state, actions: [] };
  const queue = state.queue.filter((request) => request.id !== id);
  if (place > 0) return { state: { ...state, queue }, actions: [] };
  const next = shown(queue);
  const told: PromptAction[] = [{ kind: 'unask' }, { kind: 'print', lines: [`  ${id} ${how}`] }];
  return { state: next.state, actions: [...told, ...next.actions] };
}

/** Lines that came in together. Only the first may answer: the others were typed before its effect was shown (P3). */
export function linesTyped(state: PromptState, lines: readonly string[]): PromptStep {
  const [first, ...rest] = lines;
  const [asked] = state.queue;
  if (first === undefined) return { state, actions: [] };
  if (asked === undefined) return { state, actions: lines.flatMap(messages) };
  const step = answerTyped(state, asked, first);
  if (rest.length === 0) return step;
  const text = `  not used: ${rest.length} more ${rest.length === 1 ? 'line' : 'lines'} that came with the answer`;
  return { state: step.state, actions: [{ kind: 'print', lines: [text] }, ...step.actions] };
}

function messages(line: string): PromptAction[] {
  const text = line.trim();
  return text === '' ? [] : [{ kind: 'send', text }];
}

function answerTyped(state: PromptState, request: RequestView, line: string): PromptStep {
  const text = line.trim();
  const word = text.toLowerCase();
  const { question } = requestBlock(request);
  if (request.kind === 'question') {
    if (text === '') return again(state, question, ['  write an answer, or skip']);
    return answered(state, request, word === 'skip' ? { kind: 'skip' } : { kind: 'text', text });
  }
  if (word === 'explain') {
    return {
      state: { ...state, seen: true },
      actions: [
        { kind: 'print', lines: explanation(request) },
        { kind: 'ask', question },
      ],
    };
  }
  const answer = answerOf(request, text);
  if (answer === undefined) return again(state, question, [`  write ${WORDS[request.kind]}`]);
  if (answer.kind === 'always') {
    const why = whyNoAlways(request);
    if (why !== null) return again(state, question, [`  always may not be said here: ${why}`]);
  }
  if ((answer.kind === 'approve' || answer.kind === 'always') && !state.seen)
    return again(state, question, [
      `  not approved yet: not all of it was shown; type explain, then ${word}`,
    ]);
  return answered(state, request, answer);
}

/** What answers each kind, for who has typed something else. */
const WORDS: Readonly<Record<Exclude<RequestView['kind'], 'question'>, string>> = {
  confirmation: 'y, n or explain',
  plan: 'y, or what has to change',
  gate: 'accept, abandon, or rescope and what to do instead',
};

/** What a line says of a request that is no question; undefined: nothing. */
function answerOf(request: RequestView, text: string): Answer | undefined {
  const no = /^(no?)?$/i.test(text);
  if (request.kind === 'plan' && no) return undefined; // It has to be said what is wrong with it.
  if (request.kind === 'gate' && no) return undefined; // Enter abandons no work.
  if (no) return { kind: 'deny' };
  const answer = readAnswer(request, text);
  if (request.kind === 'gate' && answer.kind === 'revise' && answer.text === '') return undefined;
  return answer.kind === 'text' ? undefined : answer;
}

function answered(state: PromptState, request: RequestView, answer: Answer): PromptStep {
  const next = shown(state.queue.slice(1));
  return {
    state: next.state,
    actions: [{ kind: 'answer', request: request.id, answer }, ...next.actions],
  };
}

function again(state: PromptState, question: string, lines: readonly string[]): PromptStep {
  return {
    state,
    actions: [
      { kind: 'print', lines },
      { kind: 'ask', question },
    ],
  };
}

/** Shows the first of the queue, when there is one. */
function shown(queue: readonly RequestView[]): PromptStep {
  const [first] = queue;
  if (first === undefined) return { state: NO_PROMPTS, actions: [] };
  const { lines, question, whole } = requestBlock(first);
  return {
    state: { queue, seen: whole },
    actions: [
      { kind: 'print', lines },
      { kind: 'ask', question },
    ],
  };
}
