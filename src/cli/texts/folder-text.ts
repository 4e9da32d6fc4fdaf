/** What people are told of the folder that an entry was written into, or was looked for in. Pure. */

import { newFileFolders } from '../../catalog/tiers.js';
import { oneLine } from '../../shared/terminal-text.js';
import { shownFrom } from '../findings/place.js';

/** Said where an entry was written into a folder that is in no tier here, so that nobody waits for it to be used. */
export function notReadText(folder: string, workingDirectory: string): string {
  const own = shownFrom(newFileFolders('project', workingDirectory).skills, workingDirectory);
  const shown = shownFrom(folder, workingDirectory);
  const line = `no run reads ${shown} here: commit it to a mission repository, or name another folder, such as --into ${own}`;
  return `${oneLine(line, 4_096)}\n`;
}
