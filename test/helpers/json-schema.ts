/**
 * A checker of JSON against a JSON Schema (2020-12), for the part of the language that our published schemas use. It
 * throws for a keyword that it does not know, so that no schema passes by saying more than is checked.
 */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Check = (rule: Json, value: Json, at: string, schema: { readonly [key: string]: Json }) => string[];

const ANNOTATIONS = ['$schema', '$id', 'title', 'description', 'default', 'format'];

/** What is wrong with a value, each with its path; empty for one that fits. */
export function problemsOf(schema: Json, value: Json, at = '$'): string[] {
  if (schema === true) return [];
  if (schema === false) return [`${at}: nothing may stand here`];
  const rules = mapping(schema, 'a schema');
  return Object.entries(rules).flatMap(([keyword, rule]) => {
    if (ANNOTATIONS.includes(keyword)) return [];
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`${at}: the keyword "${keyword}" is not known to the checker`);
    return check(rule, value, at, rules);
  });
}

const CHECKS: Readonly<Record<string, Check>> = {
  type: (rule, value, at) => {
    const fits = list(rule, [rule]).some((name) => isOfType(String(name), value));
    return fits ? [] : [`${at}: expected ${JSON.stringify(rule)}`];
  },
  const: (rule, value, at) =>
    JSON.stringify(rule) === JSON.stringify(value) ? [] : [`${at}: expected ${rule}`],
  enum: (rule, value, at) => (list(rule).includes(value) ? [] : [`${at}: expected one of ${rule}`]),
  anyOf: (rule, value, at) => {
    const tries = list(rule).map((one) => problemsOf(one, value, at));
    return tries.some((problems) => problems.length === 0) ? [] : tries.flat();
  },
  properties: (rule, value, at) =>
    entriesOf(value).flatMap(([key, below]) => {
      const inner = own(mapping(rule, 'properties'), key);
      return inner === undefined ? [] : problemsOf(inner, below, `${at}.${key}`);
    }),
  patternProperties: (rule, value, at) =>
    entriesOf(value).flatMap(([key, below]) =>
      entriesOf(rule)
        .filter(([pattern]) => new RegExp(pattern, 'u').test(key))
        .flatMap(([, inner]) => problemsOf(inner, below, `${at}.${key}`)),
    ),
  additionalProperties: (rule, value, at, schema) =>
    entriesOf(value)
      .filter(([key]) => own(mapping(schema['properties'] ?? {}, 'properties'), key) === undefined)
      .filter(
        ([key]) => !entriesOf(schema['patternProperties'] ?? {}).some(([p]) => new RegExp(p, 'u').test(key)),
      )
      .flatMap(([key, below]) => problemsOf(rule, below, `${at}.${key}`)),
  propertyNames: (rule, value, at) =>
    entriesOf(value).flatMap(([key]) => problemsOf(rule, key, `${at}.${key} (its name)`)),
  required: (rule, value, at) =>
    isMapping(value)
      ? list(rule).flatMap((key) =>
          own(value, String(key)) === undefined ? [`${at}.${key} is missing`] : [],
        )
      : [],
  items: (rule, value, at) =>
    list(value, []).flatMap((item, place) => problemsOf(rule, item, `${at}[${place}]`)),
  minItems: (rule, value, at) =>
    !Array.isArray(value) || value.length >= Number(rule) ? [] : [`${at}: too few`],
  maxItems: (rule, value, at) =>
    !Array.isArray(value) || value.length <= Number(rule) ? [] : [`${at}: too many`],
  minLength: (rule, value, at) => lengthFits(value, (length) => length >= Number(rule), at),
  maxLength: (rule, value, at) => lengthFits(value, (length) => length <= Number(rule), at),
  pattern: (rule, value, at) =>
    typeof value !== 'string' || new RegExp(String(rule), 'u').test(value)
      ? []
      : [`${at}: no match of ${rule}`],
  minimum: (rule, value, at) => numberFits(value, (number) => number >= Number(rule), at),
  maximum: (rule, value, at) => numberFits(value, (number) => number <= Number(rule), at),
  exclusiveMinimum: (rule, value, at) => numberFits(value, (number) => number > Number(rule), at),
};

function isOfType(name: string, value: Json): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isMapping(value);
    default:
      return typeof value === name;
  }
}

/** Characters, as JSON Schema counts: code points. */
function lengthFits(value: Json, fits: (length: number) => boolean, at: string): string[] {
  return typeof value !== 'string' || fits([...value].length) ? [] : [`${at}: wrong length`];
}

function numberFits(value: Json, fits: (number: number) => boolean, at: string): string[] {
  return typeof value !== 'number' || fits(value) ? [] : [`${at}: out of bounds`];
}

function isMapping(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entriesOf(value: Json): [string, Json][] {
  return isMapping(value) ? Object.entries(value) : [];
}

function own(value: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function mapping(value: Json, what: string): { readonly [key: string]: Json } {
  if (isMapping(value)) return value;
  throw new Error(`${what} is no mapping: ${JSON.stringify(value)}`);
}

function list(value: Json, otherwise?: readonly Json[]): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (otherwise !== undefined) return otherwise;
  throw new Error(`no list: ${JSON.stringify(value)}`);
}
