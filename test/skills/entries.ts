/** Entries and the files they come from, as the tests of this folder need them. */

import type { SkillPlace, Tree } from '../../src/catalog/tiers.js';
import { NO_APPROVALS, type TrustVerdict } from '../../src/catalog/trust.js';
import { entryDigest } from '../../src/skills/digest.js';
import type { Entry, EntrySource } from '../../src/skills/entry.js';
import type { LoadedFile } from '../../src/skills/read/entry-file.js';
import { decideRegistry, type Registry } from '../../src/skills/registry.js';

/** A whole entry; its digest fits the fields. */
export function anEntry(fields: Partial<Entry> = {}): Entry {
  const name = fields.name ?? 'an-entry';
  const kind = fields.kind ?? 'skill';
  const entry: Omit<Entry, 'digest'> = {
    kind,
    name,
    version: '1.0.0',
    description: `What ${name} is for`,
    body: `Body of ${name}.`,
    alwaysOn: kind === 'rule',
    keywords: [],
    appliesTo: null,
    requires: [],
    allowedTools: null,
    tools: [],
    process: false,
    page: 'optional',
    data: {},
    origin: 'proprietary',
    license: null,
    upstream: null,
    vetted: null,
    tier: 'builtin',
    path: kind === 'rule' ? `pkg/skills/rules/${name}.md` : `pkg/skills/${name}/SKILL.md`,
    trust: 'instruction',
    support: 'full',
    ...fields,
  };
  return { ...entry, digest: entryDigest(entry) };
}

/** What a file of an entry is when its path alone is given. */
export interface GivenFile {
  readonly strict?: boolean;
  /** The word of the operator; absent: the file counts by where it lies. */
  readonly verdict?: TrustVerdict;
}

/** Folders of one tier in ascending precedence; a path belongs to the first that fits. */
const FOLDERS: readonly (readonly [RegExp, Tree, SkillPlace['layout']])[] = [
  [/^(.*(?:rules|skills))\/[^/]+\.md$/, 'bnerd', 'flat'],
  [/^(.*\.agents\/skills)\/[^/]+\/SKILL\.md$/, 'agents', 'directory'],
  [/^(.*\.claude\/skills)\/[^/]+\/SKILL\.md$/, 'claude', 'directory'],
  [/^(.*)\/[^/]+\/SKILL\.md$/, 'bnerd', 'directory'],
];

const TIER_ORDER = ['builtin', 'global', 'project', 'mission'];

/** A file as it would have been read, its place told from the path of the entry. */
export function fileOf(
  entry: Entry,
  { strict = entry.tier === 'builtin', verdict }: GivenFile = {},
): LoadedFile {
  const row = FOLDERS.findIndex(([pattern]) => pattern.test(entry.path));
  const [pattern, tree, layout] = FOLDERS[row] ?? [/^(.*)$/, 'bnerd', 'flat'];
  const folder = pattern.exec(entry.path)?.[1] ?? '';
  const asked = entry.tier === 'mission' ? 'mission' : 'project';
  const approval = verdict === undefined ? null : ({ tier: asked, trust: NO_APPROVALS } as const);
  return {
    kind: 'loaded',
    path: entry.path,
    place: { tier: entry.tier, tree, layout, folder, root: '/', kind: entry.kind, approval },
    rank: TIER_ORDER.indexOf(entry.tier) * FOLDERS.length + row,
    expectedName: entry.name,
    strict,
    findings: [],
    entry,
    approval:
      verdict === undefined
        ? null
        : {
            question: { kind: 'entry', tier: asked, root: '/', path: entry.path, digest: entry.digest },
            verdict,
          },
  };
}

/** The registry of these entries, each trusted unless `given` says otherwise; open files unless they are built in. */
export function registryOf(entries: readonly Entry[], given: GivenFile = {}): Registry {
  return decideRegistry(entries.map((entry) => fileOf(entry, given)));
}

/** The fields of a valid governed file. */
export const VALID = {
  name: 'an-entry',
  version: '1.0.0',
  description: 'What it is for',
  origin: 'proprietary',
} as const;

/** The text of a governed file; a field that is null is left out. */
export function governedText(
  fields: Readonly<Record<string, string | null>> = {},
  body = '\nThe body.\n',
): string {
  const lines = Object.entries({ ...VALID, ...fields }).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

/** Where the file of `VALID` lies. */
export const SOURCE: EntrySource = {
  path: 'skills/an-entry/SKILL.md',
  tier: 'builtin',
  tree: 'package',
  layout: 'directory',
  expectedName: 'an-entry',
  kind: 'skill',
};

/** The text of an open file of these lines. */
export function openText(lines: readonly string[], body = 'The body.\n'): string {
  return ['---', ...lines, '---', body].join('\n');
}

/** The least that an open file has to say. */
export const NAMED = ['name: an-entry', 'description: What it is for'] as const;

/** Where an open file lies. */
export const OPEN_SOURCE: EntrySource = {
  path: '.bnerd/skills/an-entry/SKILL.md',
  tier: 'project',
  tree: 'bnerd',
  layout: 'directory',
  expectedName: 'an-entry',
  kind: 'skill',
};
