/** What a person is told of a word that went into a record, or did not. */

import { errorText, FatalError, UserError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import type { Outcome } from '../../state/team-store.js';
import { isReplay, isResumable } from '../../team/end.js';
import type { TeamState } from '../../team/show/view.js';
import type { Operated } from './engine.js';

/** What to say of a word that was recorded where nobody runs the team. */
export function recordedText(
  id: string,
  outcome: Extract<Outcome, { kind: 'accepted' }>,
  { phase, run }: TeamState,
): string {
  if (phase.kind === 'ended' && !isResumable(phase.reason, phase.cause)) {
    return `the run has ended: ${phase.reason}; nothing was changed`;
  }
  const what = outcome.facts.length === 0 ? 'nothing had to be changed' : 'recorded';
  if (run !== null && isReplay(run))
    return `${what}; a run that gives recorded answers again is not taken up`;
  return `${what}; go on with: bnerd team resume ${id}`;
}

/** A word that was not carried out. */
export function refusedWord(id: string, why: { readonly code: string; readonly message: string }): Operated {
  const finding: Finding = {
    code: why.code.replaceAll('_', '-'),
    severity: 'error',
    path: id,
    message: why.message,
    remedy:
      why.code === 'unreachable'
        ? `look at it with bnerd team status ${id}; bnerd team stop ${id} --force ends that process`
        : `look at it with bnerd team status ${id}`,
  };
  return { kind: 'refused', findings: [finding] };
}

/** What an operator's word came to; where the team or its server cannot be used, that is a refusal. */
export async function orRefused(id: string, say: () => Promise<Operated>): Promise<Operated> {
  try {
    return await say();
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    return refusedWord(id, { code: error.code, message: errorText(error) });
  }
}
