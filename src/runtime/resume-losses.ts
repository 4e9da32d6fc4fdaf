/** What must be there before a team is taken up again, and is not: each loss refuses the resume, by name. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FactOf } from '../events/event.js';
import { errorText, systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import type { OpenTeam } from './open-team.js';
import { foreignMemory } from './record-owner.js';

/**
 * One finding per member whose transcript ends before its last ended turn did (spec/engine.md §2), or is another's.
 * Every member is looked at, due or not: a memory with a hole would do its work a second time.
 */
export async function lostMemories(team: OpenTeam): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, upto } of team.store.state.members.values()) {
    const path = join(team.folder, 'transcripts', `${name}.jsonl`);
    const entries = await team.record.transcripts.read(name);
    const foreign = foreignMemory(team.id, name, entries);
    if (foreign !== undefined) {
      const remedy = 'put the file back from a copy of its own';
      findings.push({ code: foreign.code, severity: 'error', path, message: foreign.message, remedy });
      continue;
    }
    if (upto === '' || entries.some((entry) => entry.id === upto)) continue;
    const last = entries.at(-1)?.id;
    findings.push({
      code: 'transcript-lost',
      severity: 'error',
      path,
      message: `the memory of ${name} ends ${last === undefined ? 'before its first entry' : `at ${last}`}, the log knows of ${upto}: part of it is lost`,
      remedy: `put the file back from a copy; bnerd team verify ${team.id} says what is missing`,
    });
  }
  return findings;
}

/** The directories of the run that are there no more: without them every call of its tools would fail. */
export async function lostPlaces(run: FactOf<'run.started'>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const path of new Set([run.workspace.path, ...run.reads])) {
    const found = await whatIsThere(path);
    if (found === 'a directory') continue;
    const what = path === run.workspace.path ? 'workspace' : 'reads';
    findings.push({
      code: 'missing-directory',
      severity: 'error',
      path,
      message: `${what}: the team works in this directory, and it is ${found}`,
      remedy: 'put it back and resume again, or start a new run',
    });
  }
  return findings;
}

async function whatIsThere(path: string): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? 'a directory' : 'no directory any more';
  } catch (error) {
    return `not to be had: ${systemCode(error) ?? errorText(error)}`;
  }
}
