/**
 * Whether the entries that came by import are still what their pins hold (spec/skills.md §9 `audit --online`): each
 * file is fetched again at its commit, made governed as an import makes it, and compared.
 *
 * Always true: the network is used here because a person asks for it; nothing is written; what cannot be fetched is an
 * error like what differs, since nobody knows what it would say.
 */

import type { Finding } from '../../shared/findings.js';
import { lineDiff } from '../../shared/line-diff.js';
import type { Entry } from '../../skills/entry.js';
import { fetchFile } from '../../skills/import/fetch-file.js';
import { type AddressRead, readUrl } from '../../skills/import/git-address.js';
import { readFilePath, readRef } from '../../skills/import/git-wish.js';
import { governText } from '../../skills/import/governed-text.js';
import { foreignSource } from '../../skills/import/import-skill.js';
import type { FetchTools } from '../../skills/import/scratch-repository.js';
import { kindIn } from '../../skills/lock/governed-source.js';
import { entriesOf, readLock } from '../../skills/lock/lock-file.js';
import type { ImportedFrom } from '../../skills/lock/lock-text.js';
import type { LoadedFile } from '../../skills/read/entry-file.js';
import { quoted } from '../../skills/remark.js';

export interface OnlineAudit {
  /** Entries that were fetched and compared. */
  readonly compared: number;
  readonly findings: readonly Finding[];
  /** For each that differs, what a reader wants to see: lines of a unified diff from the pin to what lies here. */
  readonly differences: readonly { readonly name: string; readonly lines: readonly string[] }[];
}

/**
 * Fetches and compares, one after another.
 * @param addressOf from where a pinned URL is fetched; the URL itself unless told otherwise
 */
export async function auditOnline(
  files: readonly LoadedFile[],
  tools: FetchTools,
  addressOf: (url: string) => AddressRead = readUrl,
): Promise<OnlineAudit> {
  const findings: Finding[] = [];
  const differences: OnlineAudit['differences'][number][] = [];
  let compared = 0;
  for (const file of files) {
    const pin = await importOf(file);
    if (pin === null) continue;
    const { entry } = file;
    const fetched = await fetchAgain(file, pin, tools, addressOf);
    if (fetched.kind === 'refused') {
      findings.push(...fetched.findings.map((finding) => notCompared(entry, pin, finding)));
      continue;
    }
    compared += 1;
    if (fetched.entry.digest === entry.digest) continue;
    findings.push(differs(entry, pin, fetched.entry.digest));
    differences.push({ name: entry.name, lines: lineDiff(wholeText(fetched.entry), wholeText(entry)) });
  }
  return { compared, findings, differences };
}

/** How the lock beside a file says that it came; null: not by import. */
async function importOf({ place, entry }: LoadedFile): Promise<ImportedFrom | null> {
  const lock = await readLock(place.folder);
  if (lock.kind === 'refused') return null; // the audit itself has said so
  return entriesOf(lock).find(({ name }) => name === entry.name)?.import ?? null;
}

type FetchedEntry =
  | { readonly kind: 'fetched'; readonly entry: Pick<Entry, 'digest' | 'version' | 'description' | 'body'> }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

async function fetchAgain(
  { place, entry }: LoadedFile,
  { upstream, file }: ImportedFrom,
  tools: FetchTools,
  addressOf: (url: string) => AddressRead,
): Promise<FetchedEntry> {
  const at = upstream.lastIndexOf('@');
  const [url, written] = [upstream.slice(0, at), upstream.slice(at + 1)];
  const address = addressOf(url);
  const ref = readRef(written);
  const path = readFilePath(file);
  if (address.kind === 'refused') return { kind: 'refused', findings: [address.finding] };
  if (ref.kind === 'refused') return { kind: 'refused', findings: [ref.finding] };
  if (path.kind === 'refused') return { kind: 'refused', findings: [path.finding] };
  const fetched = await fetchFile({ address: address.address, ref: ref.ref, file: path.path }, tools);
  if (fetched.kind === 'refused') return fetched;
  const governed = governText(fetched.text, {
    source: foreignSource(path.path, url),
    folderKind: kindIn(place.folder),
    origin: { kind: 'third-party', upstream },
    license: entry.license,
    version: entry.version,
  });
  return governed.kind === 'refused' ? governed : { kind: 'fetched', entry: governed.entry };
}

/** What a reader compares: what reaches a model, and the version it goes by. */
function wholeText({ version, description, body }: Pick<Entry, 'version' | 'description' | 'body'>): string {
  return `version: ${version ?? 'none'}\ndescription: ${description}\n\n${body}\n`;
}

function differs({ name, path, digest }: Entry, { upstream }: ImportedFrom, there: string): Finding {
  return {
    code: 'upstream-differs',
    severity: 'error',
    path,
    message: `${quoted(name)} is ${digest} here and ${there} at ${quoted(upstream)}`,
    remedy: 'read the difference; import it again, or make it an entry of your own',
  };
}

function notCompared({ name, path }: Entry, { upstream }: ImportedFrom, { message }: Finding): Finding {
  return {
    code: 'upstream-not-compared',
    severity: 'error',
    path,
    message: `${quoted(name)} could not be compared with ${quoted(upstream)}: ${message}`,
    remedy: 'try again when it can be reached, or run the audit without --online',
  };
}
