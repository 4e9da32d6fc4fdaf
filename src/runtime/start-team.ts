/**
 * Starts a planned team: folder, texts, first entry (spec/team.md §7). The first entry holds roster, members,
 * tasks and order together: before it is on disk there is no team, and what was made for it is taken away again.
 */

import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../shared/digest.js';
import { FatalError, UserError } from '../shared/errors.js';
import { teamId, ulid } from '../shared/ids.js';
import { inFolder } from '../shared/make-folder.js';
import { openDesk } from './briefs/open-desk.js';
import { openRunKeys } from './briefs/run-keys.js';
import { briefPairs } from './briefs/shared-keys.js';
import { startControl } from './control/control-server.js';
import { copyWorkspace } from './copy-workspace.js';
import { engineOf } from './engine/engine-of.js';
import type { House } from './house.js';
import { type SignTeam, signingOf } from './key-ring.js';
import { LiveTeam, type TeamOptions } from './live-team.js';
import type { OpenedTeam, OpenTeam } from './open-team.js';
import type { RunPlan } from './plan/run-order.js';
import { secretInNames } from './plan/secret-names.js';
import { standingOf } from './standing/standing-of.js';
import { sharedParts } from './team-parts.js';
import { turnSeats } from './turns/turn-seats.js';
import { sharedWorkspace } from './workers/workspace-source.js';
import { workspaceFiles } from './workspace-files.js';

/**
 * Starts the team and lets it move. Rejects when the machine does not allow it; then nothing is left.
 * @param name the id that the operator has chosen; of two who start it at once one wins, and the other is told `team-held`,
 *   or `team-exists` when that team has ended already; one that holds a secret is refused (invariant 8)
 */
export async function startTeam(
  given: House,
  plan: RunPlan,
  options: TeamOptions,
  name: string | null = null,
): Promise<LiveTeam> {
  const house = plan.engine === 'files' ? { ...given, redis: null } : given;
  // The key that briefs are signed with is among those that the team starts with.
  if (house.redis !== null && plan.started.engineer !== null) await briefPairs(house);
  const sign = await signingOf(house);
  const id = name ?? teamId(plan.slug, ulid(house.clock.wallMs()));
  const folder = (await engineOf(house)).folder(id);
  // A workspace of the run lies in its folder, and is in the record by its path.
  const recorded = plan.started.workspace.kind === 'temp' ? [id, folder] : [id];
  const [secret] = secretInNames(house.secrets, recorded, name === null ? folder : '--id');
  if (secret !== undefined) throw new UserError(secret.code, secret.message, { findings: [secret] });
  const opened = await openFresh(house, id, folder, name !== null);
  if (opened.kind === 'held')
    throw new UserError('team-held', opened.finding.message, { findings: [opened.finding] });
  const { team } = opened;
  try {
    return await beginTeam(house, plan, options, team, sign);
  } catch (error) {
    await (await engineOf(house)).takeBack(team);
    throw error;
  }
}

/** Opens a folder for a team that is not there; what fails on the way leaves none behind, unless others may want it. */
async function openFresh(house: House, id: string, folder: string, chosen: boolean): Promise<OpenedTeam> {
  try {
    return await (await engineOf(house)).open(id, 'create');
  } catch (error) {
    // `team-exists`: then it is not ours after all. Under a chosen name it may be anybody's.
    if (!(error instanceof UserError) && !chosen) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Begins a planned team over a record that is open and empty, wherever it lies. Rejects when it cannot be begun; the
 * caller then runs the team's releases.
 * @param sign signs what it starts with; absent: nobody does
 */
export async function beginTeam(
  house: House,
  plan: RunPlan,
  options: TeamOptions,
  team: OpenTeam,
  sign: SignTeam = (started) => started,
): Promise<LiveTeam> {
  const workspace = await workspaceOf(house, plan, team);
  const own = plan.started.engineer !== null && house.redis === null;
  const keys = own ? await openRunKeys(team.folder) : undefined;
  const started = sign({ ...plan.started, team: team.id, workspace, keys: keys?.named ?? [] });
  const promptTexts = new Set([...plan.prompts.values()].flatMap((parts) => parts.map(({ text }) => text)));
  const texts = new Set([...promptTexts, ...plan.inputTexts, ...plan.entryTexts]);
  await Promise.all([...texts].map((text) => team.record.blobs.put(text)));
  const pace = plan.replay.begin(
    { team: team.id, folder: team.folder, workspace: workspace.path },
    team.store,
  );
  const briefs = await openDesk(house, team, started, pace === undefined ? 'real' : 'stand-in', keys);
  const live = new LiveTeam(
    {
      id: team.id,
      folder: team.folder,
      host: house.hostname,
      workspace: workspace.path,
      operator: house.user,
      // The recorded order says who works when; nobody may be kept out by one who waits for its place in it.
      concurrency: pace === undefined ? started.limits.concurrency : Number.MAX_SAFE_INTEGER,
      clock: house.clock,
      secrets: house.secrets,
      gates: house.gates,
      store: team.store,
      record: team.record,
      groups: team.groups,
      seats: await turnSeats(
        house,
        team,
        started,
        { models: plan.models, promptTexts: bySha256(promptTexts), entryTexts: bySha256(plan.entryTexts) },
        briefs,
      ),
      inputTexts: bySha256(plan.inputTexts),
      standing: standingOf(house, team, started, new Map()),
      releases: team.releases,
      lost: team.lock.lost,
      ...sharedParts(team),
      briefs,
      fileBytes: workspaceFiles(workspace.path, briefs?.git ?? null),
      ...(pace === undefined ? {} : { pace }),
    },
    // What was said then is said again; nobody else is asked.
    pace === undefined ? options : { ...options, operatorPresent: false },
  );
  plan.replay.onBroken((error) => live.fail(error));
  if (pace !== undefined) team.releases.add('pace', async () => pace.close());
  const outcome = await team.store.send('start', {
    kind: 'run.start',
    started,
    tasks: plan.tasks,
    entries: plan.entries,
  });
  if (outcome.kind === 'refused') throw new FatalError(outcome.code, outcome.message);
  if (team.shared === undefined) await startControl(house, team, live);
  else await team.shared.serve(started.limits.concurrency, started.grace_ms, (text) => live.note(text));
  plan.replay.speak(team.store);
  live.go();
  return live;
}

async function workspaceOf(
  house: House,
  plan: RunPlan,
  team: OpenTeam,
): Promise<RunPlan['started']['workspace']> {
  const { started, workspaceFrom } = plan;
  const workspace =
    started.workspace.kind === 'directory'
      ? started.workspace
      : await ownWorkspace(team.folder, workspaceFrom);
  if (team.shared === undefined) return workspace;
  return sharedWorkspace(house, team, { ...started, workspace }, workspaceFrom !== null);
}

async function ownWorkspace(folder: string, from: string | null): Promise<RunPlan['started']['workspace']> {
  const path = join(folder, 'workspace');
  await inFolder(path, 0o700, async () => {});
  if (from !== null) await copyWorkspace(from, path);
  return { kind: 'temp', path: await realpath(path) };
}

function bySha256(texts: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...texts].map((text) => [sha256(text), text]));
}
