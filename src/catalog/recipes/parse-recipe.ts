/**
 * From the text of `team.md` to a recipe: read, check the shape, set every default, check what has to agree.
 */

import { type Finding, hasErrors } from '../../shared/findings.js';
import { promptBody } from '../../shared/frontmatter.js';
import { innerPath } from '../../shared/inner-path.js';
import { spellingIn } from '../../shared/role-identity.js';
import { catalogueDigest } from '../files/file-digest.js';
import { splitNames } from '../files/name-list.js';
import { shapeOf } from '../files/shape.js';
import type { SourceFile } from '../files/source-file.js';
import { readMapping, type WrittenMapping } from '../files/written-mapping.js';
import { resolveLimits } from './limits.js';
import type { Recipe, RecipeEngineer, RecipeTask, RecipeVariable, Workspace } from './recipe.js';
import { checkRecipe } from './recipe-checks.js';
import { type EngineerFile, type RecipeFile, recipeFile, type TaskFile } from './recipe-file.js';
import { recipeKeyFindings } from './recipe-keys.js';

export type RecipeLoad =
  | { readonly kind: 'loaded'; readonly recipe: Recipe; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Reads a recipe from the text of its file. Refused exactly when one of the findings is an error. */
export function parseRecipe(source: SourceFile, slug: string): RecipeLoad {
  const read = readMapping(source.path, source.text);
  if (read.kind === 'refused') return read;
  const keys = recipeKeyFindings(read.mapping, source.path);
  const shaped = shapeOf(recipeFile, read.mapping, source.path);
  if (shaped.kind === 'does-not-fit') return refused([...keys, ...shaped.findings]);
  const recipe = resolveRecipe(shaped.value, read.mapping, source, slug);
  const findings = [...keys, ...checkRecipe(recipe)].sort(byLine);
  return hasErrors(findings) ? refused(findings) : { kind: 'loaded', recipe, findings };
}

function refused(findings: readonly Finding[]): RecipeLoad {
  return { kind: 'refused', findings: [...findings].sort(byLine) };
}

function byLine(one: Finding, other: Finding): number {
  return (one.line ?? 0) - (other.line ?? 0);
}

function resolveRecipe(
  written: RecipeFile,
  mapping: WrittenMapping,
  source: SourceFile,
  slug: string,
): Recipe {
  const spelled = (name: string): string => spellingIn(name, written.roles) ?? name;
  const contract = promptBody(mapping.body);
  return {
    slug,
    path: source.path,
    tier: source.tier,
    digest: catalogueDigest('recipe', source.text),
    asked: source.asked ?? null,
    name: written.name,
    description: written.description,
    lead: spelled(written.lead),
    roles: written.roles,
    onDemand: unique((written.on_demand ?? []).map(spelled)),
    size: sizeOf(written.size),
    repos: typeof written.repos === 'string' ? [written.repos] : (written.repos ?? []),
    whenToUse: written.when_to_use ?? null,
    mode: written.mode ?? null,
    safety: written.safety ?? 'read-only',
    planApproval: written.plan_approval ?? false,
    workspace: workspaceOf(written.workspace),
    reads: unique((written.reads ?? []).map(normalPath)),
    pathBase: source.tier === 'mission' ? 'mission-repository' : 'working-directory',
    model: written.model ?? null,
    tasks: (written.tasks ?? []).map((task) => resolveTask(task, spelled)),
    permissions: (written.permissions ?? []).map((rule) => ({ ...rule, match: rule.match ?? null })),
    process: written.process ?? null,
    page: written.page ?? null,
    limits: resolveLimits(written.limits ?? {}),
    engineer: written.engineer === undefined ? null : resolveEngineer(written.engineer),
    editsAgents: written.edits_agents ?? false,
    variables: resolveVariables(written.variables ?? {}),
    contract,
    // `promptBody` takes one line break from the head.
    contractLine: mapping.bodyLine + (contract !== '' && mapping.body.startsWith('\n') ? 1 : 0),
    lines: mapping.lines,
  };
}

function sizeOf(written: RecipeFile['size']): Recipe['size'] {
  if (typeof written === 'string') return /^\d+$/.test(written) ? Number(written) : written;
  return written ?? null;
}

function workspaceOf(written: string | undefined): Workspace {
  if (written === undefined) return { kind: 'working-directory' };
  return written === 'temp' ? { kind: 'temp' } : { kind: 'inner', path: normalPath(written) };
}

function resolveTask(written: TaskFile, spelled: (name: string) => string): RecipeTask {
  return {
    id: written.id,
    subject: written.subject,
    description: written.description?.trim() ?? '',
    role: written.role === undefined ? null : spelled(written.role),
    blockedBy: unique(written.blocked_by ?? []),
    gates: unique((written.gates ?? []).map(spelled)),
    acceptance: written.acceptance ?? [],
    artifacts: unique((written.artifacts ?? []).map(normalPath)),
    required: written.required ?? false,
    skills: splitNames(written.skills ?? []),
    upstream: written.upstream ?? 'wait',
  };
}

/** How often a brief of a dead runner is offered again unless the recipe says otherwise (spec/runner.md §3). */
const DEFAULT_OFFERS = 2;

function resolveEngineer(written: EngineerFile): RecipeEngineer {
  return {
    pool: written.pool ?? null,
    labels: written.labels ?? [],
    kind: written.kind ?? null,
    model: written.model ?? null,
    verify: new Map(Object.entries(written.verify ?? {})),
    skills: splitNames(written.skills ?? []),
    protect: written.protect ?? null,
    policy: written.policy ?? 'review',
    offers: written.offers ?? DEFAULT_OFFERS,
  };
}

function resolveVariables(written: NonNullable<RecipeFile['variables']>): RecipeVariable[] {
  return Object.entries(written).map(([name, variable]) => ({
    name,
    description: variable.description?.trim() ?? '',
    default: variable.default === undefined ? null : String(variable.default),
    required: variable.required ?? variable.default === undefined,
  }));
}

/** The schema has refused what has no normal form. */
function normalPath(written: string): string {
  return innerPath(written) ?? written;
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
