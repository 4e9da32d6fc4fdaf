/**
 * Text to one YAML 1.2 document of the core schema, safely: the tokens are looked at before nodes are made of
 * them, since that step recurses and text that nests without end can take the whole process down with it.
 */

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  type YAMLParseError,
  type YAMLWarning,
} from 'yaml';
import { BugError } from './errors.js';

/** Deeper than anything a person writes, far from what a stack holds. */
const MAX_DEPTH = 32;

/** For each alias the whole document is searched; people write none or a few. */
const MAX_ALIASES = 100;

export type YamlRead =
  | {
      readonly kind: 'parsed';
      readonly document: Document;
      readonly problems: readonly (YAMLParseError | YAMLWarning)[];
      /** 1-based line of an offset. */
      lineOf(offset: number): number;
    }
  /** No document was made, for a reason that is ours and not the parser's. */
  | { readonly kind: 'refused'; readonly reason: YamlRefusal; readonly line: number };

/** Nested too deep, too much of something; a line that begins with `%`; a line `---` or `...` with something behind it. */
export type YamlRefusal =
  | 'too-deep'
  | 'too-many-aliases'
  | 'too-many-items'
  | 'directive'
  | 'second-document';

/**
 * Parses a text. What the parser has against it stands in `problems`.
 * @param maxItems keys and list items of the document together; the time to make nodes of them grows with the square
 */
export function readYaml(text: string, maxItems = Number.POSITIVE_INFINITY): YamlRead {
  const counter = new LineCounter();
  const lineOf = (offset: number): number => Math.max(1, counter.linePos(offset).line);
  const tokens = [...new Parser(counter.addNewLine).parse(text)];
  const refused = (reason: YamlRefusal, offset: number): YamlRead => ({
    kind: 'refused',
    reason,
    line: lineOf(offset),
  });
  const directive = tokens.find((token) => token.type === 'directive');
  if (directive !== undefined) return refused('directive', directive.offset);
  const second = tokens.filter((token) => token.type === 'document')[1];
  if (second !== undefined) return refused('second-document', second.offset);
  const excess = excessOf(tokens, maxItems);
  if (excess !== undefined) return refused(excess.reason, excess.offset);
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    resolveKnownTags: false,
    lineCounter: counter,
  });
  const [document] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new BugError('no-document', 'the composer made no document');
  return { kind: 'parsed', document, problems: [...document.errors, ...document.warnings], lineOf };
}

/** Where the deepest part of a path begins that the document has; aliases are followed. */
export function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) break;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(step)];
      if (item === undefined) break;
      offset = nodeOffset(item) ?? offset;
      node = item;
    } else {
      break;
    }
  }
  return offset;
}

/** Where a node begins; undefined for what is no node. */
export function nodeOffset(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

/** The first thing that is too much for the step from tokens to nodes; walks without recursion. */
function excessOf(
  tokens: readonly CST.Token[],
  maxItems: number,
): { readonly reason: YamlRefusal; readonly offset: number } | undefined {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  let aliases = 0;
  let items = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    const { offset } = token;
    if (depth > MAX_DEPTH) return { reason: 'too-deep', offset };
    if (token.type === 'alias' && ++aliases > MAX_ALIASES) return { reason: 'too-many-aliases', offset };
    if ('items' in token) items += token.items.reduce((count, item) => count + 1 + commasIn(item), 0);
    if (items > maxItems) return { reason: 'too-many-items', offset };
    for (const inner of within(token)) waiting.push({ token: inner, depth: depth + 1 });
  }
  return undefined;
}

/** Commas without an item between them are an error each. */
function commasIn({ start }: CST.CollectionItem): number {
  return Math.max(0, start.filter(({ type }) => type === 'comma').length - 1);
}

function within(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return [];
  const items: readonly CST.CollectionItem[] = token.items;
  return items.flatMap(({ key, value }) =>
    [key, value].filter((inner) => inner !== undefined && inner !== null),
  );
}
