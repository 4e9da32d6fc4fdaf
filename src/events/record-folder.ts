/** The names in a team's folder, and the errors that say a team is or is not there. */

import { join } from 'node:path';
import { BugError, UserError } from '../shared/errors.js';

export interface RecordFolder {
  readonly root: string;
  readonly log: string;
  /** Where torn tails of the log are kept, each under a line that says when and from where. */
  readonly logTorn: string;
  readonly transcripts: string;
  readonly blobs: string;
  readonly lock: string;
}

export function recordFolder(root: string): RecordFolder {
  return {
    root,
    log: join(root, 'log.jsonl'),
    logTorn: join(root, 'log.torn'),
    transcripts: join(root, 'transcripts'),
    blobs: join(root, 'blobs'),
    lock: join(root, 'lock'),
  };
}

const TRANSCRIPT = '.jsonl';

/** File of a member's transcript. A name that could leave the folder is a bug: the catalogue refuses it. */
export function transcriptPath(folder: RecordFolder, member: string): string {
  if (!isMemberFileName(member)) {
    const allowed = 'allowed are letters, digits, dot, dash and underscore, no dot in front, at most 100';
    throw new BugError('member-name', `"${member}" cannot name a transcript file: ${allowed}`);
  }
  return join(folder.transcripts, `${member}${TRANSCRIPT}`);
}

/** The member of a file in the transcripts' folder, undefined for any other file. */
export function memberOfFile(name: string): string | undefined {
  if (!name.endsWith(TRANSCRIPT)) return undefined;
  const member = name.slice(0, -TRANSCRIPT.length);
  return isMemberFileName(member) ? member : undefined;
}

function isMemberFileName(member: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(member);
}

/** Nothing is recorded where somebody wants to go on. */
export function noTeam(root: string): UserError {
  return new UserError(
    'no-team',
    `${root}: there is no team here; "bnerd team ps" lists the teams there are`,
  );
}

/** Something is recorded where somebody wants to begin (F130: nothing is ever wiped at a start). */
export function teamExists(root: string, entries: number): UserError {
  const found = `${root}: a team with ${entries} log ${entries === 1 ? 'entry' : 'entries'} is here already`;
  return new UserError(
    'team-exists',
    `${found}; resume it, remove it with "bnerd team cleanup", or take another id`,
  );
}
