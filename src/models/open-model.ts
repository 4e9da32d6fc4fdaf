/**
 * Opens the models that were chosen. Each provider's code is imported only when a role speaks with it, so that a
 * command which asks no model loads none. Nothing is connected to here.
 */

import { errorText, UserError } from '../shared/errors.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import type { Redactor } from '../shared/secrets/redactor.js';
import { type Access, accessTo, providersWithKey } from './choice/access.js';
import {
  type ChosenModel,
  type ChosenProviderModel,
  type ChosenReplay,
  type ChosenScript,
  type ModelWish,
  wherePlaced,
} from './choice/choose-model.js';
import { factsOf } from './choice/chosen-facts.js';
import { aliasLine, shownName } from './choice/shown-name.js';
import type { Model } from './model.js';
import { redactedModel } from './redacted-model.js';
import { recordingModel } from './replay/recording-model.js';
import type { ModelSettings } from './settings.js';

export type OpenedModels =
  | {
      readonly kind: 'opened';
      readonly byRole: ReadonlyMap<string, Model>;
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

export interface OpenRequest {
  /** The choice of every role of the team. */
  readonly chosen: ReadonlyMap<string, ChosenModel>;
  /** What led to each, for findings. */
  readonly wishes: ReadonlyMap<string, ModelWish>;
  readonly settings: ModelSettings;
  /** Before and behind every model that is opened. */
  readonly secrets: Redactor;
  /** The way to recorded teams; absent where none is played again. */
  readonly replays?: Replays;
}

/** Opens recorded teams as models. */
export interface Replays {
  /** @param roles those that play their recorded answers again */
  open(
    choice: ChosenReplay,
    roles: readonly string[],
  ): Promise<{ readonly byRole: ReadonlyMap<string, Model>; readonly findings: readonly Finding[] }>;
}

/**
 * Opens one model per choice, and the same one for roles that chose the same. Scripts are read and checked against the
 * team, doors to providers are looked for: what cannot come out right is refused here, before anything is created.
 */
export async function openModels(request: OpenRequest): Promise<OpenedModels> {
  const { chosen, wishes, settings, secrets } = request;
  const byRole = new Map<string, Model>();
  const findings: Finding[] = [];
  const team = [...chosen.keys()];
  for (const { choice, roles } of grouped(chosen)) {
    if (choice.provider === 'replay') {
      const opened = await (request.replays?.open(choice, roles) ?? notPlayedHere(choice));
      findings.push(...opened.findings);
      for (const [role, model] of opened.byRole) byRole.set(role, redactedModel(model, secrets));
      continue;
    }
    if (choice.provider === 'simulated') {
      const { standIn } = await import('./script/stand-in.js');
      for (const role of roles) byRole.set(role, redactedModel(standIn(), secrets));
      continue;
    }
    const opened =
      choice.provider === 'script'
        ? await openScripted(choice, team, roles)
        : await openProvided(choice, roles, wishes, settings);
    findings.push(...opened.findings);
    if (opened.model === null) continue;
    const model = recorded(choice, redactedModel(opened.model, secrets));
    for (const role of roles) byRole.set(role, model);
  }
  return hasErrors(findings) ? { kind: 'refused', findings } : { kind: 'opened', byRole, findings };
}

/** What is wrong with the scripts among the choices; no door is looked for and no key is needed. */
export async function checkScripts(chosen: ReadonlyMap<string, ChosenModel>): Promise<readonly Finding[]> {
  const team = [...chosen.keys()];
  const findings: Finding[] = [];
  for (const { choice, roles } of grouped(chosen)) {
    if (choice.provider === 'script') findings.push(...(await openScripted(choice, team, roles)).findings);
  }
  return findings;
}

interface Opened {
  readonly model: Model | null;
  readonly findings: readonly Finding[];
}

function recorded({ recorded }: ChosenScript | ChosenProviderModel, model: Model): Model {
  return recorded ? recordingModel(model) : model;
}

function notPlayedHere({ id }: ChosenReplay): Awaited<ReturnType<Replays['open']>> {
  const message = `${id}: a recorded team is played again by bnerd team run alone`;
  const finding = { severity: 'error', path: '--model', message, remedy: 'choose another model' } as const;
  return { byRole: new Map(), findings: [{ ...finding, code: 'replay' }] };
}

async function openScripted(
  choice: ChosenScript,
  team: readonly string[],
  played: readonly string[],
): Promise<Opened> {
  const { openScript } = await import('./script/open-script.js');
  return openScript(choice, { roles: team, played });
}

async function openProvided(
  choice: ChosenProviderModel,
  roles: readonly string[],
  wishes: ReadonlyMap<string, ModelWish>,
  settings: ModelSettings,
): Promise<Opened> {
  const access = accessTo(choice.provider, settings);
  const texts = distinctWishes(roles, wishes);
  if (access.kind === 'closed') {
    const findings = texts.map((wish) => closedFinding(choice, roles, wish, access, settings));
    return { model: null, findings };
  }
  const { openProvider } = await import('./providers/open-provider.js');
  try {
    const model = await openProvider(choice, access.door, factsOf(choice, settings));
    return { model, findings: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const place = texts[0] === undefined ? { path: choice.id } : wherePlaced(texts[0]);
    const remedy = 'correct what is set for this provider, or choose another model';
    const message = `${choice.id} cannot be used: ${errorText(error)}`;
    return { model: null, findings: [{ code: error.code, severity: 'error', ...place, message, remedy }] };
  }
}

/** Roles that ask for one model in the same words at the same place are told once. */
function distinctWishes(roles: readonly string[], wishes: ReadonlyMap<string, ModelWish>): ModelWish[] {
  const found = new Map<string, ModelWish>();
  for (const role of roles) {
    const wish = wishes.get(role);
    if (wish !== undefined) found.set(`${wish.path}\0${wish.text}`, wish);
  }
  return [...found.values()];
}

function closedFinding(
  choice: ChosenProviderModel,
  roles: readonly string[],
  wish: ModelWish,
  access: Extract<Access, { kind: 'closed' }>,
  settings: ModelSettings,
): Finding {
  const { text } = wish;
  const others = providersWithKey(settings);
  const set = others.map(({ provider, variable }) => `${variable} (${provider})`).join(', ');
  const there = access.code === 'no-key' ? `; keys that are set: ${set === '' ? 'none' : set}` : '';
  const named = text.trim() === choice.id ? '' : ` (${choice.id})`;
  return {
    code: access.code,
    severity: 'error',
    ...wherePlaced(wish),
    message: `model ${shownName(text)}${named} of ${roles.join(', ')}: ${access.found}${there}`,
    remedy: `${access.remedy}; ${otherWay(wish, others.find(({ provider }) => provider !== choice.provider)?.provider)}`,
  };
}

/** A bare word may be given another meaning for good; a full name is replaced by a flag, a recorded one by nothing. */
function otherWay({ text, recorded }: ModelWish, other: string | undefined): string {
  if (recorded === true) return 'a team stays with the models it was started with';
  const target = other === undefined ? '<provider>/<model>' : `${other}/default`;
  const isWord = !text.includes('/');
  return isWord
    ? `or write into ~/.bnerd.yaml: ${aliasLine(text.trim(), target)}`
    : `or choose another model: --model ${target}`;
}

interface Group {
  readonly choice: ChosenModel;
  readonly roles: string[];
}

/** One group per model, with the roles that chose it. */
function grouped(chosen: ReadonlyMap<string, ChosenModel>): Group[] {
  const groups = new Map<string, Group>();
  for (const [role, choice] of chosen) {
    // One name may stand for two files: a recipe's lies in its folder, a flag's where the operator is.
    const key = choice.provider === 'script' ? `${choice.id} ${choice.file}` : choice.id;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { choice, roles: [role] });
    else group.roles.push(role);
  }
  return [...groups.values()];
}
