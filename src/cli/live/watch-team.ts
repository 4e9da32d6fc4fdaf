/**
 * `bnerd team watch`: what happens in a team that another process runs, told as it happens, to its end.
 *
 *  W1 it only reads: the team does not know that it is watched, and the end of the watch is not the team's;
 *  W2 the next line is read when the last one has been taken: a slow reader makes the watch late and nothing else.
 */

import { fact } from '../../events/event.js';
import type { TeamLook } from '../../runtime/engine/engine.js';
import { jsonLine } from '../../shared/jsonl.js';
import { plainJson } from '../../shared/terminal-text.js';
import { isReplay } from '../../team/end.js';
import type { Program } from '../call.js';
import { factLine } from './event-line.js';
import { followLog, type StoredEntry } from './follow-log.js';
import { FollowedTeam } from './followed-team.js';
import { Screen } from './screen.js';

export interface Watched {
  readonly id: string;
  readonly look: Pick<TeamLook, 'lines' | 'holding' | 'next'>;
  /** Number of the first fact that is told; `now`: what is there already is not. */
  readonly from: number | 'now';
  /** Lines of JSON, as `--json-events` has them, in place of text. */
  readonly json: boolean;
}

/**
 * Watches a team to the end of its run.
 * @returns 0 when it has ended, or our reader has gone; 1 when nobody runs it any more and it has not ended
 */
export async function watchTeam(program: Program, watched: Watched, signal: AbortSignal): Promise<number> {
  const { results, notes } = program.output;
  const { id, look } = watched;
  const tell = watched.json ? jsonTeller(program, watched) : textTeller(program, watched);
  let wayOn = `go on with: bnerd team resume ${id}`;
  for await (const followed of followLog(look, signal)) {
    if (results.failure !== null) return 0;
    if (followed.kind === 'entry') {
      if (startsReplay(followed.entry)) wayOn = 'it gives recorded answers again, and is not taken up';
      await tell.entry(followed.entry);
    } else if (followed.kind === 'caught-up') await tell.caughtUp();
    else {
      await results.flushed();
      if (followed.how === 'ended') return 0;
      notes.write(`no process runs ${id}, and it has not ended; ${wayOn}\n`);
      return 1;
    }
  }
  return 0;
}

function startsReplay({ facts }: StoredEntry): boolean {
  return facts.some((one) => {
    const known = fact.safeParse(one);
    return known.success && known.data.type === 'run.started' && isReplay(known.data);
  });
}

interface Teller {
  entry(entry: StoredEntry): Promise<void>;
  /** Everything that is there has been read. */
  caughtUp(): Promise<void>;
}

function textTeller({ output, workingDirectory }: Program, { id, from }: Watched): Teller {
  let first = from === 'now' ? Number.POSITIVE_INFINITY : from;
  const team = new FollowedTeam({ team: id, workingDirectory });
  const screen = new Screen(output.results);
  return {
    async entry(entry) {
      screen.print(team.entry(entry, first));
      await output.results.drained();
    },
    async caughtUp() {
      if (from === 'now') first = 0;
      screen.print(team.blocks());
      await output.results.drained();
    },
  };
}

function jsonTeller({ output: { results } }: Program, { id, from }: Watched): Teller {
  let first = from === 'now' ? Number.POSITIVE_INFINITY : from;
  let seq = 0;
  return {
    async entry(entry) {
      for (const [place, fact] of entry.facts.entries()) {
        const n = entry.first + place;
        if (n < first) continue;
        await results.drained();
        seq++;
        results.write(plainJson(jsonLine(factLine({ seq, at: entry.wall, team: id }, n, fact))));
      }
    },
    async caughtUp() {
      if (from === 'now') first = 0;
    },
  };
}
