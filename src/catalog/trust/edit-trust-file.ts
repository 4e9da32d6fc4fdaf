/**
 * A change of the operator's own trust file, as text to text. Pure.
 *
 *  E1 what the change is not about stays, comments included; the new text is read again and must say exactly what
 *     was meant, else nothing is changed;
 *  E2 who approves a file or a place takes back his own revocation of exactly that, and of nothing more;
 *  E3 who revokes takes away every approval of that file or place in this file, so that an old one cannot come back,
 *     and leaves a revocation that beats those in other files.
 */

import { type Document, isMap, isSeq, Document as NewDocument } from 'yaml';
import type { Finding } from '../../shared/findings.js';
import { readYaml } from '../../shared/yaml-document.js';
import type { TrustQuestion } from '../trust.js';
import {
  type FileApproval,
  type FileRevocation,
  type PlaceApproval,
  type PlaceRevocation,
  parseTrustFile,
  type TrustFile,
} from './trust-file.js';

/** A file as entries of the own trust file name it: whatever its text. */
export type TrustedFile = Omit<TrustQuestion, 'digest'>;

export type TrustChange =
  | { readonly kind: 'approve-file'; readonly approval: FileApproval & { readonly root: string } }
  | {
      readonly kind: 'revoke-file';
      readonly file: TrustedFile;
      readonly revoker: string;
      readonly at: string;
    }
  | { readonly kind: 'approve-place'; readonly approval: PlaceApproval & { readonly path: string } }
  | {
      readonly kind: 'revoke-place';
      readonly path: string;
      readonly revoker: string;
      readonly at: string;
    };

export type TrustEdit =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

const NEW_FILE =
  '# What the operator of this machine has approved. Written by bnerd trust; may be edited.\nversion: 1\n';

/**
 * Applies a change.
 * @param text the file as it is; null where there is none
 * @param shown the file as findings name it
 */
export function editTrustFile(text: string | null, change: TrustChange, shown: string): TrustEdit {
  const before = parseTrustFile(text ?? NEW_FILE, shown, 'own');
  if (before.kind === 'refused') return before;
  const yaml = readYaml(text ?? NEW_FILE);
  if (yaml.kind === 'refused') return { kind: 'refused', findings: [] }; // it was read a moment ago
  const { document } = yaml;
  const plan = planOf(change);
  const meant = afterwards(before.file, plan);
  for (const list of LISTS) {
    removeItems(document, PATHS[list], (place) => plan.removes(list, before.file[list][place]));
  }
  const { list, entry } = plan.adds;
  addItem(document, PATHS[list], entry);
  const edited = textOf(document);
  const after = edited === null ? null : parseTrustFile(edited, shown, 'own');
  if (after?.kind !== 'read' || edited === null || JSON.stringify(after.file) !== JSON.stringify(meant)) {
    const message =
      'the trust file is written in a way that cannot be changed without touching other entries';
    const remedy = 'write its entries out (no anchors and aliases), then try again';
    return {
      kind: 'refused',
      findings: [{ code: 'trust-file-not-changed', severity: 'error', path: shown, message, remedy }],
    };
  }
  return { kind: 'edited', text: edited };
}

/** Null when an alias has lost what it stands for. */
function textOf(document: Document): string | null {
  try {
    return document.toString({ lineWidth: 0 });
  } catch {
    return null;
  }
}

type List = keyof TrustFile;
type Entry = FileApproval | PlaceApproval | FileRevocation | PlaceRevocation;

const PATHS: Readonly<Record<List, readonly string[]>> = {
  files: ['files'],
  places: ['places'],
  revokedFiles: ['revoked', 'files'],
  revokedPlaces: ['revoked', 'places'],
};

const LISTS: readonly List[] = ['files', 'places', 'revokedFiles', 'revokedPlaces'];

interface Plan {
  readonly removes: (list: List, entry: Entry | undefined) => boolean;
  readonly adds: { readonly list: List; readonly entry: Entry };
}

function planOf(change: TrustChange): Plan {
  switch (change.kind) {
    case 'approve-file': {
      const { approval } = change;
      return {
        removes: (list, entry) =>
          (list === 'files' || list === 'revokedFiles') &&
          isOfFile(entry, approval) &&
          (digestOf(entry) === undefined || digestOf(entry) === approval.digest),
        adds: { list: 'files', entry: inOrder(approval) },
      };
    }
    case 'revoke-file': {
      const { file, revoker, at } = change;
      const { kind, tier, path, root } = file;
      return {
        removes: (list, entry) => (list === 'files' || list === 'revokedFiles') && isOfFile(entry, file),
        adds: { list: 'revokedFiles', entry: { kind, tier, path, root, revoker, at } },
      };
    }
    case 'approve-place': {
      const { path, root_commit, approver, at } = change.approval;
      return {
        removes: (list, entry) => (list === 'places' || list === 'revokedPlaces') && pathOf(entry) === path,
        adds: { list: 'places', entry: { path, root_commit, approver, at } },
      };
    }
    case 'revoke-place': {
      const { path, revoker, at } = change;
      return {
        removes: (list, entry) => (list === 'places' || list === 'revokedPlaces') && pathOf(entry) === path,
        adds: { list: 'revokedPlaces', entry: { path, revoker, at } },
      };
    }
  }
}

/** The keys in the order of the schema, as a reading gives them. */
function inOrder({ kind, tier, path, root, root_commit, digest, approver, at }: FileApproval): FileApproval {
  return {
    kind,
    tier,
    path,
    ...(root === undefined ? {} : { root }),
    ...(root_commit === undefined ? {} : { root_commit }),
    digest,
    approver,
    at,
  };
}

/** Whether an entry names exactly this file, of whatever text. */
export function isOfFile(entry: Entry | undefined, file: Partial<TrustedFile>): boolean {
  if (entry === undefined || !('kind' in entry) || !('root' in entry)) return false;
  return (
    entry.kind === file.kind &&
    entry.tier === file.tier &&
    entry.path === file.path &&
    entry.root === file.root
  );
}

function digestOf(entry: Entry | undefined): string | undefined {
  return entry !== undefined && 'digest' in entry ? entry.digest : undefined;
}

function pathOf(entry: Entry | undefined): string | undefined {
  return entry?.path;
}

/** What the file must say then. */
function afterwards(file: TrustFile, { removes, adds }: Plan): Readonly<Record<List, readonly Entry[]>> {
  const kept = <T extends Entry>(list: List, entries: readonly T[]): T[] =>
    entries.filter((entry) => !removes(list, entry));
  const after: Record<List, readonly Entry[]> = {
    files: kept('files', file.files),
    places: kept('places', file.places),
    revokedFiles: kept('revokedFiles', file.revokedFiles),
    revokedPlaces: kept('revokedPlaces', file.revokedPlaces),
  };
  after[adds.list] = [...after[adds.list], adds.entry];
  return after;
}

function removeItems(document: Document, path: readonly string[], gone: (place: number) => boolean): void {
  const sequence = document.getIn(path);
  if (!isSeq(sequence)) return;
  sequence.items = sequence.items.filter((_, place) => !gone(place));
}

function addItem(document: Document, path: readonly string[], entry: Entry): void {
  const item = new NewDocument(entry).contents;
  const sequence = document.getIn(path);
  if (isSeq(sequence)) {
    // An empty list is written `[]`, and what is added to it would stand on that line.
    sequence.flow = sequence.items.length > 0 && sequence.flow === true;
    sequence.items.push(item);
    return;
  }
  const [first = '', second] = path;
  if (second !== undefined && !isMap(document.get(first))) {
    document.set(first, new NewDocument({ [second]: [entry] }).contents);
    return;
  }
  document.setIn(path, new NewDocument([entry]).contents);
}
