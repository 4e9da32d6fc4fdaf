/**
 * What a turn of each seat needs: its model, its prompt, its tools, bound to the places of the run. Prompt and tools are made
 * when a turn begins, of what is here already, and go with it: of a member that waits there is its model, which others have
 * as well, and nothing else.
 *
 * Always true: a prompt is put together of the recorded parts, whose texts were checked against their digests, in the
 * recorded order; so it has the same bytes in every turn (invariant 11).
 */

import type { FactOf } from '../../events/event.js';
import type { Seat } from '../../events/facts/frozen.js';
import type { Model, PromptPart } from '../../models/model.js';
import { BugError } from '../../shared/errors.js';
import { loadTools, WORK_TOOLS, type WorkToolParts } from '../../tools/catalogue.js';
import { fileAccess } from '../../tools/files/file-access.js';
import { FileChanges } from '../../tools/files/file-changes.js';
import { gitAccess } from '../../tools/git/access.js';
import { shellEnvironment } from '../../tools/shell/environment.js';
import type { BriefDesk } from '../briefs/brief-desk.js';
import type { House } from '../house.js';
import { type OpenTeam, TEAM_MARK, teamKey } from '../open-team.js';
import { wrapAtResume } from '../shell-wrap.js';
import { entryTools } from './entry-tools.js';
import { seatTools } from './member-tools.js';
import type { TurnSeat, TurnSeats } from './turn-house.js';

/** What the seats of a run are made of. */
export interface SeatParts {
  /** By role. */
  readonly models: ReadonlyMap<string, Model>;
  /** Stored texts by SHA-256: of the parts of prompts, and of entries that provide tools. */
  readonly promptTexts: ReadonlyMap<string, string>;
  readonly entryTexts: ReadonlyMap<string, string>;
}

/**
 * The seats of the roster, on-demand ones included. Rejects with `FatalError` (`tool-unusable`) where this version cannot make
 * a tool that an entry provides.
 * @param briefs where members delegate
 */
export async function turnSeats(
  house: House,
  team: Pick<OpenTeam, 'id' | 'folder' | 'groups' | 'store'>,
  started: FactOf<'run.started'>,
  parts: SeatParts,
  briefs: Pick<BriefDesk, 'delegating'> | null,
): Promise<TurnSeats> {
  const shared = sharedParts(house, started);
  const { wrap } = await wrapAtResume(house, started);
  const makers = await loadTools(
    WORK_TOOLS.filter((row) =>
      started.seats.some(({ tools }) => tools.some(({ name }) => name === row.name)),
    ),
  );
  const provided = entryTools(started.seats, parts.entryTexts);
  const { grace_ms: graceMs } = started;
  // The seats are those of the state, which has them in any case: what was handed in is let go.
  const seatOf = (member: string): Seat => {
    const { run, members } = team.store.state;
    const seat = members.get(member)?.seat ?? run?.seats.find((each) => each.member === member);
    if (seat === undefined) throw new BugError('no-seat', `no seat is recorded of ${member}`);
    return seat;
  };
  const modelOf = ({ member, role }: Seat): Model => {
    const model = parts.models.get(role);
    if (model === undefined) throw new BugError('no-seat', `no model was opened for ${member}`);
    return model;
  };
  const toolsOf = (seat: Seat): TurnSeat['tools'] => {
    const work = workParts(house, team, seat, { ...shared, wrap, graceMs, briefs });
    return seatTools(seat, (name) => makers.get(name)?.(work) ?? provided(seat, name)?.(work.shell));
  };
  for (const seat of started.seats) modelOf(seat); // Refused now, and not in the middle of the run.
  return {
    model: (member) => modelOf(seatOf(member)),
    seat: (member) => {
      const seat = seatOf(member);
      return {
        model: modelOf(seat),
        system: promptOf(seat, parts.promptTexts),
        tools: toolsOf(seat),
        patterns: seat.patterns,
      };
    },
  };
}

/** A turn begins only when all its member's texts are whole (`Standing`), so that each of them is there. */
function promptOf(seat: Seat, texts: ReadonlyMap<string, string>): readonly PromptPart[] {
  return seat.parts.map(({ name, sha256 }) => {
    const text = texts.get(sha256);
    if (text === undefined) throw new BugError('no-text', `no text of ${name} is there for ${seat.member}`);
    return { name, text };
  });
}

type Shared = Pick<WorkToolParts, 'files' | 'changes' | 'git' | 'gitOptions'>;

/** What all members of a team share: one guard, one writer of the workspace, one reader of repositories. */
function sharedParts(house: House, started: FactOf<'run.started'>): Shared {
  const roots = { workspace: started.workspace.path, reads: started.reads };
  const gitOptions = { roots, path: house.toolEnvironment['PATH'] ?? '', secrets: house.secrets };
  return {
    files: fileAccess(roots, house.secrets),
    changes: new FileChanges({ roots, editsAgents: started.edits_agents }),
    git: gitAccess(gitOptions),
    gitOptions,
  };
}

/** What work tools of one member are made of. */
function workParts(
  house: House,
  team: Pick<OpenTeam, 'id' | 'folder' | 'groups'>,
  { member }: Seat,
  shared: Shared & {
    readonly wrap: readonly string[];
    readonly graceMs: number;
    readonly briefs: Pick<BriefDesk, 'delegating'> | null;
  },
): WorkToolParts {
  const { files, changes, git, gitOptions, wrap, graceMs, briefs } = shared;
  return {
    files,
    changes,
    git,
    gitOptions,
    identity: { name: `bnerd ${member}`, email: `${member}@${team.id}.invalid` },
    shell: {
      roots: files.roots,
      groups: team.groups.of(member),
      git,
      environment: {
        ...shellEnvironment(house.toolEnvironment, { team: team.id, member }),
        [TEAM_MARK]: teamKey(team.folder),
      },
      graceMs,
      wrap,
      secrets: house.secrets,
    },
    web: house.web,
    delegating: briefs?.delegating(member) ?? null,
  };
}
