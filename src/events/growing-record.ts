/** A record as it grows, line by line: its log, and the memory of each member. For who tells of it as it is written. */

import { LineFollower, type Lines } from './line-follower.js';
import { recordFolder, transcriptPath } from './record-folder.js';

/** The caller closes what it was given. */
export interface GrowingRecord {
  log(): Lines;
  transcript(member: string): Lines;
}

/** The lines of a record in files. @param root the run folder */
export function growingFiles(root: string): GrowingRecord {
  const folder = recordFolder(root);
  return {
    log: () => new LineFollower(folder.log),
    transcript: (member) => new LineFollower(transcriptPath(folder, member)),
  };
}
