/**
 * Every tool there is, one row each: its class, who may have it, and for work tools how it is made. The order is
 * the order in which a model is shown them. Modules of tools are loaded when somebody is to have one, so that
 * listing names costs nothing.
 */

import type { Tool, ToolClass } from '../agent/tool.js';
import { BugError } from '../shared/errors.js';
import type { GitIdentity } from '../shared/git.js';
import type { Delegating } from './delegate-engineer.js';
import type { FileAccess } from './files/file-access.js';
import type { FileChanges } from './files/file-changes.js';
import type { GitAccess } from './git/access.js';
import type { GitAccessOptions } from './git/repository.js';
import type { ShellOptions } from './shell-exec.js';
import type { WebSettings } from './web/settings.js';

/** What work tools are made of. `changes` and the groups in `shell` are one for the whole process. */
export interface WorkToolParts {
  readonly files: FileAccess;
  readonly changes: FileChanges;
  readonly git: GitAccess;
  readonly gitOptions: GitAccessOptions;
  /** Author and committer of this member's commits. */
  readonly identity: GitIdentity;
  readonly shell: ShellOptions;
  readonly web: WebSettings;
  /** Null: the member does not delegate. */
  readonly delegating: Delegating | null;
}

export interface WorkToolRow {
  readonly kind: 'work';
  readonly name: string;
  readonly class: Exclude<ToolClass, 'coordination'>;
  /** The mildest class a call of it may have: what the safety floor admits it by. */
  readonly least: Exclude<ToolClass, 'coordination'>;
  /** Part of `base: read`; `base: write` has both; `delegate`: of roles that delegate, whatever their base is. */
  readonly base: 'read' | 'write' | 'delegate';
  /** Loads what makes the tool: from then on it is made anew for each turn, at no wait. */
  load(): Promise<WorkToolMaker>;
}

/** Makes a tool for one member. */
export type WorkToolMaker = (parts: WorkToolParts) => Tool;

export interface CoordinationToolRow {
  readonly kind: 'coordination';
  readonly name: string;
  readonly class: 'coordination';
  readonly who: 'everyone' | 'plan' | 'lead' | 'confirming lead' | 'delegate' | 'delegating lead';
}

export type ToolRow = WorkToolRow | CoordinationToolRow;

/** Work tools, in order. */
export const WORK_TOOLS: readonly WorkToolRow[] = [
  work('fs_read_file', 'read', async () => {
    const { fsReadFile } = await import('./fs-read-file.js');
    return ({ files }) => fsReadFile(files);
  }),
  work('fs_list', 'read', async () => {
    const { fsList } = await import('./fs-list.js');
    return ({ files }) => fsList(files);
  }),
  work('fs_glob', 'read', async () => {
    const { fsGlob } = await import('./fs-glob.js');
    return ({ files }) => fsGlob(files);
  }),
  work('fs_grep', 'read', async () => {
    const { fsGrep } = await import('./fs-grep.js');
    return ({ files }) => fsGrep(files);
  }),
  work('fs_write_file', 'write', async () => {
    const { fsWriteFile } = await import('./fs-write-file.js');
    return ({ changes }) => fsWriteFile(changes);
  }),
  work('fs_edit_file', 'write', async () => {
    const { fsEditFile } = await import('./fs-edit-file.js');
    return ({ files, changes }) => fsEditFile(files, changes);
  }),
  work('fs_delete', 'destructive', async () => {
    const { fsDelete } = await import('./fs-delete.js');
    return ({ changes }) => fsDelete(changes);
  }),
  work('git_status', 'read', async () => {
    const { gitStatus } = await import('./git-status.js');
    return ({ git }) => gitStatus(git);
  }),
  work('git_diff', 'read', async () => {
    const { gitDiff } = await import('./git-diff.js');
    return ({ git }) => gitDiff(git);
  }),
  work('git_log', 'read', async () => {
    const { gitLog } = await import('./git-log.js');
    return ({ git }) => gitLog(git);
  }),
  work('git_show', 'read', async () => {
    const { gitShow } = await import('./git-show.js');
    return ({ git }) => gitShow(git);
  }),
  work('git_blame', 'read', async () => {
    const { gitBlame } = await import('./git-blame.js');
    return ({ git }) => gitBlame(git);
  }),
  work('git_commit', 'write', async () => {
    const { gitCommit } = await import('./git-commit.js');
    return ({ gitOptions, identity }) => gitCommit({ ...gitOptions, identity });
  }),
  {
    // Classed per call: under a read-only floor its Read-class commands are still of use.
    ...work('shell_exec', 'write', async () => {
      const { shellExec } = await import('./shell-exec.js');
      return ({ shell }) => shellExec(shell);
    }),
    least: 'read',
  },
  work('web_fetch', 'read', async () => {
    const { fetchOptions, webFetch } = await import('./web-fetch.js');
    return ({ web, files }) => webFetch(fetchOptions(web), { secrets: files.secrets });
  }),
  {
    // Classed per call, by what the engineer may do.
    ...work('delegate_engineer', 'write', async () => {
      const { delegateEngineer } = await import('./delegate-engineer.js');
      return ({ delegating }) => {
        if (delegating === null)
          throw new BugError('no-delegation', 'a member that does not delegate has its tool');
        return delegateEngineer(delegating);
      };
    }),
    least: 'read',
    base: 'delegate',
  },
];

/** What makes the tools of these rows, by name and in their order. */
export async function loadTools(rows: readonly WorkToolRow[]): Promise<ReadonlyMap<string, WorkToolMaker>> {
  return new Map(await Promise.all(rows.map(async (row) => [row.name, await row.load()] as const)));
}

/** Coordination tools, in order; they are made elsewhere. */
export const COORDINATION_TOOLS: readonly CoordinationToolRow[] = [
  coordination('team_send_message', 'everyone'),
  coordination('team_task_claim', 'everyone'),
  coordination('team_task_complete', 'everyone'),
  coordination('team_task_list', 'everyone'),
  coordination('team_task_get', 'everyone'),
  coordination('team_task_release', 'everyone'),
  coordination('team_task_block', 'everyone'),
  coordination('team_review', 'everyone'),
  coordination('team_overview', 'everyone'),
  coordination('team_plan_submit', 'plan'),
  coordination('team_task_create', 'lead'),
  coordination('team_task_update', 'lead'),
  coordination('team_spawn', 'lead'),
  coordination('team_stop_member', 'lead'),
  coordination('team_plan_decide', 'lead'),
  coordination('team_request_decide', 'confirming lead'),
  coordination('team_finish', 'lead'),
  coordination('delegate_status', 'delegate'),
  coordination('delegate_cancel', 'delegate'),
  coordination('delegate_adopt', 'delegating lead'),
  coordination('ask_question', 'everyone'),
];

/** All rows. */
export const TOOLS: readonly ToolRow[] = [...WORK_TOOLS, ...COORDINATION_TOOLS];

function work(name: string, toolClass: WorkToolRow['class'], load: WorkToolRow['load']): WorkToolRow {
  const base = toolClass === 'read' ? 'read' : 'write';
  return { kind: 'work', name, class: toolClass, least: toolClass, base, load };
}

function coordination(name: string, who: CoordinationToolRow['who']): CoordinationToolRow {
  return { kind: 'coordination', name, class: 'coordination', who };
}
