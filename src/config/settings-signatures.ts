/** The section `keys` of the settings file: whether teams on this machine's own Redis have to be signed as well (engine.md §3). */

import { z } from 'zod';
import type { SettingsSignatures } from './settings.js';

/** Keys of the section, for the shape of the whole file. */
export const SIGNATURE_SECTION = {
  keys: z.strictObject({ 'require-signatures': z.boolean().optional() }).optional(),
};

const section = z.object(SIGNATURE_SECTION);

/** The section in working shape. */
export function signatureSettings({ keys = {} }: z.infer<typeof section>): SettingsSignatures {
  return { required: keys['require-signatures'] ?? null };
}
