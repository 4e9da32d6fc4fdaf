/** What `~/.bnerd.yaml` says, in working shape. `read-settings.ts` finds the file, `settings-file.ts` reads it. */

import type { Finding } from '../shared/findings.js';
import type { Written } from './written.js';

/** One rule of `permissions` (spec/team.md §3). */
export interface SettingsPermission {
  readonly tool: string;
  /** Null: whatever the call is about. */
  readonly match: string | null;
  readonly decision: 'allow' | 'ask' | 'deny';
}

export interface Settings {
  readonly missionRepository: Written | null;
  readonly model: string | null;
  readonly permissions: readonly SettingsPermission[];
  /** Values of the section `run`, by the name of their flag. */
  readonly run: ReadonlyMap<string, Written>;
  /** Warnings: what is written there and not in effect. */
  readonly findings: readonly Finding[];
}

/** How messages name the file. */
export const SETTINGS_PATH = '~/.bnerd.yaml';

/** What holds when there is no file. */
export const NO_SETTINGS: Settings = {
  missionRepository: null,
  model: null,
  permissions: [],
  run: new Map(),
  findings: [],
};
