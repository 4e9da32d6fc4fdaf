/**
 * One answer of a script: a pure function of the part and of where its conversation stands. The rules that it
 * follows are numbered in `script.ts`.
 */

import { oneLine } from '../../shared/terminal-text.js';
import { type Captures, newest, type Pattern, type SearchOutcome, search } from './pattern.js';
import { DEFAULT_IDLE, type Part, type ScriptTurn, type Step } from './script.js';

/** Where a conversation stands in its part, with what it has received and not yet answered. */
export interface Position {
  readonly turn: number;
  /** The step that is due; 0 when the turn has not begun. */
  readonly step: number;
  readonly captures: Captures;
  /** All that was sent since the last answer, and the part of it that stood in user messages. */
  readonly sent: string;
  readonly sentByUsers: string;
  /** What else the next turn's `await` may look at (rule 1). */
  readonly earlier: string;
}

export type Answer =
  /** One step, or a closing step with the first step of the next turn (rule 2), and the position after it. */
  | { readonly kind: 'steps'; readonly played: readonly Played[]; readonly after: Position }
  | { readonly kind: 'idle'; readonly text: string; readonly after: Position }
  | {
      readonly kind: 'failure';
      readonly code: 'script-mismatch' | 'script-exhausted';
      readonly message: string;
    };

/** A step with the captures that its text and args are filled from. */
export interface Played {
  readonly step: Step;
  readonly captures: Captures;
}

/** What the script says next. The messages of failures begin with the place in the script. */
export function nextAnswer(part: Part, position: Position): Answer {
  const turn = part.turns[position.turn];
  if (turn === undefined) {
    return exhausted(
      part,
      position,
      `roles.${part.role}: a call too many: all ${part.turns.length} turns are used`,
    );
  }
  const opening = position.step === 0;
  const heard = opening ? joined(position.earlier, position.sent) : position.sent;
  if (opening) {
    const waiting = firstUnmet(turn.await, heard, position.captures);
    if (waiting?.kind === 'unusable') return mismatch(turn.place, `await: ${waiting.reason}`);
    if (waiting !== undefined) return idle(part.idle ?? DEFAULT_IDLE, position);
  }
  const due = dueStep(turn, position, heard);
  if (typeof due === 'string') return mismatch(turn.place, due);
  const step = turn.steps[due];
  if (step === undefined) {
    return exhausted(
      part,
      position,
      `${turn.place}: a call too many: its ${turn.steps.length} steps are used`,
    );
  }
  const first = play(step, heard, position.captures);
  if (typeof first === 'string') return mismatch(step.place, first);
  const mail = opening ? '' : joined(position.earlier, position.sentByUsers);
  if (step.calls.length > 0) return steps([first], { turn: position.turn, step: due + 1, mail });
  return withNextTurn(part, position.turn, first, mail);
}

/** A closing step, together with the next turn's first step when its mail is already here (rule 2). */
function withNextTurn(part: Part, turn: number, closing: Played, mail: string): Answer {
  const alone = steps([closing], { turn: turn + 1, step: 0, mail });
  const next = part.turns[turn + 1];
  const step = next?.steps[0];
  if (mail === '' || next === undefined || step === undefined || next.await.length === 0) return alone;
  if (closing.step.failure !== null || step.failure !== null || step.passing !== null) return alone;
  if (firstUnmet(next.await, mail, closing.captures) !== undefined) return alone;
  const opening = play(step, mail, closing.captures);
  if (typeof opening === 'string') return mismatch(step.place, opening);
  const at = step.calls.length > 0 ? { turn: turn + 1, step: 1 } : { turn: turn + 2, step: 0 };
  return steps([closing, opening], { ...at, mail: '' });
}

/** The step with its captures, or the sentence that says what did not match. */
function play(step: Step, heard: string, before: Captures): Played | string {
  for (const pattern of step.expect) {
    const outcome = search(pattern, heard, before);
    if (outcome.kind !== 'matched') return unmet('expect', outcome, heard);
  }
  if (step.capture.length === 0) return { step, captures: before };
  const captures = new Map(before);
  for (const capture of step.capture) {
    const outcome = search(capture.pattern, heard, captures);
    if (outcome.kind === 'unusable') return unmet(`capture "${capture.name}"`, outcome, heard);
    const value = outcome.kind === 'matched' ? outcome.group : undefined;
    if (value === undefined && capture.fallback === null) {
      return unmet(`capture "${capture.name}"`, { kind: 'unmatched', regex: capture.pattern.source }, heard);
    }
    captures.set(capture.name, value ?? capture.fallback ?? '');
  }
  return { step, captures };
}

/** Index of the first step from the position on that has no `when`, or one that is met (rule 7); else what is wrong. */
function dueStep(turn: ScriptTurn, position: Position, heard: string): number | string {
  let index = position.step;
  for (; index < turn.steps.length; index++) {
    const unmet = firstUnmet(turn.steps[index]?.when ?? [], heard, position.captures);
    if (unmet === undefined) break;
    if (unmet.kind === 'unusable') return `steps[${index}].when: ${unmet.reason}`;
  }
  return index;
}

function firstUnmet(
  patterns: readonly Pattern[],
  heard: string,
  captures: Captures,
): Exclude<SearchOutcome, { kind: 'matched' }> | undefined {
  for (const pattern of patterns) {
    const outcome = search(pattern, heard, captures);
    if (outcome.kind !== 'matched') return outcome;
  }
  return undefined;
}

function unmet(what: string, outcome: Exclude<SearchOutcome, { kind: 'matched' }>, heard: string): string {
  if (outcome.kind === 'unusable') return `${what}: ${outcome.reason}`;
  return `${what}: expected /${outcome.regex}/ in what was sent; sent: ${excerpt(heard)}`;
}

function exhausted(part: Part, position: Position, what: string): Answer {
  if (part.idle !== null) return idle(part.idle, position);
  const remedy = 'add what it should answer, or "idle" for a role that may be asked again';
  const message = `${what}; sent: ${excerpt(position.sent)}; ${remedy}`;
  return { kind: 'failure', code: 'script-exhausted', message };
}

function mismatch(place: string, what: string): Answer {
  return { kind: 'failure', code: 'script-mismatch', message: `${place}: ${what}` };
}

function idle(text: string, position: Position): Answer {
  const earlier = joined(position.earlier, position.sent);
  return { kind: 'idle', text, after: { ...position, earlier, sent: '', sentByUsers: '' } };
}

function steps(played: readonly Played[], at: { turn: number; step: number; mail: string }): Answer {
  const captures = played.at(-1)?.captures ?? new Map<string, string>();
  const after = { turn: at.turn, step: at.step, captures, sent: '', sentByUsers: '', earlier: at.mail };
  return { kind: 'steps', played, after };
}

/** Two texts in the order they came, as much of them as a regex can see. */
export function joined(earlier: string, later: string): string {
  if (earlier === '' || later === '') return newest(earlier + later);
  return newest(`${earlier}\n${later}`);
}

/** The newest of what was sent, on one line, for a message. */
function excerpt(text: string): string {
  const shown = 400;
  if (text === '') return 'nothing';
  const cut = text.length > shown ? `…${text.slice(-shown)}` : text;
  return `"${oneLine(cut, 2 * shown)}"`;
}
