/**
 * The part of the SARIF 2.1.0 schema that our logs use, written from the published one: `additionalProperties: false`
 * on every object, required properties, enumerations, bounds; and what the prose of the specification adds.
 */

import { z } from 'zod';

const text = z.string().min(1);
/** §3.11.5: braces only doubled, as there are no placeholders; §3.11.6: no embedded link. */
const message = z.strictObject({
  text: text
    .refine((value) => !/[{}]/.test(value.replaceAll('{{', '').replaceAll('}}', '')), 'a single brace')
    .refine((value) => !/\[[^\]]*\]\([^)]*\)/.test(value), 'a link'),
});
const level = z.enum(['none', 'note', 'warning', 'error']);
const multiformat = z.strictObject({ text });

const descriptor = z.strictObject({
  id: text,
  shortDescription: multiformat,
  fullDescription: multiformat,
  help: multiformat,
  defaultConfiguration: z.strictObject({ level }),
});

/** §3.4.3: a URI reference of RFC 3986; a relative one has no scheme, no leading slash and no backslash. */
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})+$/;
const artifactLocation = z.union([
  z.strictObject({
    uri: z
      .string()
      .regex(URI_CHARACTERS)
      .refine((uri) => !/^[/]|^[^/]*:/.test(uri), 'not relative'),
    uriBaseId: z.literal('%SRCROOT%'),
  }),
  z.strictObject({ uri: z.string().regex(URI_CHARACTERS).startsWith('file:///') }),
]);

const location = z.strictObject({
  physicalLocation: z.strictObject({
    artifactLocation,
    region: z.strictObject({ startLine: z.int().min(1) }).optional(),
  }),
});

const run = z.strictObject({
  tool: z.strictObject({
    driver: z.strictObject({
      name: z.literal('bnerd'),
      version: text,
      semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
      rules: z.array(descriptor),
      notifications: z.array(descriptor),
    }),
  }),
  invocations: z
    .array(
      z.strictObject({
        executionSuccessful: z.boolean(),
        toolConfigurationNotifications: z.array(
          z.strictObject({ descriptor: z.strictObject({ id: text }), level, message }),
        ),
      }),
    )
    .length(1),
  results: z.array(
    z.strictObject({
      ruleId: text,
      ruleIndex: z.int().min(0),
      level,
      message,
      locations: z.array(location).length(1),
    }),
  ),
});

/** A whole log. `checkReferences` says the rest. */
export const sarif = z.strictObject({
  $schema: z.url().endsWith('sarif-schema-2.1.0.json'),
  version: z.literal('2.1.0'),
  runs: z.array(run).length(1),
});

/** Throws when a log does not fit; gives its only run. */
export function readSarif(json: string): z.infer<typeof run> {
  const [only] = sarif.parse(JSON.parse(json)).runs;
  if (only === undefined) throw new Error('no run');
  for (const list of [only.tool.driver.rules, only.tool.driver.notifications]) {
    const ids = list.map(({ id }) => id);
    if (new Set(ids).size !== ids.length) throw new Error(`listed twice: ${ids.join(', ')}`);
  }
  for (const { ruleId, ruleIndex } of only.results) {
    if (only.tool.driver.rules[ruleIndex]?.id !== ruleId)
      throw new Error(`${ruleId} is not rule ${ruleIndex}`);
  }
  return only;
}
