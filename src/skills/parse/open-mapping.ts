/**
 * The frontmatter of an open file as a mapping: as strict YAML; where it is none, with its prose taken literally; and
 * where it still is none, pair by pair (spec/skills.md §2).
 *
 * Always true:
 *  R1 a file that was not read as it stands says so, once for each line that was taken literally or left out;
 *  R2 what decides when a text reaches a model, or what may be done with it, is read as YAML or not at all: such a key
 *     is never taken literally, and a file that holds one is never read pair by pair;
 *  R3 the strict parser has the last word on every text that comes out of a repair.
 */

import { type ScannedMapping, scanMapping } from '../../catalog/files/scan-mapping.js';
import { readMapping, type WrittenMapping } from '../../catalog/files/written-mapping.js';
import { type Finding, firstOf } from '../../shared/findings.js';
import { mendFrontmatter } from '../../shared/repair-frontmatter.js';
import { BOUNDS } from '../entry.js';
import { readPairs } from './literal-pairs.js';

export type OpenMappingRead =
  | {
      readonly kind: 'read';
      readonly mapping: WrittenMapping;
      /** `repaired-frontmatter`; empty when the file is YAML as it stands. */
      readonly repairs: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Reads the lines between the fences. Total: every text gives a mapping or findings.
 * @param frontmatter with LF; the first line is line 2 of the file
 */
export function readOpenMapping(path: string, frontmatter: string): OpenMappingRead {
  const strictly = (text: string): ReturnType<typeof readMapping> =>
    readMapping(path, `---\n${text}---\n`, BOUNDS.frontmatterItems);
  const strict = strictly(frontmatter);
  if (strict.kind === 'read') return { ...strict, repairs: [] };

  const mended = mendFrontmatter(frontmatter, isOpenText);
  if (mended.lines.length > 0) {
    const second = strictly(mended.text);
    if (second.kind === 'read') {
      return {
        ...second,
        repairs: mended.lines.map(({ line, key, cause }) => literal(path, line, key, cause)),
      };
    }
  }

  if (decides(frontmatter) || strict.findings.some(({ code }) => code !== 'yaml-error')) return strict;
  const pairs = readPairs(mended.text, (key) => key !== 'name' && key !== 'description');
  const third = pairs.leftOut.length === 0 ? strict : strictly(pairs.text);
  if (third.kind === 'refused') return strict;
  const repairs = [
    ...mended.lines.map(({ line, key, cause }) => literal(path, line, key, cause)),
    ...pairs.leftOut.map(({ line, why }) => leftOut(path, line, why)),
  ];
  const inOrder = repairs.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  return { ...third, repairs: firstOf(inOrder, MOST_TOLD, (count) => rest(path, count)) };
}

/**
 * The same of frontmatter that is plain, or is once its prose is taken literally, without the parser; undefined when
 * the parser has to judge. A line that is no YAML on its own is none among lines that are whole on theirs.
 */
export function scanOpenMapping(path: string, frontmatter: string): OpenMappingRead | undefined {
  const plain = scanMapping(frontmatter);
  if (plain !== undefined) return { kind: 'read', mapping: { ...NO_BODY, ...partsOf(plain) }, repairs: [] };
  const mended = mendFrontmatter(frontmatter, isOpenText);
  const scanned = mended.lines.length === 0 ? undefined : scanMapping(mended.text);
  if (scanned === undefined) return undefined;
  const repairs = mended.lines.map(({ line, key, cause }) => literal(path, line, key, cause));
  return { kind: 'read', mapping: { ...NO_BODY, ...partsOf(scanned) }, repairs };
}

const NO_BODY = { body: '', bodyLine: 1 } as const;

function partsOf({ fields, lines, spelled }: ScannedMapping): ScannedMapping {
  return { fields, lines, spelled };
}

/** Lines that are told of one by one; a person mends a file from the top. */
const MOST_TOLD = 10;

/** Keys that decide when a text reaches a model, and what it and its tools may do. */
const DECIDING_KEYS: readonly string[] = [
  'kind',
  'always_on',
  'keywords',
  'applies_to',
  'tools',
  'requires',
  'allowed-tools',
  'allowed_tools',
  'process',
  'page',
];

/** Whether the value of a key may be taken literally (R2). */
function isOpenText(key: string): boolean {
  return !DECIDING_KEYS.includes(key);
}

const DECIDING_WORD = new RegExp(`^[^\\p{L}\\p{N}]*(?:${DECIDING_KEYS.join('|')})(?![\\w-])`, 'imu');

/** Whether any line begins with a key that decides, however it is written. */
function decides(frontmatter: string): boolean {
  return DECIDING_WORD.test(frontmatter);
}

function literal(path: string, line: number, key: string, cause: string): Finding {
  const remedy = `write \`${key}: >-\` and the text on the next line, indented by two blanks`;
  return repaired(path, line, `\`${key}\` was read literally to the end of its line: ${cause}`, remedy);
}

function leftOut(path: string, line: number, why: 'no pair' | 'half open'): Finding {
  return why === 'no pair'
    ? repaired(path, line, 'the line is no `key: value` line; it was left out', REMOVE)
    : repaired(
        path,
        line,
        'the value opens a quote or bracket that its line does not close; it was left out',
        CLOSE,
      );
}

const REMOVE = 'remove it, or move it below the closing ---';
const CLOSE = 'close it, or put the whole value in quotes';

function rest(path: string, count: number): Finding {
  const lines = count === 1 ? 'line was' : 'lines were';
  return repaired(
    path,
    null,
    `${count} more ${lines} read literally or left out`,
    'mend the lines above first',
  );
}

/** The fence is line 1 of the file. */
function repaired(path: string, line: number | null, message: string, remedy: string): Finding {
  const place = line === null ? { path } : { path, line: line + 1 };
  return { code: 'repaired-frontmatter', severity: 'warning', ...place, message, remedy };
}
