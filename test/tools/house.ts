/** A workspace and a read root on disk, with the work tools over them. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ok, type Tool, type ToolResult } from '../../src/agent/tool.js';
import { KILL_LADDER } from '../../src/shared/process-ending.js';
import { ProcessGroups } from '../../src/shared/processes.js';
import { NO_SECRETS, type Redactor } from '../../src/shared/secrets/redactor.js';
import type { WorkToolParts } from '../../src/tools/catalogue.js';
import { WORK_TOOLS } from '../../src/tools/catalogue.js';
import type { WalkMode } from '../../src/tools/files/descriptor-walk.js';
import { fileAccess } from '../../src/tools/files/file-access.js';
import { FileChanges } from '../../src/tools/files/file-changes.js';
import type { Roots } from '../../src/tools/files/roots.js';
import { gitAccess } from '../../src/tools/git/access.js';
import { shellEnvironment } from '../../src/tools/shell/environment.js';
import { NO_WEB_SETTINGS, type WebSettings } from '../../src/tools/web/settings.js';
import { tempDir } from '../helpers/temp-dir.js';

export interface House {
  /** Holds workspace, read root and what lies outside of both. */
  readonly top: string;
  readonly roots: Roots;
  readonly parts: WorkToolParts;
  readonly groups: ProcessGroups;
  tool(name: string): Promise<Tool>;
  /** Prepares and runs a call; a refusal is given as a failed result. */
  call(name: string, args: unknown, signal?: AbortSignal): Promise<ToolResult>;
  /** Writes a file of the workspace, or elsewhere below `top` when the path begins with `../`. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  text(path: string): Promise<string>;
}

export interface HouseOptions {
  readonly editsAgents?: boolean;
  readonly mode?: WalkMode;
  readonly graceMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly web?: Partial<WebSettings>;
  readonly secrets?: Redactor;
}

const PATH = process.env['PATH'] ?? '/usr/bin:/bin';

export async function house(options: HouseOptions = {}): Promise<House> {
  const top = await tempDir('tools');
  const roots = { workspace: join(top, 'workspace'), reads: [join(top, 'library')] };
  for (const path of [roots.workspace, ...roots.reads, join(top, 'outside')]) await mkdir(path);
  const groups = new ProcessGroups({ folder: join(top, 'processes') });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
    expect(groups.live).toEqual([]);
  });
  const { secrets = NO_SECRETS } = options;
  const gitOptions = { roots, path: PATH, secrets };
  const git = gitAccess(gitOptions);
  const environment = shellEnvironment(
    { PATH, HOME: top, ...options.environment },
    { team: 'run-test', member: 'writer' },
  );
  const parts: WorkToolParts = {
    files: fileAccess(roots, secrets, options.mode),
    changes: new FileChanges({
      roots,
      editsAgents: options.editsAgents ?? false,
      ...(options.mode === undefined ? {} : { mode: options.mode }),
    }),
    git,
    gitOptions,
    identity: { name: 'bnerd writer', email: 'writer@bnerd.invalid' },
    shell: { roots, groups, git, environment, graceMs: options.graceMs ?? 2_000, secrets },
    web: { ...NO_WEB_SETTINGS, ...options.web },
    delegating: {
      kind: 'command',
      safety: 'non-destructive',
      pool: null,
      verifyKeys: ['test'],
      costRequired: false,
      unheld: () => null,
      send: async ({ task }) => ok(`brief for ${task}`),
    },
  };
  const tool = async (name: string): Promise<Tool> => {
    const row = WORK_TOOLS.find((each) => each.name === name);
    if (row === undefined) throw new Error(`no tool ${name}`);
    return (await row.load())(parts);
  };
  return {
    top,
    roots,
    parts,
    groups,
    tool,
    async call(name, args, signal = new AbortController().signal) {
      const made = await tool(name);
      const prepared = await made.prepare(args);
      if (prepared.kind === 'refused') return { text: prepared.text, outcome: 'error' };
      return made.run(JSON.parse(JSON.stringify(prepared.arguments)), signal);
    },
    async put(path, content) {
      const place = join(roots.workspace, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
    },
    text: (path) => readFile(join(roots.workspace, path), 'utf8'),
  };
}

/** The digest that an answer names. */
export function digestIn(result: ToolResult): string {
  const { text } = result;
  const found = (/digest is now ([0-9a-f]{64})/.exec(text) ?? /digest ([0-9a-f]{64})/.exec(text))?.[1];
  if (found === undefined) throw new Error(`no digest in: ${result.text}`);
  return found;
}
