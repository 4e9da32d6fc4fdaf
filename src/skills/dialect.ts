/**
 * Which dialect the files of a place are written in (spec/skills.md §2). The built-in tier is governed, the operator's
 * folders and projects are open. A mission repository is open unless the frontmatter of its context file, which marks
 * it as a mission repository, says
 *
 *     skills: governed            or            skills: {dialect: governed}
 *
 * Always true: a source refuses a run with its errors only when it is governed *and* counts by where it lies; files of
 * a repository that was merely found can refuse nobody's run.
 */

import { join } from 'node:path';
import { readSource } from '../catalog/files/source-file.js';
import { readMapping } from '../catalog/files/written-mapping.js';
import { MISSION_MARK, type MissionFolder, type SkillPlace } from '../catalog/tiers.js';
import type { Finding } from '../shared/findings.js';
import { OpenFields } from './parse/open-values.js';
import { quoted, Remarks } from './remark.js';

const DIALECTS = ['open', 'governed'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** The dialect of the files of a place, given that of the mission repository. */
export function dialectOf({ tier }: Pick<SkillPlace, 'tier'>, mission: Dialect): Dialect {
  if (tier === 'builtin') return 'governed';
  return tier === 'mission' ? mission : 'open';
}

/** Whether an error in a file of this place keeps a run from starting. */
export function isStrict(place: Pick<SkillPlace, 'tier' | 'approval'>, dialect: Dialect): boolean {
  return dialect === 'governed' && place.approval === null;
}

/** What a mission repository says of its skills; a word that is not understood is an error, and then governed. */
export async function missionDialect(
  mission: MissionFolder | null,
): Promise<{ readonly dialect: Dialect; readonly findings: readonly Finding[] }> {
  if (mission === null) return { dialect: 'open', findings: [] };
  const path = join(mission.path, MISSION_MARK);
  const source = await readSource(path, mission.path);
  if (source.kind === 'unreadable') {
    const missing = source.finding.code === 'file-missing';
    return missing ? { dialect: 'open', findings: [] } : { dialect: 'governed', findings: [source.finding] };
  }
  const read = readMapping(path, source.text);
  if (read.kind === 'refused') {
    const plain = read.findings.every(({ code }) => code === 'no-frontmatter');
    return plain ? { dialect: 'open', findings: [] } : { dialect: 'governed', findings: read.findings };
  }
  return dialectIn(new OpenFields(read.mapping), path);
}

function dialectIn(
  fields: OpenFields,
  path: string,
): { readonly dialect: Dialect; readonly findings: readonly Finding[] } {
  const value = fields.get('skills');
  if (value === undefined) return { dialect: 'open', findings: [] };
  const mapping = value.kind === 'mapping';
  const word = mapping ? fields.textInside('skills', 'dialect') : value.kind === 'text' ? value.text : '';
  if (mapping && word === null) return { dialect: 'open', findings: [] };
  const dialect = DIALECTS.find((name) => name === word);
  if (dialect !== undefined) return { dialect, findings: [] };
  const remarks = new Remarks(path);
  remarks.add(
    'error',
    'unknown-dialect',
    value.line,
    `skills is ${quoted(word ?? '')}, allowed are ${DIALECTS.join(' and ')}`,
    'write skills: governed or remove the line',
  );
  return { dialect: 'governed', findings: remarks.findings };
}
