/** What `~/.bnerd.yaml` says, in working shape. `read-settings.ts` finds the file, `settings-file.ts` reads it. */

import type { Finding } from '../shared/findings.js';
import type { SecretPattern } from '../shared/secrets/find-secrets.js';
import type { SecretVariables } from './secret-names.js';
import type { DURABILITIES } from './settings-keys.js';
import type { Written } from './written.js';

/** One rule of `permissions` (spec/team.md §3). */
export interface SettingsPermission {
  readonly tool: string;
  /** Null: whatever the call is about. */
  readonly match: string | null;
  readonly decision: 'allow' | 'ask' | 'deny';
}

/** One model of the section `models` (spec/team.md §9). Prices in US dollars per million tokens. */
export interface SettingsModel {
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: {
    readonly input: number;
    readonly cachedInput: number;
    readonly cacheWrite: number;
    readonly output: number;
  } | null;
}

/** One provider of the section `providers`. */
export interface SettingsProvider {
  readonly baseUrl: string | null;
  /** Name of the variable that holds the key; never the key. */
  readonly apiKeyVariable: string | null;
}

/** The sections `skills` and `chat` (spec/skills.md §3, §4, §6, §8). Null: nobody said. Lines are of the file. */
export interface SettingsSkills {
  readonly disabled: readonly { readonly name: string; readonly line: number }[];
  readonly globalTrust: 'instruction' | 'reference' | null;
  readonly maxBytes: number | null;
  /** Bytes of a body. */
  readonly sizeCap: number | 'off' | null;
  readonly exfiltration: boolean | null;
  readonly admission: readonly SettingsAdmission[];
  /** Names or globs of what a chat offers. */
  readonly offered: readonly string[] | null;
}

/** One rule of `skills.admission`; what is null matches everything. */
export interface SettingsAdmission {
  readonly for: string | null;
  readonly name: string | null;
  readonly source: 'builtin' | 'global' | 'project' | 'mission' | null;
  readonly guard: 'exfiltration' | 'deny' | { readonly 'size-cap': number };
  readonly line: number;
}

/** The section `web` (spec/team.md §2). */
export interface SettingsWeb {
  /** `http://<host>:<port>`; null: none. */
  readonly proxy: string | null;
  /** Host names, addresses and ranges of addresses. */
  readonly allowPrivate: readonly string[];
}

/** The section `shell`: under what programs of tools run; an argv prefix, empty for none. */
export interface SettingsShell {
  readonly wrap: readonly string[];
}

/** The section `keys`: whether what is signed by its operator alone is served. Null: nobody said. */
export interface SettingsSignatures {
  readonly required: boolean | null;
}

/** The section `redis`; paths as written. Null: nobody said. */
export interface SettingsRedis {
  readonly ca: Written | null;
  /** Never without its key, nor the key without it. */
  readonly cert: Written | null;
  readonly key: Written | null;
  readonly durability: (typeof DURABILITIES)[number] | null;
}

/** The section `secrets`: what is secret beside variables whose names say so (invariant 8). */
export interface SettingsSecrets extends SecretVariables {
  readonly patterns: readonly SecretPattern[];
  /** Files that hold secrets, as written. */
  readonly files: readonly Written[];
}

/** The section `worker`. */
export interface SettingsWorker {
  /** Paths as written; none: anywhere. */
  readonly workspaceRoots: readonly Written[];
}

/** The section `runner` (spec/runner.md §3). */
export interface SettingsRunner {
  /** What flags may say as well, by their names; lists one by one. */
  readonly written: ReadonlyMap<string, readonly Written[]>;
  readonly engineers: ReadonlyMap<
    string,
    {
      readonly path: string | null;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly projectSettings: boolean;
    }
  >;
}

export interface Settings {
  readonly missionRepository: Written | null;
  readonly model: string | null;
  /** By alias as written. */
  readonly aliases: ReadonlyMap<string, string>;
  /** By `provider/name`. */
  readonly models: ReadonlyMap<string, SettingsModel>;
  /** By provider. */
  readonly providers: ReadonlyMap<string, SettingsProvider>;
  readonly permissions: readonly SettingsPermission[];
  readonly skills: SettingsSkills;
  readonly web: SettingsWeb;
  readonly shell: SettingsShell;
  readonly signatures: SettingsSignatures;
  readonly redis: SettingsRedis;
  readonly secrets: SettingsSecrets;
  readonly worker: SettingsWorker;
  readonly runner: SettingsRunner;
  /** Values of the section `run`, by the name of their flag. */
  readonly run: ReadonlyMap<string, Written>;
  /** Every value of a section that is in effect, as it stands there, by its path (`run.grace`, `permissions[0].tool`). */
  readonly written: readonly (Written & { readonly name: string })[];
  /** Warnings: what is written there and cannot be in effect. */
  readonly findings: readonly Finding[];
}

/** How messages name the file. */
export const SETTINGS_PATH = '~/.bnerd.yaml';

/** What holds when there is no file. */
export const NO_SETTINGS: Settings = {
  missionRepository: null,
  model: null,
  aliases: new Map(),
  models: new Map(),
  providers: new Map(),
  permissions: [],
  skills: {
    disabled: [],
    globalTrust: null,
    maxBytes: null,
    sizeCap: null,
    exfiltration: null,
    admission: [],
    offered: null,
  },
  web: { proxy: null, allowPrivate: [] },
  shell: { wrap: [] },
  signatures: { required: null },
  redis: { ca: null, cert: null, key: null, durability: null },
  secrets: { names: [], except: [], patterns: [], files: [] },
  worker: { workspaceRoots: [] },
  runner: { written: new Map(), engineers: new Map() },
  run: new Map(),
  written: [],
  findings: [],
};
