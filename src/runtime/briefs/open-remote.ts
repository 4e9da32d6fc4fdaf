/** Opens the desk of a team on Redis, whose runners are processes of their own (spec/runner.md §3). */

import type { Deliveries } from '../../delegate/deliver/deliver.js';
import { Outbox } from '../../delegate/runner/outbox.js';
import type { FactOf } from '../../events/event.js';
import type { FrozenEngineer } from '../../events/facts/frozen.js';
import type { KeyPair } from '../../shared/signature.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { House } from '../house.js';
import type { OpenTeam } from '../open-team.js';
import { workspaceFiles } from '../workspace-files.js';
import { BriefDesk } from './brief-desk.js';
import { deniedRules } from './denied-rules.js';
import { BriefMaker } from './make-brief.js';
import { RemoteRunners } from './remote-runners.js';
import { acceptedRunners, briefPairs, listedPair } from './shared-keys.js';
import type { WorkspaceGit } from './workspace-git.js';

export interface RemotePlaces {
  readonly git: WorkspaceGit;
  readonly deliveries: Deliveries;
  /** Where results are put before they are taken in, on this machine. */
  readonly workdir: string;
}

/** @param link to its Redis; absent: nothing moves here, and only what lies on this machine is looked at */
export async function openRemoteDesk(
  house: House,
  team: OpenTeam,
  run: FactOf<'run.started'>,
  engineer: FrozenEngineer,
  { git, deliveries, workdir }: RemotePlaces,
  link: RedisLink | undefined,
): Promise<BriefDesk> {
  const { id, record, store } = team;
  const { bounds } = house.delegation;
  const pairs = await briefPairs(house);
  const { path: workspace } = run.workspace;
  const worker = (): KeyPair | undefined => listedPair(pairs, store.state);
  const parts = {
    team: id,
    workspace,
    engineers: 'real' as const,
    // What an engineer can be held to is known where its runner is.
    settings: undefined,
    run,
    store,
    blobs: record.blobs,
    outbox: new Outbox(workdir),
    runners: () => acceptedRunners(house, store.state),
    deliveries,
    git,
    maker: new BriefMaker({
      team: id,
      engineer,
      denied: (member) => deniedRules(run, member),
      worker,
      blobs: record.blobs,
      clock: house.clock,
      secrets: house.secrets,
      beginMs: bounds.beginMs,
    }),
    repository: async (commit: string, signal: AbortSignal) =>
      (await git.fetchable(commit, signal)) ?? workspace,
    deliverAgainMs: bounds.deliverAgainMs,
    wallMs: () => house.clock.wallMs(),
    monotonicMs: () => house.clock.monotonicMs(),
    fileBytes: workspaceFiles(workspace, git),
  };
  return new BriefDesk({
    ...parts,
    side: (words, activity) =>
      link === undefined
        ? ELSEWHERE
        : new RemoteRunners({ ...parts, link, worker, workdir, bounds }, words, activity),
  });
}

/** Another process is at the desk. */
const ELSEWHERE: ReturnType<ConstructorParameters<typeof BriefDesk>[0]['side']> = {
  takeUp: async () => [],
  go: () => {},
  sent: () => {},
  cancel: () => {},
  ended: () => {},
  close: async () => {},
  endLeft: async () => {},
};
