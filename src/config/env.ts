/**
 * The only reader of the environment. What it gives is raw text: what a variable may say is checked where its
 * flag is (`run-config.ts`, `config.ts`), so that both are refused in the same words.
 *
 * Always true: an empty variable counts as one that is not set; nothing but the allow-list reaches a tool; a key of a
 * provider is given out only to who asks for its variable by name.
 */

import { homedir } from 'node:os';
import type { Secret } from '../shared/secrets/secret-forms.js';
import { type SecretVariables, secretsOfVariables } from './secret-names.js';

export interface Environment {
  /** Variables of this program that are set, by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Those of the named variables that are set: for keys of providers, which the operator may name as they like. */
  named(names: readonly string[]): ReadonlyMap<string, string>;
  /** What must stand in no record, on no stream and in no prompt: values of variables that hold secrets. */
  secrets(said: SecretVariables): readonly Secret[];
  /** The operator's home directory, where `.bnerd.yaml` lies. */
  readonly home: string;
  /** The whole environment of a tool's process. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
}

/** Names outside `BNERD_` that are read: another spelling of a variable of ours, kept for who has it set. */
const OTHER_NAMES: readonly string[] = ['MISSION_REPO', 'BLOOM_AGENT_SKILLS', 'BLOOM_RUNNER_ENGINEER_SKILLS'];

/** What a tool needs to find programs and to write text; no key, no token, no socket of an agent. */
const TOOL_NAMES: readonly string[] = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];

/** Reads the environment once. */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const set = Object.entries(source).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const ofTools = set.filter(([name]) => TOOL_NAMES.includes(name) || name.startsWith('LC_'));
  const all = new Map(set);
  return {
    named: (names) =>
      new Map(
        names.flatMap((name) => {
          const value = all.get(name);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    secrets: (said) => secretsOfVariables(set, said),
    variables: new Map(set.filter(([name]) => name.startsWith('BNERD_') || OTHER_NAMES.includes(name))),
    home: source['HOME'] || homedir(),
    // No tool has a terminal, and none may write its control codes into a result.
    toolEnvironment: { ...Object.fromEntries(ofTools), TERM: 'dumb' },
  };
}
