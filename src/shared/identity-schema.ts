/** The identity of a process as it is written into files. Of its own, so that who asks for one loads no schemas. */

import { z } from 'zod';
import type { ProcessIdentity } from './process-identity.js';

export const identitySchema: z.ZodType<ProcessIdentity> = z.object({
  pid: z.number().int().positive(),
  startedAt: z.string(),
  bootId: z.string(),
  machineId: z.string(),
  pidNamespace: z.string(),
  host: z.string(),
});
