/**
 * What somebody wrote for a setting and where: a flag beats its variable, the variable beats the file, the file
 * beats the default (spec/team.md §8). A value that is refused is refused with the place it came from.
 */

import { join, resolve } from 'node:path';
import { type Finding, placeAt } from '../shared/findings.js';
import { withoutUserInfo } from '../shared/secret-text.js';
import type { Environment } from './env.js';

export interface Written {
  readonly text: string;
  /** `--safety`, `BNERD_SAFETY`, `~/.bnerd.yaml`. */
  readonly place: string;
  /** 1-based, when the place is a file. */
  readonly line?: number;
}

/** Flags and variables of one call of the program. */
export interface Layers {
  /** Values by flag name without dashes, in the order given; a flag that takes none has the text `yes`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly environment: Environment;
}

export type Resolved<T> =
  | { readonly kind: 'resolved'; readonly value: T }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Begins the variables of the flags of a runner. */
export const RUNNER_VARIABLES = 'BNERD_RUNNER_';

/** Variables whose name says more than that of their flag. */
const LONGER_NAMES: Readonly<Record<string, string>> = { redis: 'BNERD_REDIS_URL' };

/** The variable of a flag: `BNERD_`, or what else those of its command begin with, and its name in capitals. */
export function variableOf(flag: string, begins = 'BNERD_'): string {
  const longer = LONGER_NAMES[flag];
  if (longer !== undefined) return longer;
  return `${begins}${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** Every value of a setting that may be given several times; a variable has one a line. Flags replace it whole. */
export function writtenValues(layers: Layers, flag: string, begins?: string): readonly Written[] {
  const typed = layers.flags.get(flag) ?? [];
  if (typed.length > 0) return typed.map((text) => ({ text, place: `--${flag}` }));
  const variable = variableOf(flag, begins);
  const lines = (layers.environment.variables.get(variable) ?? '').split(/\r?\n/);
  return lines.filter((line) => line.trim() !== '').map((text) => ({ text, place: variable }));
}

/** The value of a setting that has one, undefined when nobody wrote any. */
export function writtenValue(layers: Layers, flag: string): Written | undefined {
  const typed = layers.flags.get(flag)?.at(-1);
  if (typed !== undefined) return { text: typed, place: `--${flag}` };
  const variable = variableOf(flag);
  const text = layers.environment.variables.get(variable);
  return text === undefined ? undefined : { text, place: variable };
}

/** The path that was written: `~` is the home; a relative one lies below where it was said, which of the settings file is the home. */
export function writtenPath({ text, line }: Written, home: string, workingDirectory: string): string {
  const path = text.trim();
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(line === undefined ? workingDirectory : home, path);
}

/** The finding about a value that may not stand where it stands: shown without the passwords of its addresses. */
export function badValue(written: Written, allowed: string, remedy: string): Finding {
  const text = withoutUserInfo(written.text);
  const shown = text.length <= 80 ? text : `${text.slice(0, 80)}…`;
  return {
    code: 'bad-value',
    severity: 'error',
    ...placeAt(written.place, written.line),
    message: `${JSON.stringify(shown)} is not allowed here; allowed: ${allowed}`,
    remedy,
  };
}
