/**
 * The JSON Schema of the arguments of a tool that an entry provides (spec/skills.md §1 `tools`): whether we can check
 * arguments against all of it, and the check.
 *
 * Always true:
 * S1. A schema with anything that would be passed over in silence is unusable: a keyword nobody knows, a reference that
 *     leads out of it, an asynchronous one, another draft than 2020-12. `format` says what a text is and checks nothing,
 *     as in that draft.
 * S2. It describes one object, plainly: providers take no alternatives and no reference at the top of a tool.
 */

import { createRequire } from 'node:module';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import type * as Ajv2020 from 'ajv/dist/2020.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { errorText } from '../../shared/errors.js';
import { isObject } from '../../shared/is-object.js';
import { oneLine } from '../../shared/terminal-text.js';

export type ToolSchema =
  /**
   * `problems`: what is wrong with arguments, one line each; empty when they fit. How long it takes, and
   * whether it comes to an end at all, is for the author of the schema to say: callers bound its time.
   */
  | { readonly kind: 'usable'; problems(args: unknown): readonly string[] }
  | { readonly kind: 'unusable'; readonly why: string };

/** What stands at the top of an object schema and makes it more than an object. */
const NOT_AT_THE_TOP = [
  '$ref',
  '$dynamicRef',
  '$async',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
  'if',
];

const OPTIONS: Options = {
  strict: true,
  // These refuse schemas that are checked all the same, and are widely written.
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
  validateFormats: false,
  allErrors: true,
  verbose: true,
  logger: false,
  addUsedSchema: false,
};

/** Longest piece of a found value, or of a list of allowed ones, that a problem repeats. */
const SHOWN = 120;

/** Reads a schema. */
export function toolSchema(parameters: Readonly<Record<string, unknown>>): ToolSchema {
  if (parameters['type'] !== 'object') return unusable('at the top it has to say `type: object`');
  const odd = NOT_AT_THE_TOP.find((key) => key in parameters);
  if (odd !== undefined) return unusable(`"${odd}" may not stand at its top, where one object is described`);
  try {
    const check = compile(parameters);
    return { kind: 'usable', problems: (args) => problemsOf(check, args) };
  } catch (error) {
    if (error instanceof RangeError) return unusable('a reference in it leads in a circle'); // the stack
    return unusable(oneLine(errorText(error), 200));
  }
}

function unusable(why: string): ToolSchema {
  return { kind: 'unusable', why };
}

/** Loaded with the first tool of an entry, which few have: it costs what the rest of a small command does. */
const load = createRequire(import.meta.url);

function compile(parameters: Readonly<Record<string, unknown>>): ValidateFunction {
  const { Ajv2020: Ajv } = load('ajv/dist/2020.js') as typeof Ajv2020;
  return new Ajv(OPTIONS).compile(parameters);
}

function problemsOf(check: ValidateFunction, args: unknown): string[] {
  if (check(args)) return [];
  return [...new Set((check.errors ?? []).map(problem))];
}

function problem({
  keyword,
  instancePath,
  params,
  data,
  parentSchema,
  message = 'what the schema says',
}: ErrorObject): string {
  const place = instancePath.split('/').slice(1).map(unescaped);
  switch (keyword) {
    case 'required':
      return `argument "${[...place, params['missingProperty']].join('.')}": found nothing; allowed: a value`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const known: unknown = parentSchema?.['properties'];
      const remedy = nameRemedy(extra, isObject(known) ? Object.keys(known) : []);
      return `unknown argument "${oneLine([...place, extra].join('.'), SHOWN)}"; ${remedy}`;
    }
    default: {
      const values: unknown = params['allowedValues'] ?? params['allowedValue'];
      const listed = values === undefined ? '' : `: ${json(values)}`;
      const whole = keyword === 'type' ? 'a JSON object' : `a JSON object that ${message}`;
      const rule = place.length === 0 ? whole : message.replace(/^must be /, '');
      const what = place.length === 0 ? '' : `argument "${oneLine(place.join('.'), SHOWN)}": `;
      return `${what}found ${json(data)}; allowed: ${rule}${listed}`;
    }
  }
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function json(value: unknown): string {
  if (value === undefined) return 'nothing';
  return oneLine(JSON.stringify(value) ?? String(value), SHOWN);
}
