/**
 * Finds and reads the trust files that count. A file that is not there has nothing to say; one that is there and
 * cannot be used is an error, for a revocation may stand in it.
 *
 *  R1 the operator's own file is a regular file of his that nobody else may write, as is its folder; a link is
 *     refused, for what it points to may belong to a project;
 *  R2 a file that was named exists, and does not lie in a tree that it could approve;
 *  R3 the file of a mission repository is read from a commit, never from the working tree.
 */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import { shellWord } from '../../shared/shell-word.js';
import { isThere } from '../files/is-there.js';
import { MISSION_TRUST_FILE } from '../tiers.js';
import type { TrustSource } from './judge-trust.js';
import { committedFile } from './repository-facts.js';
import type { TrustHolder } from './trust-file.js';

/** Where approvals may stand. */
export interface TrustSources {
  /** The operator's own file; it need not exist. */
  readonly own: string;
  /** Files named by `--trust` or `BNERD_TRUST`, absolute; each must exist. */
  readonly extra: readonly string[];
  /** The mission repository that was *named*; `commit` is the one recorded at the start, null where there is none. */
  readonly mission: { readonly path: string; readonly commit: string | null } | null;
  /** Real paths of the trees whose files are asked about: the project, a mission repository that was only found. */
  readonly askedTrees: readonly string[];
  /** `PATH` to find git in. */
  readonly gitPath: string;
}

/** The files that count, and what is wrong with any of them; an error means that nothing may be taken as approved. */
export interface TrustFiles {
  readonly sources: readonly TrustSource[];
  readonly findings: readonly Finding[];
}

type SourceRead = { readonly source: TrustSource | null; readonly findings: readonly Finding[] };

const NOTHING: SourceRead = { source: null, findings: [] };

/** Thousands of approvals fit. */
export const MAX_TRUST_BYTES = 1024 * 1024;

/** Reads them all. */
export async function readTrustFiles(from: TrustSources): Promise<TrustFiles> {
  const reads = [
    await readOwn(from.own),
    ...(await Promise.all(from.extra.map((path) => readExtra(path, from.askedTrees)))),
    from.mission === null ? NOTHING : await readMission(from.mission, from.gitPath),
  ];
  return {
    sources: reads.flatMap(({ source }) => (source === null ? [] : [source])),
    findings: reads.flatMap(({ findings }) => findings),
  };
}

/** The operator's own file alone: what an approval is written into. */
export async function readOwnTrust(
  path: string,
): Promise<{ readonly text: string | null; readonly findings: readonly Finding[] }> {
  const read = await textOf(path, constants.O_NOFOLLOW, (stats) => ownersOnly(path, stats));
  if (read.kind === 'absent') return { text: null, findings: [] };
  return read.kind === 'text' ? { text: read.text, findings: [] } : { text: null, findings: [read.finding] };
}

async function readOwn(path: string): Promise<SourceRead> {
  const { text, findings } = await readOwnTrust(path);
  return text === null ? { source: null, findings } : parsed(text, path, 'own');
}

async function readExtra(path: string, askedTrees: readonly string[]): Promise<SourceRead> {
  const read = await textOf(path, 0, async ({ mode }) =>
    (mode & 0o002) === 0 ? null : ['may be written by everybody', `chmod o-w ${shellWord(path)}`],
  );
  if (read.kind === 'absent') {
    return wrong(path, 'does not exist; it may hold revocations', 'check the path of --trust or BNERD_TRUST');
  }
  if (read.kind === 'unusable') return { source: null, findings: [read.finding] };
  const real = await realpath(path).catch(() => path); // it was read a moment ago: then it lies where it is named
  const tree = askedTrees.find((root) => isInside(real, root));
  if (tree !== undefined) {
    const what = `lies in ${tree}, whose files it could approve: then that tree would speak for itself`;
    return wrong(path, what, 'keep it outside of the repository');
  }
  return parsed(read.text, path, 'extra');
}

async function readMission(
  { path: root, commit }: NonNullable<TrustSources['mission']>,
  gitPath: string,
): Promise<SourceRead> {
  const path = join(root, MISSION_TRUST_FILE);
  if (commit === null) {
    if (!(await isThere(path))) return NOTHING;
    const message = 'the trust file is not used: it counts as committed, and its repository has no commit';
    const remedy = 'commit it, or approve the files with bnerd trust';
    return {
      source: null,
      findings: [{ code: 'trust-file-not-used', severity: 'warning', path, message, remedy }],
    };
  }
  const file = await committedFile(
    { root, commit, path: MISSION_TRUST_FILE, maxBytes: MAX_TRUST_BYTES },
    gitPath,
  );
  if (file.kind === 'absent') return NOTHING;
  if (file.kind === 'unreadable') {
    return wrong(path, `cannot be read at commit ${commit}: ${file.why}`, 'mend the repository');
  }
  return parsed(file.text, `${path} at ${commit.slice(0, 12)}`, 'mission');
}

async function parsed(text: string, shown: string, holder: TrustHolder): Promise<SourceRead> {
  const { parseTrustFile } = await import('./trust-file.js'); // parsers that a command without approvals does not load
  const read = parseTrustFile(text, shown, holder);
  if (read.kind === 'refused') return { source: null, findings: read.findings };
  return { source: { holder, shown, file: read.file }, findings: read.findings };
}

type TextRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly finding: Finding };

/** What is wrong with a file, and what to do about it. */
type Objection = readonly [what: string, remedy: string] | null;

async function textOf(
  path: string,
  flags: number,
  object: (stats: Stats) => Promise<Objection>,
): Promise<TextRead> {
  const unusable = (what: string, remedy: string): TextRead => ({
    kind: 'unusable',
    finding: unusableFile(path, what, remedy),
  });
  let handle: FileHandle | undefined;
  try {
    // Non-blocking, so that a pipe put in its place cannot hold the reader.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    const stats = await handle.stat();
    if (!stats.isFile()) return unusable('is no regular file', 'put a file of YAML in its place');
    if (stats.size > MAX_TRUST_BYTES) {
      return unusable(`has ${stats.size} bytes; at most ${MAX_TRUST_BYTES} are read`, 'remove old approvals');
    }
    const objection = await object(stats);
    if (objection !== null) return unusable(...objection);
    const bytes = await handle.readFile();
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'absent' };
    if (systemCode(error) === 'ELOOP') {
      return unusable('is a link', 'put the file itself in its place, or name it with --trust');
    }
    const why = systemCode(error) ?? errorText(error);
    return unusable(`cannot be read: ${why}`, 'make it a file of UTF-8 text that you may read');
  } finally {
    await handle?.close();
  }
}

/** Whoever may write the file, or put another one in its place, could approve in the operator's name (R1). */
async function ownersOnly(path: string, file: Stats): Promise<Objection> {
  const folder = dirname(path);
  return openToOthers(path, file) ?? openToOthers(folder, await stat(folder));
}

/** Why the own file may not be made in its folder: it would be refused there. Null when it may. */
export async function unfitFolder(path: string): Promise<Finding | null> {
  const objection = openToOthers(dirname(path), await stat(dirname(path)));
  return objection === null ? null : unusableFile(path, ...objection);
}

function openToOthers(place: string, { mode, uid }: Stats): Objection {
  if ((mode & 0o022) !== 0) {
    const octal = (mode & 0o777).toString(8);
    return [`may be written by others: ${place} has mode ${octal}`, `chmod go-w ${shellWord(place)}`];
  }
  const me = process.getuid?.();
  if (me === undefined || uid === me || uid === 0) return null;
  return [`belongs to another user: the owner of ${place} is number ${uid}`, 'make it your own'];
}

function wrong(path: string, what: string, remedy: string): SourceRead {
  return { source: null, findings: [unusableFile(path, what, remedy)] };
}

function unusableFile(path: string, what: string, remedy: string): Finding {
  const message = `the trust file ${what}`;
  return { code: 'unusable-trust-file', severity: 'error', path, message, remedy };
}
