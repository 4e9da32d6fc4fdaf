/** The command that writes the lock of a folder anew, as it is pasted: it names the folder, wherever that lies. */

import { shellWord } from '../../shared/shell-word.js';

/** @param folder of the entries, as a path that is good in the directory the reader is in */
export function lockCommand(folder: string): string {
  return `bnerd skills lock ${shellWord(folder)}`;
}
