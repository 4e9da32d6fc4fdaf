/**
 * Which model each role speaks with. The first that says one wins: `--model <role>=<m>`, `--model <m>`, the role,
 * the recipe, the configuration (spec/team.md §9). Pure: files are named here, not opened.
 */

import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { assertNever } from '../shared/assert-never.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import type { Finding } from '../shared/findings.js';
import { oneLine } from '../shared/terminal-text.js';
import { type ModelName, PROVIDERS, type ProviderName, parseModelName } from './model-name.js';
import { roleKey } from './role-key.js';

/** `default`: nobody named one, and the environment holds the key of exactly one provider. */
export type ModelOrigin = 'flag' | 'role' | 'recipe' | 'config' | 'default';

/** A model that is chosen and not yet opened. JSON-serialisable, without any key. */
export type ChosenModel = ChosenScript | ChosenProviderModel;

/** A model of a provider. */
export interface ChosenProviderModel {
  readonly provider: ProviderName;
  /** As the provider calls it. */
  readonly name: string;
  /** `provider/name`. */
  readonly id: string;
  readonly origin: ModelOrigin;
}

/** A scripted model. */
export interface ChosenScript {
  readonly provider: 'script';
  /** As written after the slash. */
  readonly name: string;
  /** `script/<name>`. */
  readonly id: string;
  /** Absolute path of the script. */
  readonly file: string;
  /** The script's path as the user would type it. */
  readonly shown: string;
  readonly origin: ModelOrigin;
}

/** A place that may say `model:`. */
export interface ModelPlace {
  /** The file as the user would type it. */
  readonly path: string;
  /** What stands there; null when nothing does. */
  readonly model: string | null;
}

export interface ModelSources {
  /** The values of `--model`, each `<m>` or `<role>=<m>`, in order. */
  readonly flags: readonly string[];
  readonly roles: readonly (ModelPlace & { readonly name: string })[];
  readonly recipe: ModelPlace;
  readonly config: ModelPlace;
  /** Folder of the recipe: scripts that recipe and roles name lie in it. */
  readonly recipeFolder: string;
  /** Scripts that flags and the configuration name are relative to it. Absolute. */
  readonly workingDirectory: string;
}

export interface ModelChoices {
  /** By role name as given; a role with an error finding is absent. */
  readonly chosen: ReadonlyMap<string, ChosenModel>;
  readonly findings: readonly Finding[];
}

/** Chooses for every role of the team. One finding per fault, whatever the number of roles it hits. */
export function chooseModels(sources: ModelSources): ModelChoices {
  const chosen = new Map<string, ChosenModel>();
  const findings: Finding[] = [];
  const flags = readFlags(sources, findings);
  const faulty = new Set<string>();
  const without: string[] = [];
  for (const role of sources.roles) {
    const wish = firstWish(role, flags, sources);
    if (wish === undefined) {
      without.push(role.name);
      continue;
    }
    const outcome = resolveWish(wish, sources);
    if (!('code' in outcome)) {
      chosen.set(role.name, outcome);
    } else if (!faulty.has(wishKey(wish))) {
      faulty.add(wishKey(wish));
      findings.push(outcome);
    }
  }
  if (without.length > 0) findings.push(noModel(without, sources));
  return { chosen, findings };
}

/** What somebody wrote, and where. */
interface Wish {
  readonly origin: ModelOrigin;
  readonly path: string;
  readonly text: string;
}

interface Flags {
  /** By `roleKey`. */
  readonly byRole: ReadonlyMap<string, string>;
  readonly forAll: string | undefined;
}

function readFlags(sources: ModelSources, findings: Finding[]): Flags {
  const byRole = new Map<string, string>();
  let forAll: string | undefined;
  const remark = (code: string, message: string, remedy: string): void => {
    findings.push({ code, severity: 'error', path: '--model', message, remedy });
  };
  const roles = sources.roles.map(({ name }) => name);
  for (const flag of sources.flags) {
    // A role name holds no slash; `script/a=b.yaml` is one file name.
    const match = /^([^/=]+)=(.*)$/s.exec(flag);
    const [role, model] = match === null ? [undefined, flag] : [match[1] ?? '', match[2] ?? ''];
    const key = role === undefined ? undefined : roleKey(role);
    const before = key === undefined ? forAll : byRole.get(key);
    if (role !== undefined && !roles.some((known) => roleKey(known) === key)) {
      const message = `the team has no role "${oneLine(role, 60)}"; its roles: ${roles.join(', ')}`;
      remark('unknown-role', message, nameRemedy(role, roles));
      continue;
    }
    if (before !== undefined && before !== model) {
      const whom = role === undefined ? 'all roles' : `the role "${role}"`;
      const message = `two models for ${whom}: "${oneLine(before, 80)}" and "${oneLine(model, 80)}"; allowed: one`;
      remark('duplicate-model', message, 'keep one of the two flags');
      continue;
    }
    if (key === undefined) forAll = model;
    else byRole.set(key, model);
  }
  return { byRole, forAll };
}

function firstWish(
  role: ModelSources['roles'][number],
  flags: Flags,
  sources: ModelSources,
): Wish | undefined {
  const flag = flags.byRole.get(roleKey(role.name)) ?? flags.forAll;
  if (flag !== undefined) return { origin: 'flag', path: '--model', text: flag };
  const places: readonly { readonly origin: ModelOrigin; readonly place: ModelPlace }[] = [
    { origin: 'role', place: role },
    { origin: 'recipe', place: sources.recipe },
    { origin: 'config', place: sources.config },
  ];
  for (const { origin, place } of places) {
    if (place.model === null || parseModelName(place.model).kind === 'inherit') continue;
    return { origin, path: place.path, text: place.model };
  }
  return undefined;
}

function resolveWish(wish: Wish, sources: ModelSources): ChosenModel | Finding {
  const name = parseModelName(wish.text);
  if (name.kind !== 'model') return nameFinding(wish, name);
  const ofRecipe = wish.origin === 'recipe' || wish.origin === 'role';
  if (isAbsolute(name.name) && wish.origin !== 'flag') {
    const message = `model "${oneLine(wish.text, 120)}": an absolute path; allowed here: a relative one`;
    const remedy = ofRecipe
      ? 'put the script beside the recipe'
      : 'give it relative to the working directory';
    return finding('script-path', wish, message, remedy);
  }
  if (ofRecipe && leadsOut(name.name)) {
    const message = `model "${oneLine(wish.text, 120)}" leads out of the recipe's folder; allowed: a file in it`;
    return finding('script-path', wish, message, 'put the script beside the recipe, or name it with --model');
  }
  return {
    provider: 'script',
    name: name.name,
    id: `${name.provider}/${name.name}`,
    file: resolve(sources.workingDirectory, ofRecipe ? sources.recipeFolder : '', name.name),
    shown: ofRecipe ? join(sources.recipeFolder, name.name) : name.name,
    origin: wish.origin,
  };
}

function leadsOut(path: string): boolean {
  const within = relative('/folder', resolve('/folder', path));
  return within === '' || within === '..' || within.startsWith(`..${sep}`);
}

function nameFinding(wish: Wish, name: Exclude<ModelName, { kind: 'model' }>): Finding {
  const written = `model "${oneLine(wish.text, 120)}"`;
  const known = `known: ${PROVIDERS.join(', ')}`;
  switch (name.kind) {
    case 'unavailable':
      return finding(
        'provider-unavailable',
        wish,
        `${written}: the provider "${name.provider}" is not available in this version; ${known}`,
        `run with --model script/<file>`,
      );
    case 'unknown-provider':
      return finding(
        'unknown-provider',
        wish,
        `${written}: unknown provider "${oneLine(name.provider, 60)}"; ${known}`,
        nameRemedy(name.provider, PROVIDERS),
      );
    case 'inherit':
    case 'malformed':
      return finding(
        'bad-model',
        wish,
        `${written} names no model; allowed: <provider>/<name>; providers ${known}`,
        'write for example script/<file>',
      );
    default:
      return assertNever(name, 'model name');
  }
}

function noModel(roles: readonly string[], sources: ModelSources): Finding {
  const files = sources.roles.filter(({ name }) => roles.includes(name)).map(({ path }) => path);
  const places = ['--model <m>', '--model <role>=<m>', ...files, sources.recipe.path, sources.config.path];
  return {
    code: 'no-model',
    severity: 'error',
    path: sources.recipe.path,
    message: `no model for ${roles.join(', ')}; looked at: ${[...new Set(places)].join(', ')}`,
    remedy: 'give --model script/<file>, or write "model:" into the recipe',
  };
}

function finding(code: string, wish: Wish, message: string, remedy: string): Finding {
  return { code, severity: 'error', path: wish.path, message, remedy };
}

function wishKey(wish: Wish): string {
  return `${wish.origin} ${wish.path} ${wish.text}`;
}
