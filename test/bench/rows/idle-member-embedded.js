/** What a member that waits costs the process that runs its team without a server. */

import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BEFORE, byMember, IDLE, onMission, TEAMS } from '../idle-members/mission.js';

const built = new URL('../../../dist/cli/main.js', import.meta.url);

export const row = {
  name: 'idle-member-embedded',
  measures: `heap of a process that runs ${TEAMS} embedded teams of ${IDLE} members that wait after a turn, by member`,
  reference: 'the states of the same teams, folded from their logs, which whoever decides must have',
  goal: null,
  floor: null,
  rounds: 1,
  missing: () =>
    existsSync(built) ? undefined : `${fileURLToPath(built)} is not there: build it with "npm run build"`,
  size: { what: 'an idle member', goalBytes: 20_000 },
  look() {
    return onMission({}, async ({ workspace, start }) => {
      const runner = start('run-teams.js', ['--expose-gc'], workspace);
      const answers = createInterface({ input: runner.stdout })[Symbol.asyncIterator]();
      const when = async (teams) => {
        runner.stdin.write(`${teams * IDLE} ${teams}\n`);
        const { value, done } = await answers.next();
        if (done) throw new Error('the process ended before it was measured');
        return JSON.parse(value);
      };
      const before = await when(BEFORE);
      return byMember(before, await when(BEFORE + TEAMS));
    });
  },
};
