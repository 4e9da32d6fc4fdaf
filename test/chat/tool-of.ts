/** What the schema of the tool `skill` says, as a model reads it. */

import { z } from 'zod';
import type { ModelRequest } from '../../src/models/model.js';

const skillSchema = z.object({
  properties: z.object({ name: z.object({ enum: z.array(z.string()), description: z.string() }) }),
  required: z.tuple([z.literal('name')]),
});

/** The names that the tool enumerates and the words about them. */
export function toolDefinitionOf(
  request: Pick<ModelRequest, 'tools'> | undefined,
  name: string,
): { readonly names: readonly string[]; readonly words: string } {
  const tool = request?.tools.find((one) => one.name === name);
  const { properties } = skillSchema.parse(tool?.parameters);
  return { names: properties.name.enum, words: properties.name.description };
}
