/** The operator's words on a request, turned into the one command that decides it (spec/team.md §3). */

import type { Command } from '../team/command.js';
import type { Request, TeamState } from '../team/show/view.js';

export type Answer =
  | { readonly kind: 'approve' }
  /** Approves it, and allows its asker what the request offers until the run ends. */
  | { readonly kind: 'always' }
  /** `text`: why, where a gate is abandoned with a word on it. */
  | { readonly kind: 'deny'; readonly text?: string }
  | { readonly kind: 'revise'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'skip' };

export type Answered =
  | { readonly kind: 'accepted'; readonly text: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Why a member was stopped that the operator has stopped. */
export const BY_OPERATOR = 'stopped by the operator';

export type AnswerCommand =
  | { readonly kind: 'command'; readonly command: Command; readonly word: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/**
 * What was typed after `team answer`, in the sense that the request's kind gives it: a confirmation takes yes, no, always;
 * a plan yes, or what has to change (`revise …` or the text itself); a gate accept, abandon, `rescope …`; a question a
 * text, or skip. Any other text is `text`, which decides nothing but a question.
 */
export function readAnswer(request: Pick<Request, 'kind'> | undefined, typed: string): Answer {
  const text = typed.trim();
  const word = text.toLowerCase();
  if (request?.kind === 'gate') return readGateAnswer(text);
  if (request?.kind === 'question') {
    return word === 'skip' || word === '' ? { kind: 'skip' } : { kind: 'text', text: typed };
  }
  if (word === 'yes' || word === 'y') return { kind: 'approve' };
  if (word === 'always') return { kind: 'always' };
  if (request?.kind === 'plan') return readPlanAnswer(text);
  if (word === 'no' || word === 'n') return { kind: 'deny' };
  return { kind: 'text', text: typed };
}

function readPlanAnswer(text: string): Answer {
  if (/^(no?|revise)$/i.test(text)) return { kind: 'revise', text: '' };
  const [, said = text] = /^revise[\s:]+(.+)$/is.exec(text) ?? [];
  return { kind: 'revise', text: said };
}

/** How a gate is answered: `accept`, `rescope <text>`, `abandon [text]`; anything else is no answer to it. */
function readGateAnswer(text: string): Answer {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
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

/**
 * The command of an answer. A text on a confirmation or a gate is no word of theirs, and decides nothing.
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
    decision: Extract<Command, { kind: 'request.decide' }>['decision'],
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
    case 'always':
      return decide(answer.kind, null);
    case 'deny':
      return decide(request?.kind === 'plan' ? 'revise' : 'deny', answer.text ?? null);
    case 'revise':
      return decide('revise', answer.text === '' ? null : answer.text);
    case 'skip':
      return decide('skip', null);
    case 'text':
      if (request?.kind === 'confirmation')
        return refusedWord(`a confirmation is answered by yes, no or always; found "${answer.text}"`);
      if (request?.kind === 'gate')
        return refusedWord(`a gate is answered by accept, rescope <text> or abandon; found "${answer.text}"`);
      return decide('answer', answer.text);
  }
}

function refusedWord(message: string): AnswerCommand {
  return { kind: 'refused', code: 'wrong_answer', message };
}
