/** What a member is told once in a turn, when most of what the turn may take is used: it can still end well by itself. */

/** Part of a limit of the turn: late enough that few turns come to it, early enough to bring work to an end. */
const MARK = 0.6;

export type TurnLimit = 'calls_per_turn' | 'turn_minutes';

/** How far a turn is. Limits as the run has them. */
export interface TurnSoFar {
  readonly calls: number;
  readonly callsPerTurn: number;
  readonly elapsedMs: number;
  readonly turnMinutes: number;
}

export interface Mark {
  readonly limit: TurnLimit;
  readonly text: string;
}

/** The marks that a turn has passed; each is told once. */
export function passedMarks({ calls, callsPerTurn, elapsedMs, turnMinutes }: TurnSoFar): readonly Mark[] {
  const marks: Mark[] = [];
  if (calls >= callsPerTurn * MARK) {
    const left = Math.max(0, callsPerTurn - calls);
    marks.push(
      mark(
        'calls_per_turn',
        `you have made ${calls} of the ${callsPerTurn} calls of this turn, ${left} ${left === 1 ? 'is' : 'are'} left`,
      ),
    );
  }
  const minutes = elapsedMs / 60_000;
  if (minutes >= turnMinutes * MARK) {
    const left = Math.max(0, Math.round((turnMinutes - minutes) * 10) / 10);
    marks.push(mark('turn_minutes', `of the ${turnMinutes} minutes of this turn ${left} are left`));
  }
  return marks;
}

/** The limits whose marks stand at the end of an input, where they are put in: nothing that is fenced stands there. */
export function marksIn(input: string): readonly TurnLimit[] {
  const [, last = ''] =
    /((?:(?:^|\n\n)\[from the team runtime\] Limit of a turn: [^\n]*)+)$/.exec(input) ?? [];
  return [...last.matchAll(/\(limits\.(calls_per_turn|turn_minutes)\)/g)].map(
    ([, limit]) => limit as TurnLimit,
  );
}

function mark(limit: TurnLimit, what: string): Mark {
  const text = `[from the team runtime] Limit of a turn: ${what} (limits.${limit}). Then it is cut off. Bring to an end what you can, and say what is left.`;
  return { limit, text };
}
