/**
 * Which model each role speaks with. The first that says one wins: `--model <role>=<m>`, `--model <m>`, the role, the
 * recipe, the configuration; when nobody does and the environment holds the key of exactly one provider, that
 * provider's default (spec/team.md §9). Pure: files are named here, not opened, and a key that is missing is found
 * when the model is opened.
 */

import { type Finding, type FindingPlace, placeAt } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import type { ModelSettings } from '../settings.js';
import { providersWithKey, variablesLookedFor } from './access.js';
import { type ModelFlags, readModelFlags } from './model-flags.js';
import type { ProviderName } from './model-name.js';
import { type Remark, resolveName } from './resolve-name.js';
import { type ScriptPlaces, scriptPlace } from './script-place.js';

/** `default`: nobody named one, and the environment holds the key of exactly one provider. */
export type ModelOrigin = 'flag' | 'role' | 'recipe' | 'config' | 'default';

/** A model that is chosen and not yet opened. JSON-serialisable, without any key. */
export type ChosenModel = ChosenScript | ChosenProviderModel | ChosenReplay | ChosenStandIn;

/** A model of a provider. */
export interface ChosenProviderModel {
  readonly provider: ProviderName;
  /** As the provider calls it. */
  readonly name: string;
  /** `provider/name`, behind `record/` where its answers are recorded. */
  readonly id: string;
  readonly recorded: boolean;
  readonly origin: ModelOrigin;
}

/** A recorded team that is played again. */
export interface ChosenReplay {
  readonly provider: 'replay';
  /** Its id or the beginning of it, as written. */
  readonly name: string;
  /** `replay/<name>`. */
  readonly id: string;
  readonly origin: ModelOrigin;
}

/** The members are played without a model. */
export interface ChosenStandIn {
  readonly provider: 'simulated';
  readonly name: 'stand-in';
  readonly id: 'simulated/stand-in';
  readonly origin: ModelOrigin;
}

/** A scripted model. */
export interface ChosenScript {
  readonly provider: 'script';
  /** As written after the slash. */
  readonly name: string;
  /** `script/<name>`, behind `record/` where its answers are recorded. */
  readonly id: string;
  readonly recorded: boolean;
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
  /** 1-based line of it, when the place is a file whose lines are known. */
  readonly line?: number | undefined;
}

export interface ModelSources extends ScriptPlaces {
  /** The values of `--model`, each `<m>` or `<role>=<m>`, in order. */
  readonly flags: readonly string[];
  readonly roles: readonly (ModelPlace & { readonly name: string })[];
  readonly recipe: ModelPlace;
  readonly config: ModelPlace;
}

/** What somebody wrote, and where. */
export interface ModelWish {
  readonly origin: ModelOrigin;
  readonly path: string;
  readonly line?: number | undefined;
  readonly text: string;
  /** The word of a record: a team stays with the models it was started with. */
  readonly recorded?: true;
}

export interface ModelChoices {
  /** By role name as given; a role with an error finding is absent. */
  readonly chosen: ReadonlyMap<string, ChosenModel>;
  /** What led to each choice, by role. */
  readonly wishes: ReadonlyMap<string, ModelWish>;
  readonly findings: readonly Finding[];
}

/** Path and, when it is known, line of a wish: the place of a finding about it. */
export function wherePlaced({ path, line }: ModelWish): FindingPlace {
  return placeAt(path, line);
}

/** Chooses for every role of the team. One finding per fault, whatever the number of roles it hits. */
export function chooseModels(sources: ModelSources, settings: ModelSettings): ModelChoices {
  const chosen = new Map<string, ChosenModel>();
  const wishes = new Map<string, ModelWish>();
  const flags = readModelFlags(
    sources.flags,
    sources.roles.map(({ name }) => name),
  );
  const findings = new Map<string, Finding>();
  const without: string[] = [];
  for (const role of sources.roles) {
    const wish = firstWish(role, flags, sources, settings);
    if (wish === undefined) {
      without.push(role.name);
      continue;
    }
    const outcome = grant(wish, sources, settings);
    for (const remark of outcome.remarks) {
      const finding = { ...remark, ...wherePlaced(wish) };
      findings.set(JSON.stringify(finding), finding);
    }
    if (outcome.model === null) continue;
    chosen.set(role.name, outcome.model);
    wishes.set(role.name, wish);
  }
  const unnamed = without.length > 0 ? [noModel(without, sources, settings)] : [];
  return { chosen, wishes, findings: [...flags.findings, ...findings.values(), ...unnamed] };
}

function firstWish(
  role: ModelSources['roles'][number],
  flags: ModelFlags,
  sources: ModelSources,
  settings: ModelSettings,
): ModelWish | undefined {
  const flag = flags.byRole.get(roleIdentity(role.name)) ?? flags.forAll;
  if (flag !== undefined) return { origin: 'flag', path: '--model', text: flag };
  const places: readonly { readonly origin: ModelOrigin; readonly place: ModelPlace }[] = [
    { origin: 'role', place: role },
    { origin: 'recipe', place: sources.recipe },
    { origin: 'config', place: sources.config },
  ];
  for (const { origin, place } of places) {
    if (place.model === null || resolveName(place.model, settings).kind === 'inherit') continue;
    return { origin, path: place.path, line: place.line, text: place.model };
  }
  const [only, ...others] = providersWithKey(settings);
  if (only === undefined || others.length > 0) return undefined;
  return { origin: 'default', path: only.variable, text: `${only.provider}/default` };
}

/** The model that a wish is for; null when one of the remarks is an error. */
function grant(
  wish: ModelWish,
  sources: ModelSources,
  settings: ModelSettings,
): { readonly model: ChosenModel | null; readonly remarks: readonly Remark[] } {
  const resolved = resolveName(wish.text, settings);
  switch (resolved.kind) {
    case 'fault':
      return { model: null, remarks: [resolved.remark] };
    case 'inherit':
      return { model: null, remarks: [NOTHING_TO_INHERIT] };
    case 'provider': {
      const { provider, name, remarks, recorded } = resolved;
      const id = idOf(`${provider}/${name}`, recorded);
      return { model: { provider, name, id, recorded, origin: wish.origin }, remarks };
    }
    case 'simulated': {
      const id = 'simulated/stand-in';
      return { model: { provider: 'simulated', name: 'stand-in', id, origin: wish.origin }, remarks: [] };
    }
    case 'replay': {
      const ofFile = wish.origin === 'recipe' || wish.origin === 'role';
      if (ofFile && !resolved.byOperator && wish.recorded !== true)
        return { model: null, remarks: [REPLAY_BY_FILE] };
      const { team } = resolved;
      return {
        model: { provider: 'replay', name: team, id: `replay/${team}`, origin: wish.origin },
        remarks: [],
      };
    }
    case 'script': {
      const { name, byOperator, recorded } = resolved;
      const ofRecipe = wish.origin === 'recipe' || wish.origin === 'role';
      const by = byOperator ? 'settings' : ofRecipe ? 'recipe' : wish.origin === 'flag' ? 'flag' : 'settings';
      const place = scriptPlace(name, by, sources);
      if (place.kind === 'fault') return { model: null, remarks: [place.remark] };
      const { file, shown } = place;
      const script = { provider: 'script', name, recorded, file, shown } as const;
      const id = idOf(`script/${name}`, recorded);
      return { model: { ...script, id, origin: wish.origin }, remarks: [] };
    }
  }
}

function idOf(name: string, recorded: boolean): string {
  return recorded ? `record/${name}` : name;
}

/** The record of a team holds what its members have read and done. */
const REPLAY_BY_FILE: Remark = {
  code: 'bad-model',
  severity: 'error',
  message:
    'a recorded team is played again by the word of the operator alone; a recipe or a role may not name one',
  remedy: 'take it out of the file and give --model replay/<team-id>',
};

const NOTHING_TO_INHERIT: Remark = {
  code: 'bad-model',
  severity: 'error',
  message: 'model "inherit" names no model here; allowed: <provider>/<name> or an alias',
  remedy: 'leave the flag out, or write for example anthropic/default',
};

/** Nobody named one, and the keys do not say it either: everything that was looked at. */
function noModel(roles: readonly string[], sources: ModelSources, settings: ModelSettings): Finding {
  const files = sources.roles.filter(({ name }) => roles.includes(name)).map(({ path }) => path);
  const places = ['--model <m>', '--model <role>=<m>', ...files, sources.recipe.path, sources.config.path];
  const looked = `no model for ${roles.join(', ')}; looked at: ${[...new Set(places)].join(', ')}`;
  const finding = { severity: 'error', path: sources.recipe.path } as const;
  const keys = providersWithKey(settings);
  if (keys.length > 1) {
    const set = keys.map(({ provider, variable }) => `${variable} (${provider})`).join(', ');
    const ways = keys.map(({ provider }) => `--model ${provider}/default`).join(', ');
    return {
      ...finding,
      code: 'several-keys',
      message: `${looked}; keys of several providers are set: ${set}`,
      remedy: `choose one: ${ways}; for good: write "model: ${keys[0]?.provider}/default" into ~/.bnerd.yaml`,
    };
  }
  const variables = variablesLookedFor(settings);
  return {
    ...finding,
    code: 'no-model',
    message: `${looked}; and for a key in ${variables.join(', ')}`,
    remedy:
      'set the key of one provider, give --model <provider>/<name>, or write "model: <provider>/<name>" into ~/.bnerd.yaml',
  };
}
