/**
 * A team to the end of its run, whatever its server loses of the record meanwhile: where this process could make it whole it
 * takes the team up again, as a resume does, and says so in the record (spec/engine.md §1 "Loss", case Q31).
 */

import { formatFinding } from '../shared/findings.js';
import type { House } from './house.js';
import type { Ended, LiveTeam, TeamOptions } from './live-team.js';
import { resumeTeam } from './resume-team.js';

/**
 * @param options those that the team was begun with; its listeners hear of the team that it is taken up as
 * @returns the end, and the team as it was then
 */
export async function seenToItsEnd(
  house: House,
  begun: LiveTeam,
  options: TeamOptions,
): Promise<{ readonly team: LiveTeam; readonly ended: Ended }> {
  let team = begun;
  for (;;) {
    const ended = await team.ended;
    const { loss } = ended;
    if (loss === null) return { team, ended };
    for (const finding of loss) options.onNote?.(formatFinding(finding));
    const { phase } = team.state();
    const again = await resumeTeam(house, team.id, { ...options, takeOver: false, loss });
    if (again.kind === 'live') {
      team = again.team;
      // Whoever has said so need not say it again.
      if (phase.kind === 'stopping') void team.stop(phase.cause);
    } else {
      const why =
        again.kind === 'refused' ? again.findings.map(formatFinding) : [`it has ended: ${again.reason}`];
      return { team, ended: { ...ended, detail: [ended.detail, ...why].filter(Boolean).join('; ') } };
    }
  }
}
