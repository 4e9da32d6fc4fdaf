/**
 * Embedded teams in one process, measured (`looks.js`): it starts as many as each line of stdin speaks of. Run with
 * --expose-gc. argv: folder of the mission.
 */

import { join } from 'node:path';
import { load } from '../redis.js';
import { answerLooks } from './looks.js';
import { command } from './program.js';

const [workspace] = process.argv.slice(2);
const { readFileRecord } = await load('events/record-view.js');
const runs = join(process.env.BNERD_HOME, 'runs');
let made = 0;

function start() {
  made += 1;
  const words = ['team', 'run', 'job', '--id', `idle-${made}`, '--auto-approve', 'all'];
  void command(words, process.env, workspace).then(({ said }) => {
    console.error(said); // None of them ends while it is watched.
    process.exit(1);
  });
}

await answerLooks(
  async (place) => (await readFileRecord(join(runs, `idle-${place}`), 'strict').log()).entries,
  (teams) => {
    while (made < teams) start();
  },
);
