/**
 * The files that count only by somebody's word: what `bnerd trust` lists and shows (spec/team.md §1).
 *
 * Always true: each file is read once; digest, findings, facts and verdict of a subject are those of its `text`, so
 * that what is approved is what was shown.
 */

import { relative, sep } from 'node:path';
import { catalogueDigest } from '../../catalog/files/file-digest.js';
import {
  type FoundFile,
  type FoundRecipe,
  findRecipeFiles,
  findRoleFiles,
} from '../../catalog/files/find-files.js';
import { readSource } from '../../catalog/files/source-file.js';
import { parseRecipe } from '../../catalog/recipes/parse-recipe.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import { parseRole } from '../../catalog/roles/parse-role.js';
import type { Role } from '../../catalog/roles/role.js';
import { type CataloguePlace, type CataloguePlaces, recipePlaces, rolePlaces } from '../../catalog/tiers.js';
import type { TrustedFile } from '../../catalog/trust/edit-trust-file.js';
import type { TrustQuestion, TrustVerdict } from '../../catalog/trust.js';
import type { Finding } from '../../shared/findings.js';
import { fileStem } from '../../shared/role-identity.js';
import { roleTools } from '../plan/role-tools.js';

/** A line of what a reviewer wants to know first: `safety: full`. */
export interface TrustFact {
  readonly label: string;
  readonly value: string;
}

/** A file that counts only by somebody's word. */
export interface TrustSubject {
  readonly kind: 'recipe' | 'role' | 'rule' | 'skill';
  /** What a person calls it: slug or name; the stem of the file where none can be read. */
  readonly name: string;
  /** As it was found, absolute. */
  readonly path: string;
  /** As entries of trust files name it. */
  readonly file: TrustedFile;
  readonly state: SubjectState;
}

export type SubjectState =
  | {
      readonly kind: 'readable';
      readonly question: TrustQuestion;
      readonly verdict: TrustVerdict;
      /** Without BOM, with LF: what the digest was made of, or of whose fields it was. */
      readonly text: string;
      readonly facts: readonly TrustFact[];
      readonly findings: readonly Finding[];
    }
  /** It has no digest, so nobody can approve it. */
  | { readonly kind: 'unreadable'; readonly findings: readonly Finding[] };

export interface TrustSubjects {
  /** Recipes, roles, then entries; in the order of their places and paths. */
  readonly subjects: readonly TrustSubject[];
  /** What is wrong with places. */
  readonly findings: readonly Finding[];
}

/** Every recipe and role of the places that need a word. */
export async function catalogueSubjects(places: CataloguePlaces): Promise<TrustSubjects> {
  const subjects: TrustSubject[] = [];
  const findings: Finding[] = [];
  for (const place of needingWord(recipePlaces(places))) {
    const found = await findRecipeFiles(place);
    findings.push(...found.findings);
    for (const file of found.files) subjects.push(await recipeSubject(file));
  }
  for (const place of needingWord(rolePlaces(places))) {
    const found = await findRoleFiles(place);
    findings.push(...found.findings);
    for (const file of found.files) subjects.push(await roleSubject(file));
  }
  return { subjects, findings };
}

/** The places whose files count only when somebody has approved them. */
export function needingWord<Place extends CataloguePlace>(places: readonly Place[]): Place[] {
  return places.filter(({ approval }) => approval !== null);
}

/** A file as an approval would name it. */
export function trustedFile(
  kind: TrustQuestion['kind'],
  { path, root, tier }: Pick<FoundFile, 'path' | 'root' | 'tier'>,
): TrustedFile {
  return {
    kind,
    tier: tier === 'mission' ? 'mission' : 'project',
    root,
    path: relative(root, path).split(sep).join('/'),
  };
}

/** A text as it is digested and shown. */
export function normalText(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

async function recipeSubject(file: FoundRecipe): Promise<TrustSubject> {
  const subject = {
    kind: 'recipe',
    name: file.slug,
    path: file.path,
    file: trustedFile('recipe', file),
  } as const;
  const source = await readSource(file.path, file.root);
  if (source.kind === 'unreadable') {
    return { ...subject, state: { kind: 'unreadable', findings: [source.finding] } };
  }
  const load = parseRecipe({ path: file.path, tier: file.tier, text: source.text }, file.slug);
  const facts = load.kind === 'loaded' ? recipeFacts(load.recipe) : [];
  return { ...subject, state: await judged('recipe', file, source.text, facts, load.findings) };
}

async function roleSubject(file: FoundFile): Promise<TrustSubject> {
  const subject = { kind: 'role', path: file.path, file: trustedFile('role', file) } as const;
  const stem = fileStem(file.path);
  const source = await readSource(file.path, file.root);
  if (source.kind === 'unreadable') {
    return { ...subject, name: stem, state: { kind: 'unreadable', findings: [source.finding] } };
  }
  const load = parseRole({ path: file.path, tier: file.tier, text: source.text });
  const name = load.kind === 'loaded' ? load.role.name : stem;
  const { facts, findings } = load.kind === 'loaded' ? roleFacts(load.role) : { facts: [], findings: [] };
  const state = await judged('role', file, source.text, facts, [...load.findings, ...findings]);
  return { ...subject, name, state };
}

async function judged(
  kind: 'recipe' | 'role',
  file: FoundFile,
  text: string,
  facts: readonly TrustFact[],
  findings: readonly Finding[],
): Promise<SubjectState> {
  const question = { ...trustedFile(kind, file), digest: catalogueDigest(kind, text) };
  return {
    kind: 'readable',
    question,
    verdict: await verdictOn(question, file),
    text: normalText(text),
    facts,
    findings,
  };
}

/** The word on a question about a file of a place that needs one. */
async function verdictOn(
  question: TrustQuestion,
  { approval }: Pick<CataloguePlace, 'approval'>,
): Promise<TrustVerdict> {
  return approval === null ? { kind: 'untrusted', changed: false } : approval.trust.verdict(question);
}

/** What a team of this recipe may do, before anything else. */
function recipeFacts(recipe: Recipe): TrustFact[] {
  const { safety, lead, roles, workspace, reads, permissions, editsAgents, model, tasks, engineer } = recipe;
  return [
    { label: 'safety', value: safety },
    { label: 'lead', value: lead },
    { label: 'roles', value: roles.join(', ') },
    ...(workspace.kind === 'inner' ? [{ label: 'workspace', value: workspace.path }] : []),
    ...listed('reads', reads),
    ...permissions.map(({ tool, match, decision }) => ({
      label: 'permission',
      value: [decision, tool, ...(match === null ? [] : [match])].join(' '),
    })),
    ...(editsAgents ? [{ label: 'edits_agents', value: 'true: members may write agent folders' }] : []),
    ...(model === null ? [] : [{ label: 'model', value: model }]),
    ...(engineer === null
      ? []
      : [{ label: 'engineer', value: engineer.kind ?? 'as set up on this machine' }]),
    ...[...(engineer?.verify ?? [])].map(([key, argv]) => ({
      label: 'engineer verify',
      value: `${key}: ${argv.join(' ')}`,
    })),
    ...listed(
      'tasks',
      tasks.map(({ id }) => id),
    ),
  ];
}

/** What a member of this role may be given at most: a run can only take away. */
function roleFacts(role: Role): {
  readonly facts: readonly TrustFact[];
  readonly findings: readonly Finding[];
} {
  const planMode = role.permissionMode === 'plan';
  const { tools, patterns, findings } = roleTools(
    { name: role.name, role, lead: false, planMode, confirms: false, delegates: role.delegate },
    'full',
  );
  const calls = (decision: 'allow' | 'deny'): string[] =>
    patterns.filter((one) => one.decision === decision).map(({ tool, match }) => `${tool} ${match}`);
  const work = tools.filter(({ name }) => !name.startsWith('team_') && name !== 'ask_question');
  const written =
    role.tools === null ? 'not listed' : role.tools.length === 0 ? 'none' : role.tools.join(', ');
  return {
    findings,
    facts: [
      { label: 'tools as written', value: written },
      {
        label: 'tools at most',
        value: work.length === 0 ? 'coordination' : work.map(({ name }) => name).join(', '),
      },
      ...listed('disallowed tools', role.disallowedTools),
      ...listed('only these calls, unasked', calls('allow')),
      ...listed('never these calls', calls('deny')),
      { label: 'permission mode', value: role.permissionMode },
      ...(role.model === null ? [] : [{ label: 'model', value: role.model }]),
      ...listed('skills', role.skills),
      ...(role.delegate ? [{ label: 'delegate', value: 'true' }] : []),
    ],
  };
}

/** One fact of a list, none of an empty one. */
export function listed(label: string, values: readonly string[]): TrustFact[] {
  return values.length === 0 ? [] : [{ label, value: values.join(', ') }];
}
