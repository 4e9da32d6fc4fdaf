/**
 * The keys of our sections of the settings file and how they are spelled: kebab-case, as flags are. Sections of
 * later versions are known by their keys, so that a wrong spelling is said today and not found out then.
 */

/** Keys of the section `run`: each is the name of a flag of `team run`. */
export const RUN_KEYS = ['auto-approve', 'auto-skip-questions', 'request-timeout', 'grace'] as const;

/** Keys of one entry of `models`, and of its `price`. */
export const MODEL_KEYS = ['context', 'max-output', 'price'] as const;
export const PRICE_KEYS = ['input', 'cached', 'cache-write', 'output'] as const;

/** Keys of the section `providers`, and of each entry. */
export const PROVIDER_KEYS = [
  'anthropic',
  'openai',
  'openai-compatible',
  'amazon-bedrock',
  'google',
] as const;
export const DOOR_KEYS = ['base-url', 'api-key-env'] as const;

/** Keys of the section `skills`, of its `guards`, and of one rule of its `admission`. */
export const SKILL_KEYS = ['disabled', 'global-trust', 'max-bytes', 'guards', 'admission'] as const;
export const GUARD_KEYS = ['size-cap', 'exfiltration'] as const;
export const ADMISSION_KEYS = ['for', 'name', 'source', 'guard'] as const;

/** Where an entry of an admission rule may come from: the four tiers. */
export const ADMISSION_SOURCES = ['builtin', 'global', 'project', 'mission'] as const;

/** Keys of the section `chat`. */
export const CHAT_KEYS = ['skills'] as const;

/** Keys of the section `web`. */
export const WEB_KEYS = ['proxy', 'allow-private'] as const;

/** Keys of the section `shell`. */
export const SHELL_KEYS = ['wrap'] as const;

/** Keys of the section `keys`. */
export const SIGNATURE_KEYS = ['require-signatures'] as const;

/** Keys of the section `redis`, and what `durability` may be. */
export const REDIS_KEYS = ['ca', 'cert', 'key', 'durability'] as const;
export const DURABILITIES = ['server', 'strict'] as const;

/** Keys of the section `secrets`, and of one of its patterns. */
export const SECRET_KEYS = ['names', 'except', 'patterns', 'files'] as const;
export const SECRET_PATTERN_KEYS = ['name', 'pattern'] as const;

/** Keys of the section `worker`. */
export const WORKER_KEYS = ['workspace-root'] as const;

/** Keys of the section `runner`, and of one of its engineers. */
export const RUNNER_KEYS = [
  'pool',
  'labels',
  'workdir',
  'concurrency',
  'same-user',
  'grace',
  'repos',
  'max-safety',
  'engineers',
  'engineer-wrap',
  'env-grants',
  'git-env',
  'keep-failed',
  'min-free',
] as const;
/** Kinds of engineers that there are adapters for; a test compares them with those. */
export const ENGINEER_KINDS = ['claude-code', 'codex', 'gemini', 'acp', 'command'] as const;
export const ENGINEER_KEYS = ['path', 'args', 'env', 'project-settings'] as const;

/** Our keys at the top of the file, and the words that may stand in each section, at any depth. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'mission-repo': [],
  model: [],
  aliases: [],
  models: [...MODEL_KEYS, ...PRICE_KEYS],
  providers: [...PROVIDER_KEYS, ...DOOR_KEYS],
  permissions: ['tool', 'match', 'decision'],
  run: RUN_KEYS,
  skills: [...SKILL_KEYS, ...GUARD_KEYS, ...ADMISSION_KEYS],
  chat: CHAT_KEYS,
  web: WEB_KEYS,
  shell: SHELL_KEYS,
  keys: SIGNATURE_KEYS,
  redis: REDIS_KEYS,
  secrets: [...SECRET_KEYS, ...SECRET_PATTERN_KEYS],
  worker: WORKER_KEYS,
  runner: [...RUNNER_KEYS, ...ENGINEER_KEYS],
};

/** Our keys at the top of the file. */
export const SECTION_NAMES: readonly string[] = Object.keys(SECTIONS);

/** The keys that a mapping of our sections may have, by its path in the file. */
export function keysAt([section, entry, inner]: readonly PropertyKey[]): readonly string[] {
  switch (section) {
    case 'run':
      return RUN_KEYS;
    case 'models':
      return inner === undefined ? MODEL_KEYS : PRICE_KEYS;
    case 'providers':
      return entry === undefined ? PROVIDER_KEYS : DOOR_KEYS;
    case 'skills':
      if (entry === undefined) return SKILL_KEYS;
      if (entry === 'guards') return GUARD_KEYS;
      return ADMISSION_KEYS;
    case 'chat':
      return CHAT_KEYS;
    case 'web':
      return WEB_KEYS;
    case 'keys':
      return SIGNATURE_KEYS;
    case 'redis':
      return REDIS_KEYS;
    case 'shell':
      return SHELL_KEYS;
    case 'worker':
      return WORKER_KEYS;
    case 'runner':
      return entry === undefined ? RUNNER_KEYS : inner === undefined ? ENGINEER_KINDS : ENGINEER_KEYS;
    case 'secrets':
      return entry === undefined ? SECRET_KEYS : SECRET_PATTERN_KEYS;
    default:
      return ['tool', 'match', 'decision'];
  }
}

/** Below this key stand names of variables, which are spelled as their owners spell them. */
const FREE_NAMES = 'env';

export interface Misspelling {
  readonly path: readonly PropertyKey[];
  readonly found: string;
  readonly right: string;
}

/** Every key that is one of ours in another spelling (`mission_repo`, `maxBytes`). */
export function misspelled(value: unknown): Misspelling[] {
  const found: Misspelling[] = [];
  const look = (inner: unknown, path: readonly PropertyKey[], words: readonly string[]): void => {
    if (Array.isArray(inner)) {
      for (const [place, item] of inner.entries()) look(item, [...path, place], words);
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [key, below] of Object.entries(inner)) {
        const right = words.find((word) => word !== key && folded(word) === folded(key));
        if (right !== undefined) found.push({ path: [...path, key], found: key, right });
        const deeper = path.length === 0 ? (SECTIONS[key] ?? []) : words;
        if (key !== FREE_NAMES && deeper.length > 0) look(below, [...path, key], deeper);
      }
    }
  };
  look(value, [], SECTION_NAMES);
  return found;
}

function folded(key: string): string {
  return key.replace(/[-_ ]/g, '').toLowerCase();
}
