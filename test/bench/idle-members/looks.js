/** A process that looks at itself. */

import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from '../redis.js';

const WAIT_MS = 300_000;
/** Longer than a beat: whoever serves a team lets go then of what only work needs. */
const BEAT_MS = 11_000;

/**
 * At each line of stdin, which says how many turns have ended by then and in how many teams, waits for that, and says what the
 * heap of this process holds; and what it holds of the states of these teams alone, folded from their logs.
 * @param logOf reads the log of the team of a number; rejects when it has not begun
 * @param begin is told how many teams there are to be, before they are waited for
 */
export async function answerLooks(logOf, begin = () => {}) {
  const { fold } = await load('state/team-store.js');
  for await (const line of createInterface({ input: process.stdin })) {
    const [turns, teams] = line.split(' ').map(Number);
    begin(teams);
    const until = performance.now() + WAIT_MS;
    while ((await turnsEnded(logOf, teams)) < turns) {
      if (performance.now() > until) throw new Error(`${turns} turns did not end in time`);
      await delay(500);
    }
    await delay(BEAT_MS);
    const held = heap();
    const states = [];
    for (let place = 1; place <= teams; place++) states.push(fold(await logOf(place)));
    console.log(JSON.stringify({ held, states: heap() - held, teams: states.length }));
  }
}

async function turnsEnded(logOf, teams) {
  let ended = 0;
  for (let place = 1; place <= teams; place++) {
    const entries = await logOf(place).catch(() => []); // It has not begun.
    ended += entries.flatMap(({ facts }) => facts).filter(({ type }) => type === 'turn.ended').length;
  }
  return ended;
}

function heap() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
