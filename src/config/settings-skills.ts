/**
 * The sections of the settings file that are about rules and skills: `skills` and `chat.skills` (spec/skills.md §3, §4,
 * §6, §8). Their shape, and from it to values with units in the names.
 *
 * Always true: a bound of the reference block that cannot be read is the default with a warning, never no bound; every
 * other value that does not fit is refused.
 */

import { z } from 'zod';
import type { Finding } from '../shared/findings.js';
import { SETTINGS_PATH, type SettingsSkills } from './settings.js';
import { ADMISSION_SOURCES } from './settings-keys.js';

const text = z.string().trim().min(1);
const bytes = z.int().min(1);

/** YAML 1.2 knows `on` and `off` as text; `true` and `false` say the same. */
const onOff = z
  .unknown()
  .refine((value) => ['on', 'off', true, false].some((word) => word === value), 'on or off')
  .transform((value) => value === 'on' || value === true);

const sizeCap = z
  .unknown()
  .refine((value) => value === 'off' || bytes.safeParse(value).success, 'a whole number of bytes, or off')
  .transform((value) => (typeof value === 'number' ? value : ('off' as const)));

const guardShape = z.union([z.enum(['exfiltration', 'deny']), z.strictObject({ 'size-cap': bytes })]);

/** Checked as one value, so that a refusal names all that may stand there. */
const admissionGuard = z
  .unknown()
  .refine(
    (value) => guardShape.safeParse(value).success,
    'deny, exfiltration, or {size-cap: <whole number of bytes>}',
  )
  .transform((value) => guardShape.parse(value));

/** Keys of the two sections, for the shape of the whole file. */
export const SKILL_SECTIONS = {
  skills: z
    .strictObject({
      disabled: z.array(text).optional(),
      'global-trust': z.enum(['instruction', 'reference']).optional(),
      'max-bytes': z.unknown().optional(),
      guards: z.strictObject({ 'size-cap': sizeCap.optional(), exfiltration: onOff.optional() }).optional(),
      admission: z
        .array(
          z.strictObject({
            for: text.optional(),
            name: text.optional(),
            source: z.enum(ADMISSION_SOURCES).optional(),
            guard: admissionGuard,
          }),
        )
        .optional(),
    })
    .optional(),
  chat: z.strictObject({ skills: z.array(text).optional() }).optional(),
};

const sections = z.object(SKILL_SECTIONS);

/**
 * The sections in working shape, with a warning on a bound that is not read.
 * @param lineOf the line that a path of the file stands on
 */
export function skillSettings(
  { skills = {}, chat = {} }: z.infer<typeof sections>,
  lineOf: (path: readonly PropertyKey[]) => number,
): { readonly value: SettingsSkills; readonly findings: readonly Finding[] } {
  const bound = maxBytesOf(skills['max-bytes']);
  return {
    value: {
      disabled: (skills.disabled ?? []).map((name, at) => ({
        name,
        line: lineOf(['skills', 'disabled', at]),
      })),
      globalTrust: skills['global-trust'] ?? null,
      maxBytes: bound === 'unreadable' ? null : bound,
      sizeCap: skills.guards?.['size-cap'] ?? null,
      exfiltration: skills.guards?.exfiltration ?? null,
      admission: (skills.admission ?? []).map((rule, at) => ({
        for: rule.for ?? null,
        name: rule.name ?? null,
        source: rule.source ?? null,
        guard: rule.guard,
        line: lineOf(['skills', 'admission', at]),
      })),
      offered: chat.skills ?? null,
    },
    findings: bound === 'unreadable' ? [unreadBound(lineOf(['skills', 'max-bytes']))] : [],
  };
}

/** A whole number of bytes, also in quotes; null: nobody wrote one. */
function maxBytesOf(written: unknown): number | null | 'unreadable' {
  if (written === undefined) return null;
  const number = typeof written === 'string' && /^\d{1,15}$/.test(written) ? Number(written) : written;
  const read = bytes.safeParse(number);
  return read.success ? read.data : 'unreadable';
}

/** The number is the one of `skills/settings.ts`, which this folder may not import; a test compares them. */
function unreadBound(line: number): Finding {
  return {
    code: 'default-max-bytes',
    severity: 'warning',
    path: SETTINGS_PATH,
    line,
    message: 'skills.max-bytes is no whole number of bytes of at least 1; the default of 24000 bytes holds',
    remedy: 'write for example max-bytes: 24000, or remove the key',
  };
}
