import { callsRow } from '../calls.js';

export const row = callsRow({
  name: 'call-one',
  how: 'one after the other',
  atOnce: 1,
  delayMs: 0,
  goal: 3,
  floor: 4,
});
