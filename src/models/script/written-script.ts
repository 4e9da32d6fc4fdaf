/** A script as people write it: the door for its YAML. What is allowed is said in `script.ts`. */

import { z } from 'zod';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { shownPath, valueAt } from '../../shared/key-path.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { YamlSource } from './yaml-source.js';

/** Ten minutes: longer than any test waits, short enough not to hang a run by a slip of the hand. */
const MAX_DELAY_MS = 600_000;

/** More than any member asks before it gives up. */
const MAX_TIMES = 100;

const text = z.string('a text');
const someText = text.min(1, 'a text that is not empty');
const regexes = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : value),
  z.array(z.string('a regex as text'), 'a regex or a list of regexes').min(1, 'at least one regex'),
);
const capture = z.preprocess(
  (value) => (typeof value === 'string' ? { match: value } : value),
  z.strictObject(
    { match: z.string('a regex with one group'), default: text.optional() },
    'a regex with one group, or {match, default}',
  ),
);
const milliseconds = z
  .int('a whole number of milliseconds')
  .min(0, 'at least 0')
  .max(MAX_DELAY_MS, `at most ${MAX_DELAY_MS}`);
const call = z.strictObject(
  {
    tool: someText,
    args: z
      .union([z.record(z.string(), z.unknown()), z.string()], 'a mapping of arguments, or their raw text')
      .default({}),
  },
  'a call {tool, args}',
);
const step = z.strictObject(
  {
    when: regexes.optional(),
    expect: regexes.optional(),
    capture: z.record(z.string(), capture, 'a mapping from names to regexes').optional(),
    text: text.optional(),
    calls: z.array(call, 'a list of calls {tool, args}').min(1, 'at least one call').optional(),
    delay_ms: milliseconds.optional(),
    fail: z
      .strictObject(
        {
          kind: z
            .enum(['fatal', 'rate_limited', 'unavailable'], 'fatal, rate_limited or unavailable')
            .default('fatal'),
          code: z
            .string('a kebab-case code')
            .regex(/^[a-z][a-z0-9-]*$/, 'a kebab-case code')
            .optional(),
          message: someText,
          retry_after_ms: milliseconds.optional(),
          times: z
            .int('a whole number')
            .min(1, 'at least 1')
            .max(MAX_TIMES, `at most ${MAX_TIMES}`)
            .optional(),
        },
        'a failure {kind, message, …}',
      )
      .optional(),
  },
  'a step',
);
const turn = z.strictObject(
  {
    name: someText.optional(),
    await: regexes.optional(),
    steps: z.array(step, 'a list of steps').min(1, 'at least one step'),
  },
  'a turn {name, await, steps}',
);
const part = z.strictObject(
  { idle: someText.optional(), turns: z.array(turn, 'a list of turns').min(1, 'at least one turn') },
  'a part {idle, turns}',
);
const writtenScript = z.strictObject(
  {
    script: z.literal(1, '1, the version of the format'),
    roles: z
      .record(z.string(), part, 'a mapping from role names to their parts')
      .refine((roles) => Object.keys(roles).length > 0, 'at least one role'),
  },
  'a mapping {script, roles}',
);

export type WrittenScript = z.infer<typeof writtenScript>;
export type WrittenStep = z.infer<typeof step>;

/** The allowed keys by what holds them; the holder is told from the path. */
const KEYS = {
  script: Object.keys(writtenScript.shape),
  part: Object.keys(part.shape),
  turn: Object.keys(turn.shape),
  step: Object.keys(step.shape),
  call: Object.keys(call.shape),
  capture: ['match', 'default'],
  fail: ['kind', 'code', 'message', 'retry_after_ms', 'times'],
} as const;

/** Checks the shape: the script, or one finding per fault with its place and line. */
export function parseWritten(source: YamlSource, path: string): WrittenScript | readonly Finding[] {
  const parsed = writtenScript.safeParse(source.value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.flatMap((issue) => shapeFindings(issue, source, path));
}

/** `roles.reader.turns[0].steps[1]`, or `the file` for the whole. */
export function placeText(places: readonly PropertyKey[]): string {
  return places.length === 0 ? 'the file' : shownPath(places);
}

function shapeFindings(issue: z.core.$ZodIssue, source: YamlSource, path: string): Finding[] {
  const remark = (
    code: string,
    places: readonly PropertyKey[],
    message: string,
    remedy: string,
  ): Finding => ({
    code,
    severity: 'error',
    path,
    line: source.lineOf(places),
    message,
    remedy,
  });
  if (issue.code === 'unrecognized_keys') {
    const allowed = KEYS[holder(issue.path)];
    return issue.keys.map((key) =>
      remark(
        'unknown-key',
        [...issue.path, key],
        `${placeText(issue.path)}: unknown key "${oneLine(key, 40)}"; allowed: ${allowed.join(', ')}`,
        nameRemedy(key, allowed),
      ),
    );
  }
  const found = writtenAt(source.value, issue.path);
  const place = placeText(issue.path);
  if (found === undefined) {
    return [remark('missing-field', issue.path, `${place} is missing; allowed: ${issue.message}`, 'add it')];
  }
  const message = `${place} is ${shown(found)}; allowed: ${issue.message}`;
  return [remark('bad-value', issue.path, message, `write ${issue.message}`)];
}

function holder(places: readonly PropertyKey[]): keyof typeof KEYS {
  // roles . <role> . turns . 0 . steps . 0 . (fail | calls . 0 | capture . <name>)
  if (places.length < 2) return 'script';
  if (places.length === 2) return 'part';
  if (places.length === 4) return 'turn';
  if (places.length === 6) return 'step';
  if (places[6] === 'fail') return 'fail';
  return places[6] === 'calls' ? 'call' : 'capture';
}

/** What stands at a place; a capture in its short form is what its `match` would be. */
function writtenAt(value: unknown, places: readonly PropertyKey[]): unknown {
  const holder = places.at(-1) === 'match' ? valueAt(value, places.slice(0, -1)) : undefined;
  return typeof holder === 'string' ? holder : valueAt(value, places);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  return typeof value === 'string' ? `"${oneLine(value, 60)}"` : String(value);
}
