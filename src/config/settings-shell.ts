/**
 * The section `shell` of the settings file (spec/team.md §2): under which program every program of a tool runs, as an argv
 * prefix. It is the operator's, so it stands in no recipe and in no environment.
 */

import { z } from 'zod';
import type { SettingsShell } from './settings.js';

/** Beyond it is a mistake: with the command it has to fit what a system takes. */
const MOST_WORDS = 200;

const word = z
  .string()
  .max(4_096)
  .refine((text) => !text.includes('\0'), 'a text without NUL');

/** Keys of the section, for the shape of the whole file. */
export const SHELL_SECTION = {
  shell: z
    .strictObject({
      wrap: z
        .array(word)
        .max(MOST_WORDS)
        .refine(
          ([program]) => program === undefined || program.trim() !== '',
          'a program and its words, as in [bwrap, --ro-bind, /, /]; [] for none',
        )
        .optional(),
    })
    .optional(),
};

const section = z.object(SHELL_SECTION);

/** The section in working shape. */
export function shellSettings({ shell = {} }: z.infer<typeof section>): SettingsShell {
  return { wrap: shell.wrap ?? [] };
}
