/**
 * The tools of a chat (spec/skills.md §8): those of its mode, or those of the role it plays under the same safety.
 *
 *   chat  reads files and repositories, and pages of the web, each of which is confirmed
 *   code  all work tools; every Write and Destructive call, and every command, is confirmed
 *   pa    none of ours: an assistant works with what its skills bring, and each call of it is confirmed
 */

import type { Tool } from '../../agent/tool.js';
import type { Role } from '../../catalog/roles/role.js';
import type { Safety } from '../../events/facts/frozen.js';
import type { Finding } from '../../shared/findings.js';
import { gentleLadder } from '../../shared/process-ending.js';
import { ProcessGroups } from '../../shared/processes.js';
import type { Releases } from '../../shared/releases.js';
import { admits, type PermissionRule } from '../../team/policy/policy.js';
import { loadTools, WORK_TOOLS, type WorkToolParts, type WorkToolRow } from '../../tools/catalogue.js';
import { fileAccess } from '../../tools/files/file-access.js';
import { FileChanges } from '../../tools/files/file-changes.js';
import { gitAccess } from '../../tools/git/access.js';
import { shellEnvironment } from '../../tools/shell/environment.js';
import type { House } from '../house.js';
import { roleTools } from '../plan/role-tools.js';
import type { ChatMode } from './chat-order.js';

/** What a running tool gets when its round is stopped. */
const GRACE_MS = 5_000;

export interface ChosenTools {
  readonly rows: readonly WorkToolRow[];
  readonly patterns: readonly PermissionRule[];
  readonly findings: readonly Finding[];
}

/** The floor of a mode; `--safety` may only tighten it. */
export const MODE_SAFETY: Readonly<Record<ChatMode, Safety>> = {
  chat: 'read-only',
  code: 'full',
  pa: 'full',
};

/** The tools of a mode without a role. Nobody delegates from a chat: there is no team that an engineer could report to. */
const BASES: Readonly<Record<ChatMode, readonly WorkToolRow['base'][]>> = {
  chat: ['read'],
  code: ['read', 'write'],
  pa: [],
};

/** Which tools there are, by name. */
export function chosenTools(mode: ChatMode, role: Role | null, safety: Safety): ChosenTools {
  if (role !== null) {
    const tools = roleTools(
      { name: role.name, role, lead: false, planMode: false, confirms: false, delegates: false },
      safety,
    );
    const names = new Set(tools.tools.map(({ name }) => name));
    return { ...tools, rows: WORK_TOOLS.filter(({ name }) => names.has(name)) };
  }
  const bases: ReadonlySet<WorkToolRow['base']> = new Set(BASES[mode]);
  const rows = WORK_TOOLS.filter(({ base, least }) => bases.has(base) && admits(safety, least));
  return { rows, patterns: [], findings: [] };
}

/**
 * The parts that tools are made of, on the directory the program was started in.
 * @param wrap under what programs run, its program an absolute path; empty: as they are
 */
export function toolParts(
  house: House,
  name: string,
  wrap: readonly string[],
  releases: Releases,
): WorkToolParts {
  const roots = { workspace: house.workingDirectory, reads: [] };
  const git = { roots, path: house.toolEnvironment['PATH'] ?? '', secrets: house.secrets };
  const groups = new ProcessGroups({ folder: null });
  releases.add('programs of tools', async () => {
    await groups.endAll(gentleLadder(GRACE_MS));
  });
  const access = gitAccess(git);
  return {
    files: fileAccess(roots, house.secrets),
    changes: new FileChanges({ roots, editsAgents: false }),
    git: access,
    gitOptions: git,
    identity: { name: `bnerd ${name}`, email: `${name}@chat.invalid` },
    shell: {
      roots,
      groups,
      git: access,
      environment: shellEnvironment(house.toolEnvironment, { team: 'chat', member: name }),
      graceMs: GRACE_MS,
      wrap,
      secrets: house.secrets,
    },
    web: house.web,
    delegating: null,
  };
}

/** Makes the tools of some rows, in the order of the catalogue. */
export async function makeTools(
  rows: readonly WorkToolRow[],
  parts: WorkToolParts,
): Promise<ReadonlyMap<string, Tool>> {
  const makers = await loadTools(rows);
  return new Map([...makers].map(([name, make]) => [name, make(parts)]));
}
