/**
 * What one run is given: flags, variables and the `run:` section of the settings file, resolved to values with
 * every default set and units in the names (spec/team.md §3, §7, §8). Nothing here looks at a recipe: what a
 * limit or a variable may be is said by the recipe that has it.
 */

import type { Finding } from '../shared/findings.js';
import { CHOSEN_ID_RULE, isChosenId } from '../shared/ids.js';
import type { Settings } from './settings.js';
import {
  type Reading,
  readChoice,
  readDuration,
  readPage,
  readPairs,
  readYesNo,
  ValueReader,
} from './values.js';
import {
  badValue,
  type Layers,
  type Resolved,
  type Written,
  writtenValue,
  writtenValues,
} from './written.js';

export const SAFETY_MODES = ['read-only', 'non-destructive', 'full'] as const;
export const AUTO_APPROVE = ['never', 'safe', 'all'] as const;

/** Where the operator's order comes from. */
export type PromptSource =
  | { readonly kind: 'text'; readonly text: string }
  /** All of stdin is the prompt. */
  | { readonly kind: 'stdin' };

export interface RunConfig {
  /** The name of the team; null: it is given an id. */
  readonly id: string | null;
  readonly prompt: PromptSource;
  readonly variables: ReadonlyMap<string, string>;
  /** Null: the recipe's floor. */
  readonly safety: (typeof SAFETY_MODES)[number] | null;
  readonly autoApprove: (typeof AUTO_APPROVE)[number];
  readonly autoSkipQuestions: boolean;
  /** Null: a request waits for ever. */
  readonly requestTimeoutMs: number | null;
  readonly graceMs: number;
  /** The page the run works on; null: the recipe's, if it names one. */
  readonly page: string | null;
  /** As written, `<model>` or `<role>=<model>`. */
  readonly models: readonly string[];
  /** As written, by name. */
  readonly limits: ReadonlyMap<string, string>;
}

/** How long running tools get after the first word to stop (spec/team.md §7: 5 s everywhere). */
const DEFAULT_GRACE_MS = 5_000;

/** @param words the prompt as typed behind the recipe's name; empty when there is none */
export function resolveRunConfig(
  layers: Layers,
  settings: Settings,
  words: readonly string[],
): Resolved<RunConfig> {
  const reader = new ValueReader();
  const { findings } = reader;
  const valueOr = <T>(flag: string, fallback: T, read: (written: Written) => Reading<T>): T =>
    reader.valueOr(writtenValue(layers, flag) ?? settings.run.get(flag), fallback, read);
  const pairsOf = (flag: string): ReadonlyMap<string, string> => {
    const read = readPairs(writtenValues(layers, flag));
    findings.push(...read.findings);
    return read.pairs;
  };
  const value: RunConfig = {
    id: valueOr<string | null>('id', null, readId),
    prompt: promptOf(layers, words, findings),
    variables: pairsOf('var'),
    safety: valueOr<RunConfig['safety']>('safety', null, (written) => readChoice(written, SAFETY_MODES)),
    autoApprove: valueOr<RunConfig['autoApprove']>('auto-approve', 'never', (written) =>
      readChoice(written, AUTO_APPROVE),
    ),
    autoSkipQuestions: valueOr('auto-skip-questions', false, readYesNo),
    requestTimeoutMs: valueOr<number | null>('request-timeout', null, (written) =>
      written.text.trim() === 'none' ? { kind: 'read', value: null } : readDuration(written, 1),
    ),
    graceMs: valueOr('grace', DEFAULT_GRACE_MS, (written) => readDuration(written, 0)),
    page: valueOr<string | null>('page', null, readPage),
    models: writtenValues(layers, 'model').map(({ text }) => text.trim()),
    limits: pairsOf('limit'),
  };
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

function readId(written: Written): Reading<string> {
  const value = written.text.trim();
  if (isChosenId(value)) return { kind: 'read', value };
  return {
    kind: 'refused',
    finding: badValue(written, CHOSEN_ID_RULE, 'write for example nightly or pr-142'),
  };
}

/** Words on the command line beat a variable; beside a flag they are one prompt too many. */
function promptOf(layers: Layers, words: readonly string[], findings: Finding[]): PromptSource {
  const written = writtenValue(layers, 'prompt');
  if (words.length > 0) {
    const text = words.join(' ');
    if (layers.flags.has('prompt')) {
      findings.push(
        badValue({ text, place: 'prompt' }, 'one prompt; --prompt gives one too', 'keep one of the two'),
      );
    }
    return { kind: 'text', text };
  }
  if (written?.text === '-') return { kind: 'stdin' };
  return { kind: 'text', text: written?.text ?? '' };
}
