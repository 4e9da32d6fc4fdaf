/**
 * What a run says of delegated work, frozen when it starts (spec/runner.md §2, spec/team.md §1 `engineer`): which engineer,
 * and for each member that delegates the entries that ride its briefs.
 *
 * Always true: `repo-workspace` is granted here and nowhere else; what cannot ride is refused by name before any model is
 * asked; a recipe without an engineer, or a machine without one, gives nobody a tool to delegate with, and says so.
 */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe, RecipeEngineer } from '../../catalog/recipes/recipe.js';
import type { Roster, RosterMember } from '../../catalog/roster.js';
import { ride } from '../../delegate/brief/riding.js';
import { ENGINEER_KINDS } from '../../delegate/engineers/kinds.js';
import type { FrozenEngineer } from '../../events/facts/frozen.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding, FindingPlace } from '../../shared/findings.js';
import { throughGates } from '../../skills/choose/gates.js';
import { NamedEntries } from '../../skills/choose/named-entries.js';
import { CAPABILITIES, type Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import { Remarks } from '../../skills/remark.js';

/** What rides every brief. */
const BASELINE: readonly string[] = ['implementation-craft', 'verification-before-handoff'];

/** What is listed for the gate unless the recipe says other: tests, and what decides how they run. */
export const PROTECTED: readonly string[] = [
  '**/test/**',
  '**/tests/**',
  '**/__tests__/**',
  '**/*.test.*',
  '**/*.spec.*',
  '**/*_test.*',
  '.github/**',
  '.gitlab-ci.yml',
  '.circleci/**',
  'Jenkinsfile',
];

/** An engineer sends nothing on. */
const OF_ENGINEERS = CAPABILITIES.filter((capability) => capability !== 'delegate');

export type ChosenEngineer =
  | { readonly kind: 'engineer'; readonly of: string; readonly findings: readonly Finding[] }
  /** Nobody delegates in this team. */
  | { readonly kind: 'none'; readonly findings: readonly Finding[] };

/**
 * The kind of engineer of a recipe.
 * @param kinds those that the operator has set up
 * @param elsewhere others may be set up where runners are
 */
export function chooseEngineer(
  recipe: Recipe,
  roster: Roster,
  { kinds, elsewhere }: { readonly kinds: readonly string[]; readonly elsewhere: boolean },
): ChosenEngineer {
  const delegating = roster.members.filter(({ role }) => role.delegate);
  const none = (...findings: Finding[]): ChosenEngineer => ({ kind: 'none', findings });
  const { engineer } = recipe;
  if (engineer === null)
    return none(...delegating.map(({ role }) => withoutRecipe(placeIn(role, ['delegate']))));
  const at = placeIn(recipe, ['engineer']);
  if (delegating.length === 0)
    return none(
      notice(
        at,
        'warning',
        '`engineer` is not in effect: no role of this team says delegate: true',
        'let a role delegate, or remove it',
      ),
    );
  const { kind } = engineer;
  if (kind !== null && !ENGINEER_KINDS.includes(kind)) {
    const message = `engineer.kind: there is no engineer "${kind}"`;
    return none({
      code: 'unknown-engineer',
      severity: 'error',
      ...placeIn(recipe, ['engineer', 'kind']),
      message,
      remedy: nameRemedy(kind, ENGINEER_KINDS),
    });
  }
  const [first] = kinds;
  if (kind === null && first === undefined)
    return none(
      notice(
        at,
        'info',
        'nothing is delegated: no engineer is set up on this machine',
        'set one up under runner.engineers in ~/.bnerd.yaml, for instance claude-code: {}',
      ),
    );
  if (kind !== null && !kinds.includes(kind) && !elsewhere)
    return none({
      code: 'no-engineer',
      severity: 'error',
      ...placeIn(recipe, ['engineer', 'kind']),
      message: `engineer.kind: ${kind} is not set up on this machine`,
      remedy: `set it up under runner.engineers in ~/.bnerd.yaml; set up ${kinds.length === 0 ? 'is none' : `are ${kinds.join(', ')}`}`,
    });
  return { kind: 'engineer', of: kind ?? first ?? '', findings: [] };
}

export interface FrozenDelegation {
  readonly engineer: FrozenEngineer | null;
  /** Everything that rides a brief of any member, each once: its text is kept. */
  readonly entries: readonly Entry[];
  readonly findings: readonly Finding[];
}

/**
 * Freezes what a run delegates with.
 * @param delegating members that have the tool
 */
export function freezeDelegation(
  recipe: Recipe,
  delegating: readonly RosterMember[],
  kind: string,
  registry: Registry,
): FrozenDelegation {
  const { engineer } = recipe;
  if (engineer === null || delegating.length === 0) return { engineer: null, entries: [], findings: [] };
  const entries = new Map<string, Entry>();
  const findings: Finding[] = [];
  const delegates: FrozenEngineer['delegates'] = [];
  for (const member of delegating) {
    const chosen = ridingEntries(recipe, engineer, member, registry);
    findings.push(...chosen.findings);
    for (const entry of chosen.entries) entries.set(entry.digest, entry);
    const rides = ride(chosen.entries);
    if (rides.kind === 'refused') continue; // Said among the findings, by name.
    delegates.push({
      member: member.name,
      entries: rides.riding.map((one) => ({
        kind: one.kind,
        name: one.name,
        version: one.version,
        digest: one.digest,
        rendered_sha256: one.rendered_sha256,
        origin: one.origin,
        license: one.license ?? null,
        upstream: one.upstream ?? null,
      })),
    });
  }
  return {
    engineer: {
      pool: engineer.pool,
      labels: [...engineer.labels],
      kind,
      model: engineer.model,
      verify: [...engineer.verify].map(([key, argv]) => ({ key, argv: [...argv] })),
      protect: [...(engineer.protect ?? PROTECTED)],
      policy: engineer.policy,
      offers: engineer.offers,
      delegates,
    },
    entries: [...entries.values()],
    findings,
  };
}

/** What rides the briefs of a member, and every name that cannot. */
function ridingEntries(
  recipe: Recipe,
  engineer: RecipeEngineer,
  { role }: RosterMember,
  registry: Registry,
): { readonly entries: readonly Entry[]; readonly findings: readonly Finding[] } {
  const named = new NamedEntries(registry);
  const sources = [
    { names: BASELINE, place: { path: recipe.path } },
    { names: engineer.skills, place: placeIn(recipe, ['engineer', 'skills']) },
    { names: role.engineerSkills, place: placeIn(role, ['engineer_skills']) },
  ];
  const findings: Finding[] = [];
  for (const { names, place } of sources) {
    const remarks = new Remarks(place.path);
    named.addAll(names, place.path, remarks);
    findings.push(...remarks.findings.map((one) => (one.path === place.path ? { ...one, ...place } : one)));
  }
  const gated = throughGates(named.instruction, OF_ENGINEERS);
  const rides = ride(gated.entries);
  const refused = [
    ...named.reference.map(({ name }) => ({
      name,
      reason: 'it is not trusted here, so it may not instruct',
    })),
    ...gated.omitted.map(({ entry, detail }) => ({ name: entry.name, reason: detail })),
    ...gated.rejected.map(({ entry, capability }) => ({
      name: entry.name,
      reason: `it requires ${capability}, which no engineer is granted`,
    })),
    ...(rides.kind === 'refused' ? rides.refusals : []),
  ];
  const placeOf = (name: string): FindingPlace =>
    (role.engineerSkills.includes(name) ? sources[2] : sources[1])?.place ?? { path: recipe.path };
  return {
    entries: gated.entries,
    findings: [
      ...findings,
      ...refused.map(
        ({ name, reason }): Finding => ({
          code: 'not-riding',
          severity: 'error',
          ...placeOf(name),
          message: `${name} cannot ride a brief: ${reason}`,
          remedy: 'take it off the list, or have it governed: version and origin known, knowledge only',
        }),
      ),
    ],
  };
}

function withoutRecipe(at: FindingPlace): Finding {
  return notice(
    at,
    'warning',
    '`delegate` is not in effect: the recipe says nothing of an `engineer`',
    'write engineer: in the recipe',
  );
}

function notice(at: FindingPlace, severity: 'info' | 'warning', message: string, remedy: string): Finding {
  return { code: 'not-in-effect', severity, ...at, message, remedy };
}
