/** The argument by which a change names the file as it was last read: its SHA-256 in hex. */

import { z } from 'zod';

export const digestArgument = z
  .string()
  .regex(/^(sha256:)?[0-9a-fA-F]{64}$/, 'a digest of 64 hex digits, as fs_read_file shows it')
  .transform((text) => text.replace(/^sha256:/, '').toLowerCase());
