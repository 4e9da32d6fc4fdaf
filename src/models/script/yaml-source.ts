/** A YAML file as plain values, with a way back from each value to its line. */

import { errorText } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { offsetOf, readYaml } from '../../shared/yaml-document.js';
import { refusalFinding, YAML_REMEDY, yamlFindings } from '../../shared/yaml-problems.js';

export interface YamlSource {
  /** Undefined when the text is not YAML; then the findings say why. */
  readonly value: unknown;
  readonly findings: readonly Finding[];
  /** 1-based line of the deepest part of a path that the file has. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** How often aliases may be resolved in one script. */
const MAX_ALIASES = 100;

/** Reads YAML 1.2, one document, aliases bounded, no tags beyond the core schema. Total. */
export function parseYaml(text: string, path: string): YamlSource {
  const yaml = readYaml(text);
  if (yaml.kind === 'refused') return nothing(refusalFinding(path, yaml.reason, yaml.line));
  const { document, problems, lineOf: lineAt } = yaml;
  const lineOf = (places: readonly PropertyKey[]): number => lineAt(offsetOf(document, places));
  if (problems.length > 0)
    return { value: undefined, findings: yamlFindings(path, problems, lineAt), lineOf };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), findings: [], lineOf };
  } catch (error) {
    // The parser throws for an alias of nothing and for too many of them.
    const message = `YAML: it cannot be read: ${errorText(error)}`;
    return nothing({ code: 'yaml-error', severity: 'error', path, line: 1, message, remedy: YAML_REMEDY });
  }
}

function nothing(finding: Finding): YamlSource {
  return { value: undefined, findings: [finding], lineOf: () => 1 };
}
