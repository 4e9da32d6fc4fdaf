/** The section `secrets` of the settings file: what is secret beside variables whose names say so (invariant 8). */

import { z } from 'zod';
import { patternProblem } from './secret-pattern.js';
import type { SettingsSecrets } from './settings.js';
import type { Written } from './written.js';

const text = z.string().trim().min(1);

const variable = z.string().regex(/^[^\s=]+$/, 'the name of an environment variable');

const expression = z.string().superRefine((source, { addIssue }) => {
  const problem = patternProblem(source);
  if (problem !== undefined) addIssue({ code: 'custom', message: `a regular expression ${problem}` });
});

const name = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'a name of letters, digits, "_", "." and "-"');

const written = z
  .unknown()
  .superRefine((value, { addIssue }) => {
    const parsed = (typeof value === 'string' ? expression : named).safeParse(value);
    for (const issue of parsed.error?.issues ?? []) {
      const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
      addIssue({ code: 'custom', message: `${where}${issue.message}` });
    }
  })
  .transform((value) =>
    typeof value === 'string' ? { name: undefined, pattern: value } : named.parse(value),
  );

const named = z.strictObject({ name, pattern: expression });

/** The key of the section, for the shape of the whole file. */
export const SECRET_SECTION = {
  secrets: z
    .strictObject({
      names: z.array(variable).optional(),
      except: z.array(variable).optional(),
      patterns: z.array(written).optional(),
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
