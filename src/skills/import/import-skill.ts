/**
 * Takes a skill of others into a folder of entries (spec/skills.md §9). The map of this folder:
 *
 *     git-address, git-wish           the words of the order, judged before git sees them
 *     scratch-repository, fetch-file  the file at a commit, by plumbing
 *     reached                         whether that commit is part of the repository
 *     governed-text → foreign-marks, declared-value    the text in the governed grammar
 *     target-folder                   where it goes, and what lies there
 *     adopt-text → put-entry          guards, lock, and the writing of both or neither
 *     vetting                         the checklist for its reviewers
 *     govern-skill                    the same for an own open file
 *
 * Always true: network is used here, when a person asks, and nowhere else where entries are concerned; what is refused
 * leaves nothing behind.
 */

import { dirname, join } from 'node:path';
import gt from 'semver/functions/gt.js';
import { SKILL_FILE } from '../../catalog/tiers.js';
import { type Finding, hasErrors } from '../../shared/findings.js';
import type { EntrySource, EntryText } from '../entry.js';
import { governedSource, kindIn } from '../lock/governed-source.js';
import { tidyFolder } from '../lock/lock-file.js';
import { parseGoverned } from '../parse/governed.js';
import { quoted } from '../remark.js';
import type { SkillSettings } from '../settings.js';
import { type AdoptMode, adoptText } from './adopt-text.js';
import { fetchFile, upstreamPath } from './fetch-file.js';
import { readMirror, readUrl } from './git-address.js';
import { readFilePath, readRef } from './git-wish.js';
import { type Dropped, governText } from './governed-text.js';
import { isReached, type Reached } from './reached.js';
import type { FetchTools } from './scratch-repository.js';
import { openTarget, standingEntry, type WantedFolder } from './target-folder.js';

/** What a person asks for, in the words of the flags. */
export interface ImportOrder {
  /** What the pin names. */
  readonly url: string;
  /** Fetched from here instead; null: from `url`. */
  readonly source: string | null;
  readonly ref: string;
  readonly file: string;
  readonly license: string | null;
  readonly version: string | null;
  readonly into: WantedFolder;
  readonly mode: AdoptMode;
}

/** What importing needs of the machine and of the operator. */
export interface ImportTools extends FetchTools {
  readonly guards: Pick<SkillSettings, 'guards' | 'admission'>;
}

/** An entry that was taken in, or, in a check, would be. */
export interface AdoptedEntry {
  /** As it was written. */
  readonly entry: EntryText;
  readonly path: string;
  /** What lay there; null: nothing. */
  readonly before: string | null;
  readonly after: string;
  readonly dropped: readonly Dropped[];
  /** Warnings. */
  readonly findings: readonly Finding[];
}

export interface ImportedSkill extends AdoptedEntry {
  /** In the repository. */
  readonly file: string;
  /** The full id. */
  readonly commit: string;
  readonly upstream: string;
  readonly license: string;
  /** Version and pin of what it replaces. */
  readonly replaces: Replaced | null;
}

export interface Replaced {
  readonly version: string;
  readonly upstream: string;
}

export type Imported =
  | { readonly kind: 'imported'; readonly skill: ImportedSkill }
  /** `cause`: wrong words of the order, or something about what they name. */
  | { readonly kind: 'refused'; readonly cause: 'words' | 'matter'; readonly findings: readonly Finding[] };

/** Imports, or says why not; rejects only when the temporary folder cannot be used. */
export async function importSkill(order: ImportOrder, tools: ImportTools): Promise<Imported> {
  const words = readWords(order);
  if (words.kind === 'refused') return { ...words, cause: 'words' };
  const target = await openTarget(order.into);
  if (target.kind === 'refused') return refused([target.finding]);
  if (order.mode === 'write') {
    const tidied = await tidyFolder(target.path);
    if (tidied.kind === 'refused') return refused(tidied.findings);
  }
  const { address, ref, file } = words;
  const fetched = await fetchFile({ address, ref, file }, tools);
  if (fetched.kind === 'refused') return refused(fetched.findings);
  const { commit } = fetched;
  const reach = ref.kind === 'name' ? [] : reachFindings(await isReached({ address }, commit, tools), commit);
  if (hasErrors(reach)) return refused(reach);

  const upstream = `${order.url}@${commit}`;
  const { license, version } = order;
  const source = foreignSource(file, order.url);
  const governed = governText(fetched.text, {
    source,
    folderKind: kindIn(target.path),
    origin: { kind: 'third-party', upstream },
    license,
    version,
  });
  if (governed.kind === 'refused') return refused(governed.findings);
  const { entry, text } = governed;
  const standing = await standingEntry(target.path, entry.name);
  if (standing.kind === 'refused') return refused([standing.finding]);
  const path = join(target.path, entry.name, SKILL_FILE);
  const replaced = standing.text === null ? null : replacedBy(entry, standing.text, path);
  if (replaced !== null && 'code' in replaced) return refused([replaced]);
  const adopted = await adoptText({
    folder: target.path,
    file: join(entry.name, SKILL_FILE),
    text,
    entry,
    import: { upstream, file },
    before: standing.text,
    tier: order.into.tier,
    mode: order.mode,
    guards: tools.guards,
    signal: tools.signal,
  });
  if (adopted.kind === 'refused') return refused(adopted.findings);
  return {
    kind: 'imported',
    skill: {
      entry,
      path,
      before: standing.text,
      after: text,
      dropped: governed.dropped,
      file,
      commit,
      upstream,
      license: governed.license ?? '',
      replaces: replaced,
      findings: [
        ...words.findings,
        ...reach,
        ...movedFindings(replaced, order.url, path),
        ...governed.findings,
      ],
    },
  };
}

type Words =
  | {
      readonly kind: 'words';
      readonly address: Extract<ReturnType<typeof readUrl>, { kind: 'address' }>['address'];
      readonly ref: Extract<ReturnType<typeof readRef>, { kind: 'ref' }>['ref'];
      readonly file: string;
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** All the words that are wrong at once. */
function readWords({ url, source, ref, file }: ImportOrder): Words {
  const pin = readUrl(url);
  const mirror = source === null ? pin : readMirror(source);
  const revision = readRef(ref);
  const path = readFilePath(file);
  if (
    pin.kind === 'address' &&
    mirror.kind === 'address' &&
    revision.kind === 'ref' &&
    path.kind === 'path'
  ) {
    const findings = source === null ? pin.findings : [...pin.findings, ...mirror.findings];
    return { kind: 'words', address: mirror.address, ref: revision.ref, file: path.path, findings };
  }
  const wrong = [pin, ...(source === null ? [] : [mirror]), revision, path];
  return { kind: 'refused', findings: wrong.flatMap((one) => (one.kind === 'refused' ? [one.finding] : [])) };
}

/** The text as it lies in the repository; its directory there, or the repository, is what it should be named after. */
export function foreignSource(file: string, url: string): EntrySource {
  const names = `${new URL(url).pathname.replace(/\.git$/, '')}/${file}`
    .split('/')
    .filter((part) => part !== '');
  return governedSource('', upstreamPath(file), names.at(-2) ?? 'skill');
}

function reachFindings(reached: Reached, commit: string): Finding[] {
  if (reached === 'reached') return [];
  const unknown = reached === 'unknown';
  return [
    {
      code: 'commit-not-reached',
      severity: unknown ? 'warning' : 'error',
      path: '--ref',
      message: unknown
        ? `whether a branch or tag of the repository leads to ${commit} could not be found out within the bounds`
        : `no branch and no tag of the repository leads to ${commit}: it may be a commit of a fork; nothing was written`,
      remedy: 'name a tag or a branch, or a commit that one of them leads to',
    },
  ];
}

/** What is replaced, or why it is not. */
function replacedBy(entry: EntryText, text: string, path: string): Replaced | Finding {
  const refuse = (code: string, message: string, remedy: string): Finding => ({
    code,
    severity: 'error',
    path,
    message: `${message}; nothing was written`,
    remedy,
  });
  const parsed = parseGoverned(text, governedSource(dirname(dirname(path)), path, entry.name));
  if (parsed.kind === 'refused') {
    const message = 'what lies here is no governed entry, so nobody can tell which version it has';
    return refuse('name-taken', message, 'remove it, or import into another folder');
  }
  const { origin, version, upstream } = parsed.entry;
  if (origin !== 'third-party' || version === null || upstream === null) {
    return refuse(
      'own-entry',
      `${quoted(entry.name)} is an entry of your own`,
      'rename yours, or import into another folder',
    );
  }
  if (!gt(entry.version ?? '', version)) {
    const message = `version ${quoted(entry.version ?? '')} is not greater than ${quoted(version)}, which lies here`;
    return refuse('version-not-greater', message, 'import a text with a greater version');
  }
  return { version, upstream };
}

/** The same name from another place: a reviewer should know that the hands have changed. */
function movedFindings(replaced: Replaced | null, url: string, path: string): Finding[] {
  const before = replaced?.upstream.replace(/@[^@]*$/, '');
  if (before === undefined || before === url) return [];
  const message = `it came from ${quoted(before)} so far, and comes from ${quoted(url)} now`;
  const remedy = 'make sure that this is the same skill';
  return [{ code: 'upstream-changed', severity: 'warning', path, message, remedy }];
}

function refused(findings: readonly Finding[]): Imported {
  return { kind: 'refused', cause: 'matter', findings };
}
