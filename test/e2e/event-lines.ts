/**
 * What every stream of `--json-events` keeps (spec/team.md §8). The lines are checked against the JSON Schema that
 * `bnerd schema events` prints, read back as a validator: no other program's idea of it, and none of ours.
 */

import { expect } from 'vitest';
import { z } from 'zod';
import { type BnerdRun, bnerd } from '../helpers/bnerd.js';

type JsonSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;

/** One kind of line; what stands in its properties is the validator's business. */
const alternative = z.object({
  type: z.literal('object'),
  properties: z.looseObject({ type: z.object({ const: z.string() }) }),
  required: z.array(z.string()),
});
const published = z.object({ $schema: z.string(), anyOf: z.array(alternative) });

export interface EventSchema {
  /** Line types, as the schema names them. */
  readonly types: readonly string[];
  /** What is wrong with a line; empty for one that fits. */
  problems(line: Record<string, unknown>): string[];
}

/** The published schema, with a look at its own shape. */
export async function eventSchema(): Promise<EventSchema> {
  const run = await bnerd(['schema', 'events']);
  expect(run.exit).toBe(0);
  const document: unknown = JSON.parse(run.stdout);
  const { $schema, anyOf } = published.parse(document);
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  const byType = new Map(anyOf.map((one) => [one.properties.type.const, one]));
  expect(byType.size).toBe(anyOf.length);
  for (const [type, { required }] of byType) {
    expect(required, type).toEqual(expect.arrayContaining(['v', 'seq', 'at', 'type']));
    expect(type).toMatch(/^[a-z]+\.[a-z]+(_[a-z]+)*$/);
  }
  // Each alternative by itself, so that a line that does not fit is told why.
  const validators = new Map(
    anyOf.map((one) => [one.properties.type.const, z.fromJSONSchema(one as JsonSchema)]),
  );
  return {
    types: [...byType.keys()],
    problems: (line) => {
      const type = String(line['type']);
      const validator = validators.get(type);
      if (validator === undefined) return [`type ${type} is not in the schema`];
      const parsed = validator.safeParse(line);
      const unknown = Object.keys(line).filter((key) => !(key in (byType.get(type)?.properties ?? {})));
      return [
        ...(parsed.success ? [] : [`${type}: ${JSON.stringify(parsed.error.issues)}`]),
        ...unknown.map((key) => `${type}: the field ${key} is not in the schema`),
      ];
    },
  };
}

/** Whole streams only: of a run that began and came to its end with its reader there. */
export function expectStream(run: Pick<BnerdRun, 'lines' | 'stdout' | 'exit'>, schema: EventSchema): void {
  const { lines } = run;
  expect(run.stdout.endsWith('\n')).toBe(true);
  expect(lines.flatMap((line) => schema.problems(line))).toEqual([]);
  expect(lines.map((line) => line['seq'])).toEqual(lines.map((_, place) => place + 1));
  expect(lines[0]?.['type']).toMatch(/^run\.(started|resumed)$/);
  expect(lines.at(-1)).toMatchObject({ type: 'run.ended', exit: run.exit });
  // Facts by number, none left out; nothing else has one.
  const numbers = lines.flatMap((line) => ('n' in line ? [Number(line['n'])] : []));
  expect(numbers).toEqual(numbers.map((_, place) => (numbers[0] ?? 0) + place));
  const unnumbered = new Set(lines.filter((line) => !('n' in line)).map((line) => line['type']));
  expect([...unnumbered].filter((type) => type !== 'transcript.appended')).toEqual([]);
  expect(new Set(lines.map((line) => line['team'])).size).toBe(1);
}
