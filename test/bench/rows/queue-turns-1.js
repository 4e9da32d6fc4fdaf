/** What our workers add to the queue library's own, 1 at once, where a turn itself costs nothing. */

import { turnsRow } from '../queue.js';

export const row = turnsRow(1);
