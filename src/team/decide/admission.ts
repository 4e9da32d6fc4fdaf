/**
 * What a phase of the run admits (spec/team.md §7).
 *
 *  - running, stopping: everything; each rule says for itself what a stopping run takes no more;
 *  - closed by the lead (finishing, or stopping since): running turns come to their end and nothing new is taken on, so
 *    that nothing is left open;
 *  - ended, resumable: the operator's words, which wait for the resume; no member's;
 *  - ended for good, archived: nothing.
 */

import { assertNever } from '../../shared/assert-never.js';
import type { Command } from '../command.js';
import { type Decision, refused } from '../decision.js';
import { isResumable } from '../end.js';
import type { TeamState } from '../state.js';

/** New work and new waits: what a team that is closed takes no more. */
const TAKES_ON: ReadonlySet<Command['kind']> = new Set([
  'task.create',
  'task.update',
  'task.claim',
  'task.release',
  'task.block',
  'task.complete',
  'task.review',
  'mail.send',
  'request.open',
  'member.spawn',
  'brief.send',
  'brief.adopt',
]);

/** Commands about the run itself, and turns: their own rules know every phase. */
const ABOUT_THE_RUN: ReadonlySet<Command['kind']> = new Set([
  'run.start',
  'run.resume',
  'run.stop',
  'run.kill',
  'run.sweep',
  'run.fail',
  'run.archive',
  'turn.start',
]);

/** The refusal of a command that comes too early or too late in the life of the run, or undefined. */
export function notAdmitted({ phase }: TeamState, command: Command): Decision | undefined {
  switch (phase.kind) {
    case 'absent':
      return refused(
        'not_started',
        'nothing is recorded of this team: it was never started; use bnerd team run',
      );
    case 'running':
      return undefined;
    case 'stopping':
    case 'finishing':
      return phase.closing !== null && TAKES_ON.has(command.kind)
        ? refused('closing', 'the lead has closed the team: nothing new is taken on; end your turn')
        : undefined;
    case 'ended':
      if (ABOUT_THE_RUN.has(command.kind)) return undefined;
      if (!isResumable(phase.reason, phase.cause))
        return refused('finished', `the run has ended: ${phase.reason}; nothing changes it any more`);
      return byOperator(command)
        ? undefined
        : refused('ended', `the run has ended: ${phase.reason}; take it up again with bnerd team resume`);
    case 'archived':
      return refused('archived', 'the team is archived; nothing can change it');
    default:
      return assertNever(phase, 'phase');
  }
}

function byOperator(command: Command): boolean {
  return 'by' in command && typeof command.by === 'object' && command.by.kind === 'operator';
}
