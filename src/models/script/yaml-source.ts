/** A YAML file as plain values, with a way back from each value to its line. */

import { isAlias, isMap, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { errorText } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';

export interface YamlSource {
  /** Undefined when the text is not YAML; then the findings say why. */
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** 1-based line of the deepest part of a path that the file has. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** Reads YAML 1.2, one document, aliases bounded, no tags beyond the core schema. Total. */
export function parseYaml(text: string, path: string): YamlSource {
  const counter = new LineCounter();
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: counter });
  const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line);
  const remark = (line: number, message: string): Finding => ({
    code: 'yaml-error',
    severity: 'error',
    path,
    line,
    message: `not valid YAML: ${message}`,
    remedy: 'mend the YAML; a text with ": " or "{{" in it needs quotes',
  });
  const lineOf = (places: readonly PropertyKey[]): number => {
    let node: unknown = document.contents;
    let offset = document.contents?.range?.[0] ?? 0;
    for (const place of places) {
      const step = child(isAlias(node) ? node.resolve(document) : node, place);
      if (step === undefined) break;
      offset = step.offset ?? offset;
      node = step.node;
    }
    return lineAt(offset);
  };
  const problems = [...document.errors, ...document.warnings].map((problem) =>
    remark(lineAt(problem.pos[0]), firstLine(problem.message)),
  );
  if (problems.length > 0) return { value: undefined, findings: problems, lineOf };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), findings: [], lineOf };
  } catch (error) {
    return { value: undefined, findings: [remark(1, errorText(error))], lineOf };
  }
}

/** The node under a key or index, and where its key (or itself) begins. */
function child(node: unknown, place: PropertyKey): { node: unknown; offset: number | undefined } | undefined {
  if (isMap(node)) {
    for (const pair of node.items) {
      const key = pair.key as Node | null; // parseDocument makes nodes of all keys
      if (String(key?.toJSON()) === String(place)) return { node: pair.value, offset: key?.range?.[0] };
    }
  }
  if (isSeq(node)) {
    const item = node.items[Number(place)] as Node | undefined;
    if (item !== undefined) return { node: item, offset: item.range?.[0] };
  }
  return undefined;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');
}
