/**
 * Texts as they were approved, by the digest they were approved by: what a later text of the same file is compared
 * with. For the eye alone; whether a file counts never depends on them.
 */

import { join } from 'node:path';
import { writeBlob } from '../../events/blob-files.js';
import { ensureFolder } from '../../events/own-folder.js';
import { readFileIfThere } from '../../events/whole-file.js';
import { syncFolder } from '../../shared/durable-file.js';
import type { House } from '../house.js';
import { trustFolder } from './own-trust.js';

/** Keeps a text. `digest` is `1:<hex>`. */
export async function keepApprovedText(
  house: Pick<House, 'home'>,
  digest: string,
  text: string,
): Promise<void> {
  const folder = trustFolder(house);
  await ensureFolder(folder);
  if (await writeBlob(folder, nameOf(digest), Buffer.from(text, 'utf8'))) await syncFolder(folder);
}

/** The text that was approved by a digest; null when it is not here any more, or was approved elsewhere. */
export async function approvedText(house: Pick<House, 'home'>, digest: string): Promise<string | null> {
  const bytes = await readFileIfThere(join(trustFolder(house), nameOf(digest)));
  return bytes === undefined ? null : bytes.toString('utf8');
}

function nameOf(digest: string): string {
  return digest.replace(/^1:/, '');
}
