/** The section `secrets` of the settings file: what is secret beside variables whose names say so (invariant 8). */

import { z } from 'zod';
import { patternProblem } from './secret-pattern.js';
import type { SettingsSecrets } from './settings.js';
import type { Written } from './written.js';

const text = z.string().trim().min(1);

const variable = z.string().regex(/^[^\s=]+$/, 'the name of an environment variable');

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

interface WrittenPattern {
  readonly name?: string | undefined;
  readonly pattern: string;
}

/** Checked as one value, so that a refusal names all that may stand there. */
const pattern = z
  .unknown()
  .superRefine((value, { addIssue }) => {
    const problem = problemOf(value);
    if (problem !== undefined) addIssue({ code: 'custom', message: problem });
  })
  .transform(
    (value): WrittenPattern => (typeof value === 'string' ? { pattern: value } : named.parse(value)),
  );

const named = z.strictObject({ name: z.string().regex(NAME), pattern: z.string() });

function problemOf(value: unknown): string | undefined {
  const parsed = typeof value === 'string' ? { pattern: value } : named.safeParse(value).data;
  if (parsed === undefined) {
    return 'a regular expression, or {name: <letters, digits, "_", "." and "-">, pattern: <regular expression>}';
  }
  const problem = patternProblem(parsed.pattern);
  return problem === undefined ? undefined : `a regular expression ${problem}`;
}

/** The key of the section, for the shape of the whole file. */
export const SECRET_SECTION = {
  secrets: z
    .strictObject({
      names: z.array(variable).optional(),
      except: z.array(variable).optional(),
      patterns: z.array(pattern).optional(),
      files: z.array(text).optional(),
    })
    .optional(),
};

const section = z.object(SECRET_SECTION);

/** The section in working shape. A pattern without a name is called after its place. */
export function secretSettings(
  { secrets = {} }: z.infer<typeof section>,
  at: (path: readonly PropertyKey[], words: string) => Written,
): SettingsSecrets {
  return {
    names: secrets.names ?? [],
    except: secrets.except ?? [],
    patterns: (secrets.patterns ?? []).map(({ name, pattern }, place) => ({
      name: name ?? `pattern-${place + 1}`,
      expression: new RegExp(pattern, 'g'),
    })),
    files: (secrets.files ?? []).map((path, place) => at(['secrets', 'files', place], path)),
  };
}
