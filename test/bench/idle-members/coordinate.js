/** Coordinates teams until it is killed: at each line of stdin as many more as the line says. argv: folder of the mission. */

import { createInterface } from 'node:readline';
import { command } from './program.js';

const [workspace] = process.argv.slice(2);
let made = 0;
createInterface({ input: process.stdin }).on('line', (line) => {
  for (let more = 0; more < Number(line); more++) {
    made += 1;
    const words = ['team', 'run', 'job', '--id', `idle-${made}`, '--no-worker', '--auto-approve', 'all'];
    void command(words, process.env, workspace).then(({ said }) => {
      console.error(said); // None of them ends while it is watched.
      process.exit(1);
    });
  }
});
