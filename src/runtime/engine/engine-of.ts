/** Which engine keeps the teams of a house. */

import type { House } from '../house.js';
import type { Engine } from './engine.js';
import { FileEngine } from './files.js';

/** The engine of a house. Opens nothing: what an engine needs is opened when it is asked for something. */
export async function engineOf(house: House): Promise<Engine> {
  return new FileEngine(house);
}
