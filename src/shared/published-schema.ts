/**
 * The published JSON Schemas of what people write: made from the schemas that files are checked against, with a
 * sentence for each key.
 */

import { z } from 'zod';

/** As much of a JSON Schema as is written here. */
export interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  additionalProperties?: SchemaNode | boolean;
  patternProperties?: Record<string, SchemaNode>;
  description?: string;
  default?: unknown;
}

export interface JsonSchema extends SchemaNode {
  readonly $schema?: string;
}

/** As people write it: before defaults are set. A plain value of its own, to be written into. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const made: JsonSchema = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
  return made;
}

/** Gives each key its sentence. */
export function describeKeys(node: SchemaNode | undefined, words: Readonly<Record<string, string>>): void {
  for (const [key, property] of Object.entries(node?.properties ?? {})) {
    const sentence = words[key];
    if (sentence !== undefined) property.description = sentence;
  }
}

/** Under a name of its own, since there is no address that these schemas are served from. */
export function headed(
  kind: string,
  title: string,
  description: string,
  { $schema, ...rest }: JsonSchema,
): object {
  return { $schema, $id: `urn:bnerd:schema:${kind}:1`, title, description, ...rest };
}
