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

/** Our keys at the top of the file, and the words that may stand in each section, at any depth. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'mission-repo': [],
  model: [],
  aliases: [],
  models: [...MODEL_KEYS, ...PRICE_KEYS],
  providers: [...PROVIDER_KEYS, ...DOOR_KEYS],
  permissions: ['tool', 'match', 'decision'],
  run: RUN_KEYS,
  skills: ['disabled', 'guards', 'max-bytes', 'global-trust', 'size-cap', 'exfiltration'],
  runner: [
    'pool',
    'labels',
    'concurrency',
    'workdir',
    'repos',
    'max-safety',
    'engineers',
    'path',
    'env',
    'args',
    'project-settings',
    'engineer-user',
    'engineer-wrap',
    'env-grants',
    'git-env',
    'keep-failed',
    'min-free',
  ],
};

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
  look(value, [], Object.keys(SECTIONS));
  return found;
}

function folded(key: string): string {
  return key.replace(/[-_ ]/g, '').toLowerCase();
}
