/**
 * Arguments of a tool: one zod schema gives both the check and the JSON Schema that the model is shown.
 *
 * A refusal names the field, what was found and what is allowed, so that a model can mend its next call. Unknown
 * fields are refused: a misspelt option must not silently be none.
 */

import { z } from 'zod';
import { nameRemedy } from '../shared/did-you-mean.js';
import { isObject } from '../shared/is-object.js';
import { oneLine } from '../shared/terminal-text.js';

export interface Arguments<T> {
  /** JSON Schema, an object schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Checks what a model sent. */
  parse(tool: string, found: unknown): { kind: 'ok'; value: T } | { kind: 'refused'; text: string };
}

/** Longest piece of a found value that a refusal repeats. */
const SHOWN_VALUE = 80;

/** At most so many problems are named at once. */
const SHOWN_PROBLEMS = 5;

/** Arguments made of these fields; each field should have a description. */
export function toolArguments<S extends z.ZodRawShape>(
  shape: S,
): Arguments<z.output<z.ZodObject<S, z.core.$strict>>> {
  const schema = z.strictObject(shape);
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return {
    parameters,
    parse(tool, found) {
      if (typeof found === 'string') {
        return argumentsRefused(tool, [
          `the arguments are not a JSON object; found the text ${shown(found)}`,
        ]);
      }
      const result = schema.safeParse(found, { reportInput: true });
      if (result.success) return { kind: 'ok', value: result.data };
      return argumentsRefused(
        tool,
        result.error.issues.flatMap((issue) => problems(issue, parameters)),
      );
    },
  };
}

/** The refusal of a call for its arguments: a line for each of the first problems. */
export function argumentsRefused(tool: string, all: readonly string[]): { kind: 'refused'; text: string } {
  const more = all.length > SHOWN_PROBLEMS ? [`and ${all.length - SHOWN_PROBLEMS} more`] : [];
  const lines = [...all.slice(0, SHOWN_PROBLEMS), ...more].map((line) => `- ${line}`);
  return { kind: 'refused', text: `${tool} was not run, its arguments are wrong:\n${lines.join('\n')}` };
}

function problems(issue: z.core.$ZodIssue, parameters: Readonly<Record<string, unknown>>): string[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(propertiesOf(schemaAt(parameters, issue.path)));
    return issue.keys.map(
      (key) => `unknown argument ${shown(joined([...issue.path, key]))}; ${nameRemedy(key, known)}`,
    );
  }
  const properties = propertiesOf(parameters);
  if (issue.path.length === 0) return [`found ${shown(issue.input)}; allowed: a JSON object`];
  const field = joined(issue.path);
  const property = properties[String(issue.path[0])];
  return [`argument "${field}": found ${shown(issue.input)}; allowed: ${allowed(property, issue)}`];
}

function joined(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** The schema of what stands at a path, of objects in lists too. */
function schemaAt(
  parameters: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
): Readonly<Record<string, unknown>> {
  let schema = parameters;
  for (const step of path) {
    const inner = typeof step === 'number' ? schema['items'] : propertiesOf(schema)[String(step)];
    schema = isObject(inner) ? inner : {};
  }
  return schema;
}

function propertiesOf(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { properties } = parameters;
  return isObject(properties) ? properties : {};
}

/** What the value may be, in the words of the check, and what the field is for. */
function allowed(property: unknown, issue: z.core.$ZodIssue): string {
  const about =
    isObject(property) && typeof property['description'] === 'string' ? property['description'] : '';
  const rule = issue.message.replace(/^(Invalid input|Too small|Too big): /, '');
  return about === '' ? rule : `${rule} (${about})`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return oneLine(JSON.stringify(value) ?? String(value), SHOWN_VALUE);
}
