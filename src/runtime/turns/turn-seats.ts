/** What a turn of each seat needs: its model, its prompt, its tools, bound to the places of the run. */

import type { Tool } from '../../agent/tool.js';
import type { FactOf } from '../../events/event.js';
import type { Seat } from '../../events/facts/frozen.js';
import type { Model, PromptPart } from '../../models/model.js';
import { BugError } from '../../shared/errors.js';
import { WORK_TOOLS, type WorkToolParts } from '../../tools/catalogue.js';
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
import type { TurnSeat } from './turn-house.js';

/**
 * Every seat of the roster, on-demand ones included, ready for turns.
 * @param entryTexts stored texts of entries by SHA-256: the tools that they provide are made of these
 * @param briefs where members delegate
 */
export async function turnSeats(
  house: House,
  team: OpenTeam,
  started: FactOf<'run.started'>,
  prompts: ReadonlyMap<string, readonly PromptPart[]>,
  models: ReadonlyMap<string, Model>,
  entryTexts: ReadonlyMap<string, string>,
  briefs: Pick<BriefDesk, 'delegating'> | null,
): Promise<ReadonlyMap<string, TurnSeat>> {
  const shared = sharedParts(house, started);
  const { wrap } = await wrapAtResume(house, started);
  const seats = new Map<string, TurnSeat>();
  for (const seat of started.seats) {
    const model = models.get(seat.role);
    const system = prompts.get(seat.member);
    if (model === undefined || system === undefined) {
      throw new BugError('no-seat', `no model or prompt was prepared for ${seat.member}`);
    }
    const shell = {
      roots: shared.files.roots,
      groups: team.groups.of(seat.member),
      git: shared.git,
      environment: {
        ...shellEnvironment(house.toolEnvironment, { team: team.id, member: seat.member }),
        [TEAM_MARK]: teamKey(team.folder),
      },
      graceMs: started.grace_ms,
      wrap,
      secrets: house.secrets,
    };
    const identity = { name: `bnerd ${seat.member}`, email: `${seat.member}@${team.id}.invalid` };
    const work = await workTools(seat, {
      ...shared,
      identity,
      shell,
      web: house.web,
      delegating: briefs?.delegating(seat.member) ?? null,
    });
    const provided = entryTools(seat, entryTexts, shell);
    const tools = seatTools(seat, (name) => work.get(name) ?? provided.get(name));
    seats.set(seat.member, { model, system, tools, patterns: seat.patterns });
  }
  return seats;
}

/** What all members of a team share: one guard, one writer of the workspace, one reader of repositories. */
function sharedParts(
  house: House,
  started: FactOf<'run.started'>,
): Pick<WorkToolParts, 'files' | 'changes' | 'git' | 'gitOptions'> {
  const roots = { workspace: started.workspace.path, reads: started.reads };
  const gitOptions = { roots, path: house.toolEnvironment['PATH'] ?? '', secrets: house.secrets };
  return {
    files: fileAccess(roots, house.secrets),
    changes: new FileChanges({ roots, editsAgents: started.edits_agents }),
    git: gitAccess(gitOptions),
    gitOptions,
  };
}

async function workTools(seat: Seat, parts: WorkToolParts): Promise<ReadonlyMap<string, Tool>> {
  const names = new Set(seat.tools.map((tool) => tool.name));
  const rows = WORK_TOOLS.filter((row) => names.has(row.name));
  return new Map(await Promise.all(rows.map(async (row) => [row.name, await row.make(parts)] as const)));
}
