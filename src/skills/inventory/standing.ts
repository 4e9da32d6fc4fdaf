/**
 * How each file of the tiers stands: what listings and audits say of it beside its name (spec/skills.md §3, §10). Pure.
 *
 * Always true: every file of the registry is in the list once, and of each name at most one file is in use.
 */

import { assertNever } from '../../shared/assert-never.js';
import { compareBytes } from '../byte-order.js';
import type { Entry, EntryHead, EntryKind } from '../entry.js';
import type { EntryFile, LoadedFile } from '../read/entry-file.js';
import type { Registry } from '../registry.js';

export type Standing =
  /** What its name stands for. */
  | { readonly kind: 'in-use' }
  /** The path of the file that is used instead. */
  | { readonly kind: 'shadowed'; readonly by: string }
  /** It is never composed as an instruction; `why` in words. */
  | { readonly kind: 'untrusted'; readonly why: string }
  /** The place that says so. */
  | { readonly kind: 'disabled'; readonly by: string }
  /** It holds no entry; `why` in words. */
  | { readonly kind: 'refused'; readonly why: string };

/** A file, what it calls itself, and how it stands. */
export interface StandingFile<Held extends EntryHead = Entry> {
  readonly file: EntryFile<Held>;
  readonly kind: EntryKind;
  /** Declared; where none could be read, that of the directory or file. */
  readonly name: string;
  readonly standing: Standing;
}

/** Every file, in byte order of name; of one name the one in use first, then from the strongest to the weakest. */
export function standings<Held extends EntryHead>(registry: Registry<Held>): readonly StandingFile<Held>[] {
  const shadows = new Map<Held, string>(registry.shadowed.map(({ entry, by }) => [entry, by.path]));
  const remarks = new Map<unknown, string>(
    registry.untrusted.map(({ file, remark }) => [file, remark.message]),
  );
  return registry.files
    .map((file): StandingFile<Held> => {
      if (file.kind === 'refused') {
        const why = file.findings.find(({ severity }) => severity === 'error')?.message;
        return {
          file,
          kind: file.place.kind,
          name: file.name ?? file.expectedName,
          standing: { kind: 'refused', why: why ?? 'it could not be read' },
        };
      }
      const { entry } = file;
      return { file, kind: entry.kind, name: entry.name, standing: standingOf(file) };
    })
    .sort(
      (left, right) =>
        compareBytes(left.name, right.name) ||
        weight(left) - weight(right) ||
        right.file.rank - left.file.rank ||
        compareBytes(left.file.path, right.file.path),
    );

  function standingOf(file: LoadedFile<Held>): Standing {
    const { entry } = file;
    const remark = remarks.get(file);
    if (remark !== undefined) return { kind: 'untrusted', why: remark.replace(/^not used: /, '') };
    const by = shadows.get(entry);
    if (by !== undefined) return { kind: 'shadowed', by };
    const off = registry.disabled.get(entry.name);
    return off === undefined ? { kind: 'in-use' } : { kind: 'disabled', by: off.place };
  }
}

function weight({ standing }: StandingFile<EntryHead>): number {
  return standing.kind === 'in-use' || standing.kind === 'disabled' ? 0 : 1;
}

/** How a file stands, in words; `path` turns a path into what a person would type. */
export function standingText(standing: Standing, path: (path: string) => string): string {
  switch (standing.kind) {
    case 'in-use':
      return 'in use';
    case 'shadowed':
      return `shadowed by ${path(standing.by)}`;
    case 'untrusted':
      return `untrusted: ${standing.why}`;
    case 'disabled':
      return `disabled by ${path(standing.by)}`;
    case 'refused':
      return 'refused';
    default:
      return assertNever(standing, 'standing of a file');
  }
}
