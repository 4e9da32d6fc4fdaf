/** The proof that an entry reached a member, as the record keeps it (spec/skills.md §7.5, invariant 12). */

import type { LoadedEntry } from '../../events/facts/frozen.js';
import { sha256 } from '../../shared/digest.js';
import type { Entry, Trust } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';

/** How an entry reached a member. */
export interface EntryWay {
  readonly level: LoadedEntry['level'];
  /** As it was used: what may only be shown is reference, whatever else is known of it. */
  readonly trust: Trust;
  /** The text of the entry as it stands in the prompt or message. */
  readonly rendered: string;
}

export function proofOf(
  entry: Entry,
  { level, trust, rendered }: EntryWay,
  { files }: Pick<Registry, 'files'>,
): LoadedEntry {
  return {
    kind: entry.kind,
    name: entry.name,
    level,
    version: entry.version,
    digest: entry.digest,
    rendered_sha256: sha256(rendered),
    tier: entry.tier,
    trust,
    origin: entry.origin,
    bytes: Buffer.byteLength(rendered),
    approval: trust === 'instruction' ? approvalOf(entry, files) : null,
  };
}

/** What the operator was asked about the file of an entry that instructs; nobody has to be asked again of another. */
function approvalOf(entry: Entry, files: Registry['files']): LoadedEntry['approval'] {
  const file = files.find((each) => each.kind === 'loaded' && each.entry === entry);
  if (file?.kind !== 'loaded' || file.approval === null) return null;
  const { tier, root, path } = file.approval.question;
  return { tier, root, path };
}
