/**
 * What of a plan holds a secret (invariant 8). In words it is replaced and said; where it cannot be replaced the run is
 * refused: in an entry, whose stored text has to give its digest, and in a name or a path, which has to stay what it is.
 */

import type { Roster } from '../../catalog/roster.js';
import type { LoadedEntry, TaskSpec } from '../../events/facts/frozen.js';
import type { Finding } from '../../shared/findings.js';
import { placeholderWithin } from '../../shared/secrets/placeholder.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import { digestText } from '../../skills/digest.js';
import type { Registry } from '../../skills/registry.js';
import type { Loadouts } from './loadout.js';
import type { RunPlan } from './run-order.js';
import { NO_SECRET, secretInNames } from './secret-names.js';

/** For a value that is a word of everybody's. */
/** The parts of a plan that are looked at. */
export interface Looked {
  readonly started: Pick<
    RunPlan['started'],
    'recipe' | 'workspace' | 'reads' | 'mission' | 'project' | 'page'
  >;
  readonly tasks: readonly TaskSpec[];
  readonly loadouts: Pick<Loadouts, 'seats'>;
  readonly roster: Pick<Roster, 'recipe' | 'members'>;
  /** The entries that reach members. */
  readonly proofs: readonly Pick<LoadedEntry, 'digest'>[];
}

/** Errors and warnings; none where nothing secret is known. */
export function secretFindings(
  secrets: Redactor,
  looked: Looked,
  { files }: Pick<Registry, 'files'>,
): Finding[] {
  return [...inNames(secrets, looked), ...inEntries(secrets, looked, files), ...inFiles(secrets, looked)];
}

function inNames(secrets: Redactor, { started, tasks, loadouts }: Looked): Finding[] {
  const { recipe, workspace, reads, mission, project, page } = started;
  const names = {
    recipe: [recipe.slug, recipe.path],
    places: [workspace.path, reads, mission?.path, project, page],
    tasks: tasks.map(({ key, role, gates, artifacts }) => ({ key, role, gates, artifacts })),
    seats: loadouts.seats.map(({ member, role_path, model, model_file, tools }) => ({
      member,
      role_path,
      model,
      model_file,
      tools,
    })),
  };
  return secretInNames(secrets, names, started.recipe.path);
}

function inEntries(secrets: Redactor, { proofs }: Looked, files: Registry['files']): Finding[] {
  const digests = new Set(proofs.map(({ digest }) => digest));
  return files.flatMap((file) => {
    if (file.kind !== 'loaded' || !digests.has(file.entry.digest)) return [];
    const text = digestText(file.entry);
    const clean = secrets.text(text);
    if (clean === text) return [];
    const { kind, name, path } = file.entry;
    return [
      {
        code: 'secret-in-entry',
        severity: 'error',
        path,
        message: `the ${kind} ${name} holds a secret (${placeholderWithin(clean) ?? ''}): its text would be stored under its digest, and sent to the model`,
        remedy: `take the value out of the file, and give its new text your approval; or ${NO_SECRET}`,
      } satisfies Finding,
    ];
  });
}

function inFiles(secrets: Redactor, { roster }: Looked): Finding[] {
  const { recipe, members } = roster;
  const texts = [
    { path: recipe.path, text: recipe.contract },
    ...members.map(({ role }) => ({ path: role.path, text: role.prompt })),
  ];
  return texts.flatMap(({ path, text }) => {
    const clean = secrets.text(text);
    if (clean === text) return [];
    return [
      {
        code: 'secret-in-file',
        severity: 'warning',
        path,
        message: `the text holds a secret; the prompt has ${placeholderWithin(clean) ?? 'its placeholder'} in its place`,
        remedy: 'take the value out of the file',
      } satisfies Finding,
    ];
  });
}
