/** The operator's words on a request, turned into the one command that decides it (spec/team.md §3). */

import type { Command } from '../team/command.js';
import type { Request, TeamState } from '../team/view.js';

export type Answer =
  | { readonly kind: 'approve' }
  /** `text`: why, where a gate is abandoned with a word on it. */
  | { readonly kind: 'deny'; readonly text?: string }
  | { readonly kind: 'revise'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'skip' };

export type Answered =
  | { readonly kind: 'accepted'; readonly text: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export type AnswerCommand =
  | { readonly kind: 'command'; readonly command: Command; readonly word: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** How a gate is answered: `accept`, `rescope <text>`, `abandon [text]`; anything else is no answer to it. */
function readGateAnswer(text: string): Answer {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text.trim()) ?? [];
  switch (word.toLowerCase()) {
    case 'accept':
      return rest === '' ? { kind: 'approve' } : { kind: 'text', text };
    case 'rescope':
      return { kind: 'revise', text: rest };
    case 'abandon':
      return { kind: 'deny', text: rest };
    default:
      return { kind: 'text', text };
  }
}

/** `yes`, `no` or a text, as typed after `team answer`, in the sense that the request's kind gives it. */
export function readAnswer(request: Request | undefined, text: string): Answer {
  if (request?.kind === 'gate') return readGateAnswer(text);
  const word = text.trim().toLowerCase();
  if (request?.kind === 'question') {
    return word === 'skip' || word === '' ? { kind: 'skip' } : { kind: 'text', text };
  }
  if (word === 'yes' || word === 'y') return { kind: 'approve' };
  if (request?.kind === 'plan') {
    return { kind: 'revise', text: word === 'no' || word === 'n' ? '' : text };
  }
  if (word === 'no' || word === 'n') return { kind: 'deny' };
  return { kind: 'text', text };
}

/**
 * The command of an answer. A text on a confirmation is neither yes nor no, and decides nothing.
 * @param missingArtifacts what is missing of the report that a gate is about
 */
export function answerCommand(
  state: TeamState,
  id: string,
  answer: Answer,
  operator: string,
  missingArtifacts: readonly string[] = [],
): AnswerCommand {
  const request = state.requests.get(id);
  const by = { kind: 'operator' as const, name: operator };
  const decide = (
    decision: 'approve' | 'deny' | 'revise' | 'answer' | 'skip',
    text: string | null,
  ): AnswerCommand => ({
    kind: 'command',
    word: decision,
    command: {
      kind: 'request.decide',
      by,
      request: id,
      decision,
      text,
      digest: request?.digest ?? null,
      missingArtifacts,
    },
  });
  switch (answer.kind) {
    case 'approve':
      return decide('approve', null);
    case 'deny':
      return decide(request?.kind === 'plan' ? 'revise' : 'deny', answer.text ?? null);
    case 'revise':
      return decide('revise', answer.text === '' ? null : answer.text);
    case 'skip':
      return decide('skip', null);
    case 'text':
      if (request?.kind === 'gate') {
        const message = `a gate is answered by accept, rescope <text> or abandon; found "${answer.text}"`;
        return { kind: 'refused', code: 'wrong_answer', message };
      }
      if (request?.kind === 'confirmation') {
        const message = `a ${request.kind} is answered by yes or no; found "${answer.text}"`;
        return { kind: 'refused', code: 'wrong_answer', message };
      }
      return decide('answer', answer.text);
  }
}
