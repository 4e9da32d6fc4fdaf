/**
 * The published JSON Schema of the frontmatter of an open entry (spec/skills.md §1, `bnerd schema skill`).
 *
 * Always true: what loads without a remark that a value was passed over validates, where its frontmatter was not
 * repaired and it lies outside of `.claude`. A schema may take a file that is then refused, since what a name
 * may hold, and whether parentheses balance, is said by `bnerd skills lint`.
 */

import { z } from 'zod';
import { describeKeys, headed, jsonSchemaOf } from '../../shared/published-schema.js';
import { FOREIGN_KEYS } from './kept-keys.js';
import { toolDefinition } from './tool-definitions.js';

/** Text, or a number or boolean, which is taken in the words it is written in. */
const words = z.union([z.string(), z.number(), z.boolean()]);
const names = z.union([words, z.array(words)]);
const switched = z.union([
  z.boolean(),
  z.string().regex(/^\s*(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\s*$/),
]);
const page = /^\s*(?:[Rr][Ee][Qq][Uu][Ii][Rr][Ee][Dd]|[Oo][Pp][Tt][Ii][Oo][Nn][Aa][Ll]|[Nn][Oo][Nn][Ee])\s*$/;

/** The keys that mean something here; a key without a value is as good as absent. */
const entryFrontmatter = z.looseObject({
  name: words,
  description: words,
  kind: z
    .string()
    .regex(/^\s*(?:rule|skill)\s*$/)
    .nullish(),
  always_on: switched.nullish(),
  keywords: names.nullish(),
  applies_to: names.nullish(),
  version: words.nullish(),
  'allowed-tools': names.nullish(),
  allowed_tools: names.nullish(),
  tools: z.array(toolDefinition).nullish(),
  process: switched.nullish(),
  page: z.string().regex(page).nullish(),
  license: words.nullish(),
  origin: words.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** A key without a sentence does not compile. */
const ENTRY_WORDS: Readonly<Record<keyof (typeof entryFrontmatter)['shape'], string>> = {
  name: 'Name of the entry: lower-case letters, digits and single hyphens, that of its directory.',
  description: 'What it is for, in at most 1,024 characters; shown to models.',
  kind: 'rule or skill. Absent: rule in a rules folder, skill everywhere else.',
  always_on: 'Whether it is active without being named. Absent: true for a rule, false for a skill.',
  keywords: 'Words in a message of the user that make a chat load it, as a list or text with commas.',
  applies_to: 'Modes (chat, code, pa, team) or roles it is for, as a list or text with commas. Absent: all.',
  version: 'A semantic version; another value is kept and not shown to models.',
  'allowed-tools': 'Tools a chat is restricted to while it is active, as a list or text. It grants none.',
  allowed_tools: 'The same; the spelling with the hyphen counts.',
  tools: 'Programs it provides as tools while it is active, run without a shell.',
  process: 'true: it governs the order of steps, and only a recipe names it.',
  page: 'How it stands to the page of a run: required, optional or none.',
  license: 'Data: the licence of the text.',
  origin: 'Data: who wrote it, self-declared.',
  metadata: 'Data of other programs; suggested-tools names tools that it works best with.',
};

/** The frontmatter of an entry. Unknown keys are allowed: skills of other programs load. */
export function entryJsonSchema(): object {
  const schema = jsonSchemaOf(entryFrontmatter);
  describeKeys(schema, ENTRY_WORDS);
  const known = schema.properties ?? {};
  for (const key of FOREIGN_KEYS) known[key] ??= { description: 'Kept as data, without effect here.' };
  return headed('skill', 'bnerd skill or rule', 'Frontmatter of a skill or rule, as Agent Skills have it.', {
    ...schema,
    properties: known,
  });
}
