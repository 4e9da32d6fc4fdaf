/** The section `worker` of the settings file: in which folders the workspaces lie that workers of this machine serve (engine.md §3). */

import { z } from 'zod';
import type { SettingsWorker } from './settings.js';
import type { Written } from './written.js';

/** Keys of the section, for the shape of the whole file. */
export const WORKER_SECTION = {
  worker: z.strictObject({ 'workspace-root': z.array(z.string().trim().min(1)).optional() }).optional(),
};

const section = z.object(WORKER_SECTION);

/** The section in working shape. */
export function workerSettings(
  { worker = {} }: z.infer<typeof section>,
  at: (path: readonly PropertyKey[], words: string) => Written,
): SettingsWorker {
  const roots = worker['workspace-root'] ?? [];
  return { workspaceRoots: roots.map((root, place) => at(['worker', 'workspace-root', place], root)) };
}
