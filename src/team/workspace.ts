/**
 * Where a team's workspace is, and which turns have to be there (spec/engine.md §3). Of one process it is none of this: it
 * has the workspace and takes every turn.
 *
 *  P1 whoever touches no file can be served anywhere;
 *  P2 a workspace that nobody of the team may write is the same everywhere it is checked out;
 *  P3 one that somebody may write is bound to one machine at a time: the first turn that may write it does that, and from
 *     then on those who only read it go there too, for what they are to read is what was written there;
 *  P4 when that machine is lost it starts again from the newest commit that is in the record, on whichever binds it next;
 *  P5 one that nobody else can make anew is where the run was started, and all who use it go there.
 */

import type { FactOf } from '../events/event.js';
import type { Seat } from '../events/facts/frozen.js';

export interface Workspace {
  /** Whether somebody of the team may write it. */
  readonly written: boolean;
  /** The machine that it is bound to; null: to none yet, or to none any more. */
  readonly host: string | null;
  /** The newest commit of it that others can get: what is checked out elsewhere. Null: none was recorded. */
  readonly commit: string | null;
  /** How often its machine was lost: each time another takes its place, made anew. */
  readonly losses: number;
}

export const NO_WORKSPACE: Workspace = { written: false, host: null, commit: null, losses: 0 };

/** What a member does with the files of the workspace. */
export type WorkspaceUse = 'none' | 'reads' | 'writes';

/**
 * Where a turn is to be served: by anybody (`any`); by anybody who binds the workspace to its machine first (`binds`); by
 * one machine.
 */
export type Place = 'any' | 'binds' | { readonly host: string };

/** Work tools that touch no file. */
const FILELESS: ReadonlySet<string> = new Set(['web_fetch']);

/**
 * What a seat does with the workspace, by its tools: it writes when one of them may have such an effect and the run's
 * safety admits it. Whoever delegates writes too: what an engineer delivers lands in the repository.
 */
export function workspaceUse(
  { tools }: Pick<Seat, 'tools'>,
  safety: FactOf<'run.started'>['safety'],
): WorkspaceUse {
  let use: WorkspaceUse = 'none';
  for (const tool of tools) {
    if (tool.class === 'coordination' || FILELESS.has(tool.name)) continue;
    if (safety !== 'read-only' && tool.class !== 'read') return 'writes';
    use = 'reads';
  }
  return use;
}

/** The workspace of a team that starts: bound to no machine where another can make the same, else to its own. */
export function freshWorkspace({ seats, safety, workspace }: FactOf<'run.started'>): Workspace {
  const { source, host = null } = workspace;
  return {
    written: seats.some((seat) => workspaceUse(seat, safety) === 'writes'),
    host: source === undefined ? host : null,
    commit: typeof source === 'object' ? source.commit : null,
    losses: 0,
  };
}

/** Whether a machine has the files as the team has left them; a run of one process has them where it is. */
export function isOn(
  { run, workspace }: { readonly run: FactOf<'run.started'> | null; readonly workspace: Workspace },
  host: string,
): boolean {
  const started = run?.workspace.host;
  if (started === undefined) return true;
  return (workspace.host ?? (workspace.losses === 0 ? started : null)) === host;
}

/** Where the turns of a seat are to be served now. */
export function placeOf(
  { run, workspace }: { readonly run: FactOf<'run.started'> | null; readonly workspace: Workspace },
  seat: Pick<Seat, 'tools'>,
): Place {
  // One that nobody may write and that is bound to nobody is anywhere, whatever is done with it.
  if (run === null || (workspace.host === null && !workspace.written)) return 'any';
  const use = workspaceUse(seat, run.safety);
  if (use === 'none') return 'any';
  if (workspace.host !== null) return { host: workspace.host };
  return use === 'writes' ? 'binds' : 'any';
}
