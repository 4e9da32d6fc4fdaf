/**
 * The sections of the settings file that are about language models: `aliases`, `models`, `providers` (spec/team.md §9).
 * Their shape, and from it to values with units in the names.
 *
 * Always true: a key of a provider never stands in the file, only the name of the variable that holds it.
 */

import { z } from 'zod';
import { looksLikeKey } from '../shared/secret-text.js';
import type { Settings } from './settings.js';
import { PROVIDER_KEYS } from './settings-keys.js';

const text = z.string().trim().min(1);
const tokens = z.int().min(1);
const dollars = z.number().min(0);

const modelId = z
  .string()
  .refine((id) => PROVIDER_KEYS.some((provider) => id.startsWith(`${provider}/`) && id !== `${provider}/`));

const door = z.strictObject({
  'base-url': text.optional(),
  'api-key-env': z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, variableName())
    .refine((name) => !looksLikeKey(name), variableName())
    .optional(),
});

/** Keys of the three sections, for the shape of the whole file. */
export const MODEL_SECTIONS = {
  aliases: z.record(text, text).optional(),
  models: z
    .record(
      modelId,
      z.strictObject({
        context: tokens.optional(),
        'max-output': tokens.optional(),
        price: z
          .strictObject({
            input: dollars,
            cached: dollars.optional(),
            'cache-write': dollars.optional(),
            output: dollars,
          })
          .optional(),
      }),
    )
    .optional(),
  providers: z
    .strictObject(Object.fromEntries(PROVIDER_KEYS.map((key) => [key, door.optional()])))
    .optional(),
};

const sections = z.object(MODEL_SECTIONS);

/** The sections in working shape. Cached input and what is written to a cache cost as other input unless said. */
export function modelSettings(
  written: z.infer<typeof sections>,
): Pick<Settings, 'aliases' | 'models' | 'providers'> {
  return {
    aliases: new Map(Object.entries(written.aliases ?? {})),
    models: new Map(
      Object.entries(written.models ?? {}).map(([id, { context, 'max-output': answer, price }]) => [
        id,
        {
          contextTokens: context ?? null,
          maxOutputTokens: answer ?? null,
          price:
            price === undefined
              ? null
              : {
                  input: price.input,
                  cachedInput: price.cached ?? price.input,
                  cacheWrite: price['cache-write'] ?? price.input,
                  output: price.output,
                },
        },
      ]),
    ),
    providers: new Map(
      Object.entries(written.providers ?? {}).map(([provider, said]) => [
        provider,
        { baseUrl: said?.['base-url'] ?? null, apiKeyVariable: said?.['api-key-env'] ?? null },
      ]),
    ),
  };
}

function variableName(): string {
  return 'the name of an environment variable that holds the key, never the key itself';
}
