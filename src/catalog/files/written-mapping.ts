/**
 * The frontmatter of a recipe or a role, or a whole file of YAML, as a YAML 1.2 mapping with the line of everything
 * in it.
 *
 * Always true: no tag but those of the core schema makes a value, aliases are limited, no key reaches a
 * prototype, and every refusal is a finding with the line of the file (not of the frontmatter).
 */

import { type Document, isAlias, isMap, isScalar, isSeq } from 'yaml';
import { errorText } from '../../shared/errors.js';
import { type Finding, type FindingPlace, placeAt } from '../../shared/findings.js';
import { splitFrontmatter } from '../../shared/frontmatter.js';
import { isObject } from '../../shared/is-object.js';
import { nodeOffset, readYaml } from '../../shared/yaml-document.js';
import { refusalFinding, YAML_REMEDY, yamlFindings } from '../../shared/yaml-problems.js';

/** What a file says, before anyone has looked at the shape of it. */
export interface WrittenMapping {
  readonly fields: Readonly<Record<string, unknown>>;
  /** 1-based lines of the file by path, in the form of `lineKey`. */
  readonly lines: ReadonlyMap<string, number>;
  /** The words of each number, boolean and null as they stand in the file (`1.10` is the number 1.1), by path. */
  readonly spelled: ReadonlyMap<string, string>;
  /** What follows the frontmatter, as it stands there. */
  readonly body: string;
  /** 1-based line of the file on which `body` begins. */
  readonly bodyLine: number;
}

export type MappingRead =
  | { readonly kind: 'read'; readonly mapping: WrittenMapping }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Room for a recipe of hundreds of tasks; beyond it the parser's time is the author's choice, not ours. */
const MAX_FRONTMATTER_CHARACTERS = 128 * 1024;

/** A task has about ten keys and a recipe at most a thousand tasks; of thousands of role files the largest has 116. */
const MAX_ITEMS = 10_000;

/** How often aliases may be resolved in one file; a role or recipe has no need of any. */
const MAX_ALIASES = 20;

const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/**
 * Reads the frontmatter of a file's text. Total: every text gives a mapping or findings.
 * @param maxItems keys and list items that may stand in it
 */
export function readMapping(path: string, text: string, maxItems = MAX_ITEMS): MappingRead {
  const split = splitFrontmatter(text);
  if (split.kind !== 'split') return { kind: 'refused', findings: [fenceFinding(path, split.kind)] };
  if (split.frontmatter.length > MAX_FRONTMATTER_CHARACTERS) {
    const message = `the frontmatter has ${split.frontmatter.length} characters; at most ${MAX_FRONTMATTER_CHARACTERS} are read`;
    return refusedWith(path, 'frontmatter-too-large', 1, message, 'move text into the body');
  }
  const piece = { path, text: split.frontmatter, what: 'frontmatter', linesAbove: 1, maxItems } as const;
  return readFields(piece, split);
}

/** Reads a text that is YAML as a whole; the mapping has no body. Its size is for the caller to bound. */
export function readYamlMapping(path: string, text: string): MappingRead {
  const piece = { path, text, what: 'file', linesAbove: 0, maxItems: Number.POSITIVE_INFINITY } as const;
  return readFields(piece, { body: '', bodyLine: 1 });
}

/** The key of `lines` for a path: `tasks.1.gates.0`. */
export function lineKey(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** The line of a path, or of the nearest thing around it that has one; undefined when nothing has. */
export function lineAt(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(lineKey(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return undefined;
}

/** The place of a path in its file, for a finding about it. */
export function placeIn(
  file: { readonly path: string; readonly lines: ReadonlyMap<string, number> },
  path: readonly PropertyKey[],
): FindingPlace {
  return placeAt(file.path, lineAt(file.lines, path));
}

/** A piece of YAML and where it stands. */
interface Piece {
  readonly path: string;
  readonly text: string;
  /** What messages call it. */
  readonly what: 'frontmatter' | 'file';
  /** Lines of the file in front of it. */
  readonly linesAbove: number;
  readonly maxItems: number;
}

type Below = Pick<WrittenMapping, 'body' | 'bodyLine'>;

function readFields(written: Piece, below: Below): MappingRead {
  try {
    return fieldsOf(written, below);
  } catch (error) {
    // The parser throws for an alias of nothing and for too many of them.
    const message = `the ${written.what} cannot be read: ${errorText(error)}`;
    return refusedWith(written.path, 'yaml-error', 1, message, YAML_REMEDY);
  }
}

function fieldsOf({ path, text, what, linesAbove, maxItems }: Piece, { body, bodyLine }: Below): MappingRead {
  const yaml = readYaml(text, maxItems);
  if (yaml.kind === 'refused') {
    return { kind: 'refused', findings: [refusalFinding(path, yaml.reason, yaml.line + linesAbove)] };
  }
  const { document, problems } = yaml;
  const lineOf = (offset: number): number => yaml.lineOf(offset) + linesAbove;
  if (problems.length > 0) return { kind: 'refused', findings: yamlFindings(path, problems, lineOf) };
  if (document.contents === null) return read({}, NOTHING_WRITTEN, body, bodyLine);
  if (!isMap(document.contents)) {
    const message = `the ${what} is no mapping; expected lines of the form "key: value"`;
    return refusedWith(path, 'not-a-mapping', 1 + linesAbove, message, 'write "key: value" lines');
  }
  const index = indexOf(path, document, lineOf);
  if (index.findings.length > 0) return { kind: 'refused', findings: index.findings };
  const fields: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  return read(isObject(fields) ? fields : {}, index, body, bodyLine);
}

type Written = Pick<WrittenMapping, 'lines' | 'spelled'>;

const NOTHING_WRITTEN: Written = { lines: new Map(), spelled: new Map() };

/** The line and words of every key and item, and a finding for every key that no field can have. */
function indexOf(
  path: string,
  document: Document,
  lineOf: (offset: number) => number,
): Written & { findings: Finding[] } {
  const lines = new Map<string, number>();
  const spelled = new Map<string, string>();
  const findings: Finding[] = [];
  const open = new Set<unknown>();
  const visit = (node: unknown, at: readonly PropertyKey[]): void => {
    // What an alias stands for is visited where it is written, so that aliases cannot multiply the work.
    if (isAlias(node)) {
      if (!open.has(node.resolve(document))) return;
      const message = `"*${node.source}" stands inside the very thing it stands for`;
      findings.push(error(path, 'yaml-error', lineOf(node.range?.[0] ?? 0), message, 'write the value out'));
      return;
    }
    open.add(node);
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const line = lineOf(isScalar(key) ? (key.range?.[0] ?? 0) : (node.range?.[0] ?? 0));
        if (!isScalar(key)) {
          const message = 'a key that is itself a list, mapping or alias; expected text';
          findings.push(error(path, 'bad-key', line, message, 'write the key as plain text'));
          continue;
        }
        const name = String(key.value);
        if (FORBIDDEN_KEYS.includes(name)) {
          findings.push(error(path, 'bad-key', line, `"${name}" may not be a key`, 'rename or remove it'));
          continue;
        }
        lines.set(lineKey([...at, name]), line);
        visit(value, [...at, name]);
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, place) => {
        const offset = nodeOffset(item);
        if (offset !== undefined) lines.set(lineKey([...at, place]), lineOf(offset));
        visit(item, [...at, place]);
      });
    }
    if (isScalar(node) && typeof node.value !== 'string' && node.source !== undefined) {
      spelled.set(lineKey(at), node.source);
    }
    open.delete(node);
  };
  visit(document.contents, []);
  return { lines, spelled, findings };
}

function read(
  fields: Readonly<Record<string, unknown>>,
  { lines, spelled }: Written,
  body: string,
  bodyLine: number,
): MappingRead {
  return { kind: 'read', mapping: { fields, lines, spelled, body, bodyLine } };
}

function fenceFinding(path: string, kind: 'no-frontmatter' | 'unclosed'): Finding {
  if (kind === 'unclosed') {
    const message =
      'the frontmatter that begins on line 1 is not closed; expected a line that is exactly "---"';
    return error(path, 'unclosed', 1, message, 'put a line "---" after the last key');
  }
  const message = 'the file has no frontmatter; expected "---" on line 1';
  return error(path, 'no-frontmatter', 1, message, 'begin the file with "---", "key: value" lines and "---"');
}

function refusedWith(path: string, code: string, line: number, message: string, remedy: string): MappingRead {
  return { kind: 'refused', findings: [error(path, code, line, message, remedy)] };
}

function error(path: string, code: string, line: number, message: string, remedy: string): Finding {
  return { code, severity: 'error', path, line, message, remedy };
}
