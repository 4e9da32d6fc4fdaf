/**
 * The skills of strangers, and what the specification says becomes of each: written from spec/skills.md §1, §2 alone,
 * on the `yaml` package, without anything of `src`. What our readers say must be the same.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';

const FOLDER = '../shared/corpus/skills';

/** Whether the corpus is here. */
export const hasSkillCorpus = existsSync(FOLDER);

export interface CorpusSkill {
  /** Inside the corpus, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The name of its directory. */
  readonly directory: string;
}

/** Every skill, in the order of the paths. */
export function corpusSkills(): CorpusSkill[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path).toLowerCase() === 'skill.md')
    .sort()
    .map((path) => ({
      path,
      text: readFileSync(join(FOLDER, path), 'utf8'),
      directory: basename(dirname(path)),
    }));
}

/** Why a file holds no entry. */
export type RefusalKind =
  | 'no-frontmatter'
  | 'unclosed'
  | 'name-missing'
  | 'description-missing'
  | 'body-too-large';

/** What a file says; `fields` only where it is YAML as it stands. */
export interface ExpectedEntry {
  readonly kind: 'loaded' | 'repaired';
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly allowedTools: readonly string[] | null;
  readonly fields: Fields | null;
}

export type ExpectedSkill =
  | ExpectedEntry
  | { readonly kind: 'refused'; readonly why: readonly RefusalKind[] };

export type Fields = Record<string, unknown>;

const BODY_BYTES = 65_536;

/** The outcome of a text in the open dialect. */
export function expectedSkill(text: string): ExpectedSkill {
  const [first, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (first !== '---') return { kind: 'refused', why: ['no-frontmatter'] };
  const close = lines.indexOf('---');
  if (close === -1) return { kind: 'refused', why: ['unclosed'] };
  const head = lines.slice(0, close);
  const body = lines
    .slice(close + 1)
    .join('\n')
    .replace(/^\n/, '')
    .replace(/\s+$/, '');
  if (new TextEncoder().encode(body).length > BODY_BYTES) return { kind: 'refused', why: ['body-too-large'] };
  const strict = mapping(head.join('\n'));
  const fields = strict ?? pairs(head);
  const name = words(fields['name']);
  const description = words(fields['description']);
  const why: RefusalKind[] = [];
  if (name === '') why.push('name-missing');
  if (description === '') why.push('description-missing');
  if (why.length > 0) return { kind: 'refused', why };
  const allowedTools = toolsOf(fields);
  const kind = strict === undefined ? 'repaired' : 'loaded';
  return { kind, name, description, body, allowedTools, fields: strict ?? null };
}

/** A YAML mapping without a single complaint of the parser. */
function mapping(text: string): Fields | undefined {
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  if (document.errors.length + document.warnings.length > 0) return undefined;
  if (document.contents === null) return {};
  try {
    return isMap(document.contents) ? (document.toJS() as Fields) : undefined;
  } catch {
    return undefined; // an alias of nothing
  }
}

/** Keys at the left edge, each with what stands further in: as YAML where it can be read, else the rest of the line. */
function pairs(head: readonly string[]): Fields {
  const fields: Fields = {};
  for (const [at, line] of head.entries()) {
    const colon = line.indexOf(':');
    const key = line.slice(0, colon);
    if (colon < 1 || !/^[a-z][\w-]*$/i.test(key)) continue;
    const next = head.findIndex((other, place) => place > at && !/^(?:\s|-|$)/.test(other));
    const block = head.slice(at, next === -1 ? head.length : next).join('\n');
    fields[key] = mapping(block)?.[key] ?? line.slice(colon + 1).trim();
  }
  return fields;
}

function words(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '';
}

/** Split at blanks and commas outside parentheses; null when nothing is declared. */
function toolsOf(fields: Fields): readonly string[] | null {
  const key = ['allowed-tools', 'allowed_tools'].find((name) => Object.hasOwn(fields, name));
  if (key === undefined) return null;
  const written = [fields[key] ?? []].flat();
  return written.flatMap((text) => {
    const inner = String(text).replace(/^\[(.*)\]$/s, '$1');
    return inner.match(/(?:[^\s,()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];
  });
}
