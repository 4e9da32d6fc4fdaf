/**
 * What a resumed run says of the files around it: which of its own have changed since it started, reported and never
 * used, and which others are not used because nobody approved them.
 *
 * Always true: the places are those of the record, whatever this process was told, and each file is compared with
 * itself, so that another file of its name, trusted or not, is no change of it. No text read here reaches a model.
 */

import { parse } from 'node:path';
import { listRecipes, listRoles, loadRecipe, loadRoles } from '../catalog/catalogue.js';
import { catalogueDigest } from '../catalog/files/file-digest.js';
import { readSource } from '../catalog/files/source-file.js';
import type { CataloguePlaces } from '../catalog/tiers.js';
import { UNTRUSTED } from '../catalog/trust.js';
import type { FactOf } from '../events/event.js';
import type { LoadedEntry } from '../events/facts/frozen.js';
import type { Finding } from '../shared/findings.js';
import { roleIdentity } from '../shared/role-identity.js';
import { RULE_KEPT } from '../skills/decide/rule-guard.js';
import type { Registry } from '../skills/registry.js';
import type { DisabledName } from '../skills/settings.js';
import type { Task } from '../team/show/view.js';
import type { House } from './house.js';
import { loadEntries } from './load-entries.js';

type Started = FactOf<'run.started'>;

/** What a resume says of the files around it, beside what has changed. */
const SAID_AGAIN: readonly string[] = [UNTRUSTED, RULE_KEPT];

/** What is found of the files around a run. */
export interface Drift {
  /** One per recipe, role or entry that differs from the recorded one, is gone or disabled, and per file not used. */
  readonly findings: readonly Finding[];
  /** Recorded entries that are disabled by now. */
  readonly disabled: readonly Pick<DisabledName, 'name' | 'place'>[];
}

/**
 * Looks at the files of a recorded run as they are now.
 * @param tasks of its board, for what rides with them
 */
export async function driftOf(house: House, run: Started, tasks: Iterable<Task>): Promise<Drift> {
  const places = recordedPlaces(house, run);
  const { packageRoot, trust } = house;
  const builtin = { packageRoot, global: null, project: null, mission: null, trust };
  const registry = await loadEntries(house, places);
  const said = [
    ...(await listRecipes(places)).findings,
    ...(await listRoles(places)).findings,
    ...registry.findings,
  ];
  const recorded = [...run.seats.flatMap(({ entries }) => entries), ...riding(tasks)];
  const disabled = disabledEntries(registry, run);
  const findings = [
    ...(await changedRecipe(builtin, run)),
    ...(await changedRoles(builtin, run)),
    ...changedEntries(registry, recorded),
    ...disabled.map(disabledSince),
    ...said.filter(({ code }) => SAID_AGAIN.includes(code)),
  ];
  return { findings, disabled };
}

function disabledEntries({ disabled }: Registry, { seats }: Started): Drift['disabled'] {
  const names = new Set(seats.flatMap(({ entries }) => entries.map(({ name }) => name)));
  return [...disabled.values()]
    .filter(({ name }) => names.has(name))
    .map(({ name, place }) => ({ name, place }));
}

function disabledSince({ name, place }: Drift['disabled'][number]): Finding {
  return {
    code: 'disabled-since-start',
    severity: 'warning',
    path: place,
    message: `${name} is disabled; members that have it keep the recorded text, and no further member is given it`,
    remedy: 'stop the team if it has to go at once',
  };
}

function recordedPlaces({ packageRoot, global, trust }: House, run: Started): CataloguePlaces {
  return { packageRoot, global, project: run.project, mission: run.mission, trust };
}

/** A built-in file is the one of that name in this package, wherever it is installed by now. */
async function changedRecipe(builtin: CataloguePlaces, { recipe }: Started): Promise<Finding[]> {
  const now = async (): Promise<string | undefined> => {
    if (recipe.tier !== 'builtin') return digestAt('recipe', recipe.path);
    const load = await loadRecipe(builtin, recipe.slug);
    return load.kind === 'loaded' ? load.recipe.digest : undefined;
  };
  return (await now()) === recipe.digest ? [] : [changed(recipe.path, `recipe ${recipe.slug}`)];
}

async function changedRoles(builtin: CataloguePlaces, { seats }: Started): Promise<Finding[]> {
  const ofPackage = seats.filter((seat) => seat.role_tier === 'builtin').map(({ role }) => role);
  const loaded = ofPackage.length === 0 ? undefined : await loadRoles(builtin, ofPackage);
  const findings: Finding[] = [];
  for (const seat of seats) {
    const load = loaded?.byIdentity.get(roleIdentity(seat.role));
    const ofNow = load?.kind === 'loaded' ? load.role.digest : undefined;
    const digest = seat.role_tier === 'builtin' ? ofNow : await digestAt('role', seat.role_path);
    if (digest !== seat.role_digest) findings.push(changed(seat.role_path, `role ${seat.role}`));
  }
  return findings;
}

/** What the recipe names for tasks, whoever would be told it. */
function riding(tasks: Iterable<Task>): LoadedEntry[] {
  return [...tasks].flatMap(({ spec }) => spec.skills.flatMap(({ entries }) => entries));
}

function changedEntries({ files }: Registry, recorded: readonly LoadedEntry[]): Finding[] {
  const entries = new Map(recorded.map((entry) => [entry.name, entry]));
  return [...entries.values()].flatMap(({ kind, name, tier, digest }) => {
    const now = files.filter(
      (file) => file.kind === 'loaded' && file.entry.name === name && file.entry.tier === tier,
    );
    const same = now.some((file) => file.kind === 'loaded' && file.entry.digest === digest);
    return same ? [] : [changed(now.at(-1)?.path ?? name, `${kind} ${name}`)];
  });
}

/** The digest of a file as it is now; undefined when it is gone or no text any more. */
async function digestAt(kind: 'recipe' | 'role', path: string): Promise<string | undefined> {
  const source = await readSource(path, parse(path).root);
  return source.kind === 'read' ? catalogueDigest(kind, source.text) : undefined;
}

function changed(path: string, what: string): Finding {
  return {
    code: 'changed-since-start',
    severity: 'warning',
    path,
    message: `${what} has changed since the run started; the recorded text is used`,
    remedy: 'start a new run to use the new text',
  };
}
