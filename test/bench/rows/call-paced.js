import { callsRow } from '../calls.js';

export const row = callsRow({
  name: 'call-paced',
  how: '8 at once, 20 ms a call',
  atOnce: 8,
  delayMs: 20,
  goal: 1,
  floor: 2,
  rounds: 15,
});
