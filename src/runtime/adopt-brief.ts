/**
 * The operator's word that the late result of a brief is to count (spec/runner.md §3 "Cancel"), for a team that runs here and
 * for one that nobody runs.
 */

import type { Outcome } from '../state/team-store.js';
import type { Command } from '../team/command.js';
import type { BriefDesk } from './briefs/brief-desk.js';
import { openDesk } from './briefs/open-desk.js';
import type { House } from './house.js';
import type { LiveTeam } from './live-team.js';
import type { OpenTeam } from './open-team.js';
import type { Answered } from './operator-words.js';

type Refused = Extract<Outcome, { kind: 'refused' }>;

/** In the process that runs the team. */
export async function adoptLive(
  live: Pick<LiveTeam, 'briefs' | 'say'>,
  brief: string,
  operator: string,
): Promise<Answered> {
  const word = await wordOf(live.briefs, brief, operator);
  return word.kind === 'refused' ? word : live.say(word, ADOPTED(word.brief));
}

/** Of a team that nobody runs, whose record is open here. */
export async function adoptAlone(
  house: House,
  team: OpenTeam,
  brief: string,
  command: (command: Command) => Promise<Outcome>,
): Promise<Outcome> {
  const { run } = team.store.state;
  const desk = run === null ? null : await openDesk(house, team, run, 'stand-in');
  const word = await wordOf(desk, brief, house.user);
  if (word.kind === 'refused') return word;
  const outcome = await command(word);
  if (outcome.kind === 'accepted') await desk?.adopted(word.brief);
  return outcome;
}

const ADOPTED = (brief: string): string => `the late result of ${brief} is adopted`;

async function wordOf(
  desk: Pick<BriefDesk, 'lateResult'> | null,
  brief: string,
  operator: string,
): Promise<Refused | Extract<Command, { kind: 'brief.adopt' }>> {
  if (desk === null)
    return {
      kind: 'refused',
      code: 'unknown_brief',
      message: 'nobody delegates in this team: it has no briefs',
    };
  const late = await desk.lateResult(brief);
  if (late.kind === 'refused') return late;
  return { kind: 'brief.adopt', by: { kind: 'operator', name: operator }, ...late.checked };
}
