import { callsRow } from '../calls.js';

export const row = callsRow({
  name: 'call-16',
  how: '16 at once',
  atOnce: 16,
  delayMs: 0,
  goal: 1,
  floor: 2,
});
