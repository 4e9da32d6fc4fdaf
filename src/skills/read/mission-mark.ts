/**
 * What a mission repository says of its skills in general, in the frontmatter of the context file that marks it as a
 * mission repository (spec/skills.md §2, §3):
 *
 *     skills: governed            or            skills: {dialect: governed, disabled: [old-style]}
 *
 * Always true: a dialect that is not understood is an error, and then governed; only a repository that counts by where it
 * lies disables anything, for a file that nobody has approved takes nothing away.
 */

import { join } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import { lineAt, readMapping } from '../../catalog/files/written-mapping.js';
import { MISSION_MARK, type MissionFolder } from '../../catalog/tiers.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { isObject } from '../../shared/is-object.js';
import { OpenFields } from '../parse/open-values.js';
import { quoted, Remarks } from '../remark.js';
import type { DisabledName } from '../settings.js';
import { DIALECTS, type Dialect } from './dialect.js';

export interface MissionMark {
  readonly dialect: Dialect;
  /** Names that are listed and never composed. */
  readonly disabled: readonly DisabledName[];
  readonly findings: readonly Finding[];
}

const SAYS_NOTHING: MissionMark = { dialect: 'open', disabled: [], findings: [] };

/** Keys of the mapping form. */
const KEYS = ['dialect', 'disabled'] as const;

/** Reads the mark of a mission repository; without one, and without frontmatter, it says nothing. */
export async function missionMark(mission: MissionFolder | null): Promise<MissionMark> {
  if (mission === null) return SAYS_NOTHING;
  const path = join(mission.path, MISSION_MARK);
  const source = await readSource(path, mission.path);
  if (source.kind === 'unreadable') {
    return source.finding.code === 'file-missing' ? SAYS_NOTHING : notUnderstood([source.finding]);
  }
  const read = readMapping(path, source.text);
  if (read.kind === 'refused') {
    const plain = read.findings.every(({ code }) => code === 'no-frontmatter');
    return plain ? SAYS_NOTHING : notUnderstood(read.findings);
  }
  return markIn(new OpenFields(read.mapping), path, mission.named);
}

function notUnderstood(findings: readonly Finding[]): MissionMark {
  return { dialect: 'governed', disabled: [], findings };
}

function markIn(fields: OpenFields, path: string, named: boolean): MissionMark {
  const value = fields.get('skills');
  if (value === undefined) return SAYS_NOTHING;
  const remarks = new Remarks(path);
  const mapping = value.kind === 'mapping';
  const word = mapping ? fields.textInside('skills', 'dialect') : value.kind === 'text' ? value.text : '';
  const dialect = mapping && word === null ? 'open' : DIALECTS.find((name) => name === word);
  if (dialect === undefined) {
    const found = `skills is ${quoted(word ?? '')}, allowed are ${DIALECTS.join(' and ')}`;
    remarks.add('error', 'unknown-dialect', value.line, found, 'write skills: governed or remove the line');
  }
  const written = mapping ? fields.mapping.fields['skills'] : {};
  const said = isObject(written) ? written : {};
  const lineOf = (...below: readonly PropertyKey[]): number | null =>
    lineAt(fields.mapping.lines, ['skills', ...below]) ?? value.line;
  for (const key of Object.keys(said)) {
    if (KEYS.some((known) => known === key)) continue;
    const found = `${quoted(key)} is no key of skills, allowed are ${KEYS.join(' and ')}`;
    remarks.add('warning', 'unknown-key', lineOf(key), found, nameRemedy(key, KEYS));
  }
  const disabled = disabledIn(said['disabled'], path, lineOf, remarks);
  if (disabled.length > 0 && !named) {
    const found = 'skills.disabled is not in effect: the repository was found and not named';
    const remedy = 'name it with --mission-repo, or disable the names in ~/.bnerd.yaml';
    remarks.add('info', 'not-in-effect', lineOf('disabled'), found, remedy);
  }
  return {
    dialect: dialect ?? 'governed',
    disabled: named ? disabled : [],
    findings: remarks.findings,
  };
}

function disabledIn(
  written: unknown,
  path: string,
  lineOf: (...below: readonly PropertyKey[]) => number | null,
  remarks: Remarks,
): readonly DisabledName[] {
  if (written === undefined || written === null) return [];
  const names: readonly unknown[] = Array.isArray(written) ? written : [null];
  const read = names.flatMap((name, at): DisabledName[] =>
    typeof name === 'string' && name.trim() !== ''
      ? [{ name: name.trim(), place: placeOf(path, lineOf('disabled', at)) }]
      : [],
  );
  if (read.length < names.length) {
    const line = lineOf('disabled');
    remarks.add('error', 'bad-value', line, 'skills.disabled is no list of names', 'write disabled: [name]');
  }
  return read;
}

function placeOf(path: string, line: number | null): string {
  return line === null ? path : `${path}:${line}`;
}
