/**
 * Gives an own open file the governed form (spec/skills.md §9): in place, with version and origin, by the same checks
 * and the same writing as an import.
 *
 * Always true: only a text of our own: one that names a licence, a source or a reviewer is most likely another's.
 */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import { SKILL_FILE } from '../../catalog/tiers.js';
import type { Finding } from '../../shared/findings.js';
import { governedSource } from '../lock/governed-source.js';
import { lockCommand } from '../lock/lock-command.js';
import { tidyFolder } from '../lock/lock-file.js';
import { parseGoverned } from '../parse/governed.js';
import { quoted } from '../remark.js';
import type { SkillSettings } from '../settings.js';
import { type AdoptMode, adoptText } from './adopt-text.js';
import { governText } from './governed-text.js';
import type { AdoptedEntry } from './import-skill.js';
import { openTarget, type WantedFolder } from './target-folder.js';

/** Code of the refusal that the folder holds no entry of that name. */
export const NO_SUCH_ENTRY = 'no-such-entry';

export interface GovernOrder {
  /** Of the entry, which is that of its directory or file. */
  readonly name: string;
  readonly version: string | null;
  readonly into: WantedFolder;
  readonly mode: AdoptMode;
}

export type GovernedSkill =
  | { readonly kind: 'governed'; readonly skill: AdoptedEntry }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Rewrites `<name>/SKILL.md`, else `<name>.md`, of a folder, or says why not. */
export async function governSkill(
  order: GovernOrder,
  tools: { readonly guards: Pick<SkillSettings, 'guards' | 'admission'>; readonly signal: AbortSignal },
): Promise<GovernedSkill> {
  const { name, version, into, mode } = order;
  if (name === '' || name.startsWith('.') || /[/\\\0]/.test(name)) {
    const message = `${quoted(name)} is no plain name of a directory`;
    return refused({
      code: 'unsafe-name',
      severity: 'error',
      path: 'name',
      message,
      remedy: 'write the name alone',
    });
  }
  const target = await openTarget(into);
  if (target.kind === 'refused') return refused(target.finding);
  const folder = target.path;
  if (mode === 'write') {
    const tidied = await tidyFolder(folder);
    if (tidied.kind === 'refused') return tidied;
  }
  const found = await findEntry(folder, name);
  if (found.kind === 'refused') return refused(found.finding);
  const { file, text: before } = found;
  const path = join(folder, file);
  const source = governedSource(folder, path, name);
  if (parseGoverned(before, source).kind === 'entry') {
    const message = `${quoted(name)} is governed already; nothing was written`;
    const remedy = `edit it, give it a greater version, then run ${lockCommand(folder)}`;
    return refused({ code: 'already-governed', severity: 'error', path, message, remedy });
  }
  const governed = governText(before, {
    source,
    folderKind: source.kind,
    origin: { kind: 'proprietary' },
    version,
    license: null,
  });
  if (governed.kind === 'refused') return { kind: 'refused', findings: governed.findings };
  const { entry, text, dropped, findings } = governed;
  if (entry.name !== name) {
    const message = `name is ${quoted(entry.name)}, the file lies under ${quoted(name)}; both must be equal`;
    const remedy = 'rename the directory or file, or write the other name';
    return refused({ code: 'name-mismatch', severity: 'error', path, message, remedy });
  }
  const { guards, signal } = tools;
  const { tier } = into;
  const adopted = await adoptText({
    folder,
    file,
    text,
    entry,
    import: null,
    before,
    tier,
    mode,
    guards,
    signal,
  });
  if (adopted.kind === 'refused') return adopted;
  return { kind: 'governed', skill: { entry, path, before, after: text, dropped, findings } };
}

type FoundText =
  | { readonly kind: 'found'; readonly file: string; readonly text: string }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** The directory form beats the flat one, as everywhere. */
async function findEntry(folder: string, name: string): Promise<FoundText> {
  const [directory, flat] = [join(name, SKILL_FILE), `${name}.md`];
  if (await isLink(join(folder, name))) return { kind: 'refused', finding: linked(join(folder, name)) };
  for (const file of [directory, flat]) {
    if (await isLink(join(folder, file))) return { kind: 'refused', finding: linked(join(folder, file)) };
    const source = await readSource(join(folder, file), folder);
    if (source.kind === 'read') return { kind: 'found', file, text: source.text };
    if (source.finding.code !== 'file-missing') return { kind: 'refused', finding: source.finding };
  }
  const path = join(folder, directory);
  const message = `there is no entry ${quoted(name)} in ${folder}`;
  const remedy = 'name an entry of this folder, or another folder with --into';
  return { kind: 'refused', finding: { code: NO_SUCH_ENTRY, severity: 'error', path, message, remedy } };
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false, // it is not there, or reading it says what is wrong
  );
}

function linked(path: string): Finding {
  const message = 'it is a link, and nothing is written through one';
  return { code: 'link', severity: 'error', path, message, remedy: 'replace the link by what it leads to' };
}

function refused(finding: Finding): GovernedSkill {
  return { kind: 'refused', findings: [finding] };
}
