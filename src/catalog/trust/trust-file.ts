/**
 * What a trust file says (spec/team.md §1, spec/skills.md §4), and the reading of its text.
 *
 *     version: 1
 *     files:      approvals of one text of one file each
 *     places:     repositories trusted for good
 *     revoked:    { files: […], places: […] }; a revocation names what it takes away by as few parts as it likes
 *
 * Every part that an entry names must match what is asked about. How many parts it must name is said by whose file
 * it is. Nothing in a trust file is ignored: what is not understood might have been a revocation.
 */

import { z } from 'zod';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { type Finding, placeAt } from '../../shared/findings.js';
import { shownPath } from '../../shared/key-path.js';
import { shapeOf, unknownKeys } from '../files/shape.js';
import { lineAt, readYamlMapping, type WrittenMapping } from '../files/written-mapping.js';

/** Whose file it is: the operator's own, one brought by `--trust`, or that of a named mission repository. */
export type TrustHolder = 'own' | 'extra' | 'mission';

const line = (words: string) =>
  z
    .string()
    .regex(/^[^\p{Cc}\u2028\u2029]{1,200}$/u, { error: `${words} on one line, at most 200 characters` });
const kind = z.enum(['recipe', 'role', 'entry']);
const tier = z.enum(['project', 'mission']);
const path = z.string().refine(staysInside, { error: 'a path relative to the root, with no ".." in it' });
const place = z.string().regex(/^\/[^\0]*$/, { error: 'an absolute path, links followed' });
const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, { error: 'a commit in full' });
const digest = z.string().regex(/^1:[0-9a-f]{64}$/, { error: '"1:" and 64 hex digits' });
const at = line('a time');

const approval = z.object({
  kind,
  tier,
  path,
  root: place.optional(),
  root_commit: commit.optional(),
  digest,
  approver: line('a name'),
  at,
});

const placeApproval = z.object({
  path: place.optional(),
  root_commit: commit,
  approver: line('a name'),
  at,
});

const fileRevocation = z.object({
  kind: kind.optional(),
  tier: tier.optional(),
  path: path.optional(),
  root: place.optional(),
  root_commit: commit.optional(),
  digest: digest.optional(),
  revoker: line('a name'),
  at,
});

const placeRevocation = z.object({
  path: place.optional(),
  root_commit: commit.optional(),
  revoker: line('a name'),
  at,
});

const trustFile = z.object({
  version: z.literal(1),
  files: z.array(approval).optional(),
  places: z.array(placeApproval).optional(),
  revoked: z
    .object({
      files: z.array(fileRevocation).optional(),
      places: z.array(placeRevocation).optional(),
    })
    .optional(),
});

export type FileApproval = z.infer<typeof approval>;
export type PlaceApproval = z.infer<typeof placeApproval>;
export type FileRevocation = z.infer<typeof fileRevocation>;
export type PlaceRevocation = z.infer<typeof placeRevocation>;

/** A trust file in working shape: what it does not have is empty. */
export interface TrustFile {
  readonly files: readonly FileApproval[];
  readonly places: readonly PlaceApproval[];
  readonly revokedFiles: readonly FileRevocation[];
  readonly revokedPlaces: readonly PlaceRevocation[];
}

export type TrustFileRead =
  /** Findings are warnings: what is written there and does not count. */
  | { readonly kind: 'read'; readonly file: TrustFile; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Reads the text of a trust file. Total: everything that is not understood refuses the file, with the line.
 * @param shown the file as findings name it
 */
export function parseTrustFile(text: string, shown: string, holder: TrustHolder): TrustFileRead {
  const read = readYamlMapping(shown, text);
  if (read.kind === 'refused') return read;
  const { mapping } = read;
  const unknown = unknownKeys(trustFile, mapping).map(({ path: at, known, line: found }) => {
    const key = String(at.at(-1));
    const message = `\`${shownPath(at)}\` is no key of a trust file; allowed here: ${known.join(', ')}`;
    return finding(shown, found, 'unknown-key', message, nameRemedy(key, known));
  });
  const shaped = shapeOf(trustFile, mapping, shown);
  if (shaped.kind === 'does-not-fit') return { kind: 'refused', findings: [...unknown, ...shaped.findings] };
  const { files = [], places = [], revoked = {} } = shaped.value;
  const file: TrustFile = {
    files,
    places,
    revokedFiles: revoked.files ?? [],
    revokedPlaces: revoked.places ?? [],
  };
  const findings = [...unknown, ...missingParts(file, mapping, shown, holder)];
  if (findings.length > 0) return { kind: 'refused', findings };
  return { kind: 'read', file, findings: holder === 'mission' ? withoutEffect(file, mapping, shown) : [] };
}

/** What an entry must name so that it cannot count where nobody meant it to. */
function missingParts(
  file: TrustFile,
  mapping: WrittenMapping,
  shown: string,
  holder: TrustHolder,
): Finding[] {
  const findings: Finding[] = [];
  const missing = (where: readonly PropertyKey[], what: string, remedy: string): void => {
    const message = `\`${shownPath(where)}\` ${what}`;
    findings.push(finding(shown, lineAt(mapping.lines, where), 'missing-field', message, remedy));
  };
  for (const [index, entry] of file.files.entries()) {
    if (entry.root !== undefined || (holder !== 'own' && entry.root_commit !== undefined)) continue;
    const needs = holder === 'own' ? '`root`' : '`root` or `root_commit`';
    missing(
      ['files', index],
      `must name ${needs}: the same text elsewhere is not approved by it`,
      `add ${needs}`,
    );
  }
  if (holder === 'own') {
    for (const [index, entry] of file.places.entries()) {
      if (entry.path !== undefined) continue;
      missing(['places', index], 'must name `path`: forks have the same root commit', 'add `path`');
    }
  }
  for (const [index, entry] of file.revokedFiles.entries()) {
    if ([entry.path, entry.root, entry.root_commit, entry.digest].some((part) => part !== undefined))
      continue;
    const parts = 'one of `path`, `root`, `root_commit`, `digest`';
    missing(['revoked', 'files', index], `must name ${parts}`, 'say what is revoked');
  }
  for (const [index, entry] of file.revokedPlaces.entries()) {
    if (entry.path !== undefined || entry.root_commit !== undefined) continue;
    missing(['revoked', 'places', index], 'must name `path` or `root_commit`', 'say what is revoked');
  }
  return findings;
}

/** A mission repository speaks for files of projects; it was named itself, and trusts no place for the operator. */
function withoutEffect(file: TrustFile, mapping: WrittenMapping, shown: string): Finding[] {
  const warning = (where: readonly PropertyKey[], message: string, remedy: string): Finding => ({
    ...finding(shown, lineAt(mapping.lines, where), 'not-in-effect', message, remedy),
    severity: 'warning',
  });
  const findings: Finding[] = [];
  if (file.places.length > 0) {
    const message = '`places` is not in effect in the trust file of a mission repository';
    findings.push(
      warning(['places'], message, 'approve files there, or trust the place with bnerd trust --repo'),
    );
  }
  for (const [index, { tier: of }] of file.files.entries()) {
    if (of === 'project') continue;
    const message = `\`files[${index}]\` approves a file of the tier ${of}; a mission's trust file counts for project files`;
    findings.push(
      warning(['files', index], message, 'remove it: the repository was named, so its files count'),
    );
  }
  return findings;
}

/** Backslashes are part of a name here: the paths are of the machine that asks. */
function staysInside(text: string): boolean {
  if (text === '' || text.length > 4_096 || text.startsWith('/') || text.includes('\0')) return false;
  return text.split('/').every((step) => step !== '..' && step !== '.' && step !== '');
}

function finding(
  shown: string,
  at: number | undefined,
  code: string,
  message: string,
  remedy: string,
): Finding {
  return { code, severity: 'error', ...placeAt(shown, at), message, remedy };
}
