/** What one command runs besides itself, as far as its words tell. */

import type { ShellCommand, ShellWord } from './line.js';

export interface Inside {
  readonly commands: readonly ShellCommand[];
  /** Lines of shell that it is given as words or as its input. */
  readonly texts: readonly string[];
  /** Why it cannot be told what it runs, in words that follow the name of the program. */
  readonly unseen?: string;
}

export const NOTHING: Inside = { commands: [], texts: [] };

export function unseen(why: string): Inside {
  return { ...NOTHING, unseen: why };
}

export function textsOf(texts: readonly string[]): Inside {
  return { ...NOTHING, texts };
}

/** A command of these words, with nothing said of its input. */
export function commandOf(words: readonly ShellWord[]): ShellCommand {
  return { words, assignments: [], redirections: [], piped: false };
}
