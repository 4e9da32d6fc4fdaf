/**
 * The section `runner` of the settings file (spec/runner.md §3 "Configuration"): what a runner on this machine takes, and
 * with which programs it does it. What is written is in effect or refused.
 */

import { z } from 'zod';
import type { SettingsRunner } from './settings.js';
import { ENGINEER_KINDS } from './settings-keys.js';
import type { Written } from './written.js';

const text = z.string().trim().min(1);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable, without its value');
const word = z.string().refine((found) => !found.includes('\0'), 'a text without NUL');

/** Whatever were written here, it would not be in effect. */
const NO_OTHER_HOME =
  'every variable but HOME: an engineer has a fresh home folder of its own for each brief';

const engineer = z.strictObject({
  path: text.optional(),
  args: z.array(word).max(200).optional(),
  env: z
    .record(variable, z.union([word, z.number(), z.boolean()]).transform(String))
    .refine((env) => !('HOME' in env), { error: NO_OTHER_HOME })
    .optional(),
  'project-settings': z.boolean().optional(),
});

/** To change the user a runner would have to be root, with a tree, a home and a watchdog that are two users'. */
const NO_OTHER_USER =
  'nothing: an engineer runs as the user of its runner; start bnerd as the user that the engineer is to be, or let engineer-wrap put it into a sandbox or container';

/** Keys of the section, for the shape of the whole file. */
export const RUNNER_SECTION = {
  runner: z
    .strictObject({
      pool: text.optional(),
      labels: z.array(text).optional(),
      workdir: text.optional(),
      concurrency: z.int().min(1).max(100).optional(),
      'same-user': z.boolean().optional(),
      grace: text.optional(),
      repos: z.array(text).optional(),
      'max-safety': text.optional(),
      engineers: z
        .strictObject(Object.fromEntries(ENGINEER_KINDS.map((kind) => [kind, engineer.optional()])))
        .optional(),
      'engineer-user': z
        .unknown()
        .refine((found) => found === undefined, { error: NO_OTHER_USER })
        .optional(),
      'engineer-wrap': z.array(word).max(200).optional(),
      'env-grants': z.array(variable).optional(),
      'git-env': z.array(variable).optional(),
      'keep-failed': text.optional(),
      'min-free': z.union([text, z.int().min(0)]).optional(),
    })
    .optional(),
};

const section = z.object(RUNNER_SECTION);

/** The section in working shape: what flags may say as well stays as it was written. */
export function runnerSettings(
  { runner = {} }: z.infer<typeof section>,
  at: (path: readonly PropertyKey[], words: string) => Written,
): SettingsRunner {
  const { engineers = {}, ...others } = runner;
  const written = Object.entries(others).flatMap(([key, found]): [string, readonly Written[]][] => {
    if (found === undefined) return [];
    const values = Array.isArray(found)
      ? found.map((one, place) => at(['runner', key, place], one))
      : [at(['runner', key], String(found))];
    return [[key, values]];
  });
  const kinds = Object.entries(engineers).flatMap(([kind, found]): [string, SettingsEngineer][] =>
    found === undefined
      ? []
      : [
          [
            kind,
            {
              path: found.path ?? null,
              args: found.args ?? [],
              env: found.env ?? {},
              projectSettings: found['project-settings'] ?? false,
            },
          ],
        ],
  );
  return { written: new Map(written), engineers: new Map(kinds) };
}

type SettingsEngineer = SettingsRunner['engineers'] extends ReadonlyMap<string, infer Value> ? Value : never;
