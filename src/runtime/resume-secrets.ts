/**
 * What of a record holds a value that nobody kept from it, for it was no secret, or not known, when that was written
 * (invariant 8). Models and readers of today do not get it; a name stays what it is, and refuses the resume.
 */

import type { FactOf } from '../events/event.js';
import type { Finding } from '../shared/findings.js';
import { placeholderWithin } from '../shared/secrets/placeholder.js';
import { NO_SECRETS } from '../shared/secrets/redactor.js';
import type { House } from './house.js';
import type { OpenTeam } from './open-team.js';
import { secretInNames } from './plan/secret-names.js';

/**
 * An error for a name, a warning for any other text; none where nothing of the record is secret now.
 * @param promptTexts the texts of the system prompts as they are recorded, by SHA-256
 */
export async function recordedSecrets(
  { secrets }: House,
  { id, folder, record, store }: Pick<OpenTeam, 'id' | 'folder' | 'record' | 'store'>,
  run: FactOf<'run.started'>,
  promptTexts: ReadonlyMap<string, string>,
): Promise<Finding[]> {
  if (secrets === NO_SECRETS) return [];
  const { tasks, messages, requests, members } = store.state;
  const { recipe, workspace, reads, mission, project, seats } = run;
  const names = {
    places: [id, recipe.slug, recipe.path, workspace.path, reads, mission?.path, project],
    members: [...members.keys()],
    seats: seats.map(({ member, role, role_path, model, model_file, tools }) => {
      return { member, role, role_path, model, model_file, tools };
    }),
    tasks: [...tasks.values()].map(({ spec: { key, role, gates, artifacts } }) => {
      return { key, role, gates, artifacts };
    }),
  };
  const inNames = secretInNames(secrets, names, id);
  if (inNames.length > 0) return inNames;
  const texts: unknown[] = [
    run,
    [...promptTexts.values()],
    [...tasks.values()],
    [...messages.values()],
    [...requests.values()],
  ];
  for (const { member } of seats) texts.push(await record.transcripts.read(member));
  const found = texts.flatMap((text) => {
    const clean = secrets.value(text);
    return clean === text ? [] : [placeholderWithin(clean) ?? 'a secret'];
  });
  const [first] = found;
  if (first === undefined) return [];
  return [
    {
      code: 'secret-in-record',
      severity: 'warning',
      path: folder,
      message: `the record holds the value of ${first}, written before it was known to be secret: no model is sent it from here on, and it still stands there`,
      remedy:
        'change the value where it is used, and put the team away with bnerd team cleanup --purge when it has ended',
    },
  ];
}
