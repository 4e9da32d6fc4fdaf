/**
 * From an order to a chat: model, role, tools, entries. Everything that can be refused is refused here, with every
 * finding at once, and nothing is asked or written. A chat keeps no record.
 */

import { lineAt, placeIn } from '../../catalog/files/written-mapping.js';
import { readRole } from '../../catalog/roles/load-roles.js';
import type { Role } from '../../catalog/roles/role.js';
import type { ChosenModel } from '../../models/choice/choose-model.js';
import { chooseModels, type ModelSources } from '../../models/choice/choose-model.js';
import { answerTokens, modelFacts } from '../../models/choice/model-facts.js';
import type { Model } from '../../models/model.js';
import { openModels } from '../../models/open-model.js';
import { within } from '../../shared/abort.js';
import { distinct, type Finding, hasErrors } from '../../shared/findings.js';
import { Releases } from '../../shared/releases.js';
import { guardEntry } from '../../skills/guards/guard-entry.js';
import { entryTool } from '../../tools/entry-tool.js';
import { type House, placesOf } from '../house.js';
import { loadEntries } from '../load-entries.js';
import { bundlePathIn } from '../plan/bundle-path.js';
import { capabilitiesOf } from '../plan/capabilities.js';
import { roleNotInEffect } from '../plan/not-in-effect.js';
import { tightenSafety } from '../plan/order-safety.js';
import { providedNames } from '../plan/provided-tools.js';
import { ruleToolFindings } from '../plan/rule-tools.js';
import { withoutShown } from '../plan/without-shown.js';
import { wrapAtStart } from '../shell-wrap.js';
import { withTrustFindings } from '../trust-findings.js';
import { chatGate } from './chat-gate.js';
import type { ChatBasis, ChatOrder, PreparedChat, Window } from './chat-order.js';
import { chosenTools, MODE_SAFETY, makeTools, toolParts } from './chat-tools.js';
import { type ListedEntries, listedEntries } from './listed-entries.js';

/** How long the guards may take over one entry and its resources. */
const GUARDS_DEADLINE_MS = 30_000;

/** Where findings about the operator's own settings point. */
const SETTINGS = '~/.bnerd.yaml';

const NOTHING_LISTED: ListedEntries = { listed: [], reference: '', findings: [] };

/**
 * Prepares a chat, or says everything that is wrong with it.
 * @param reopen opens the house anew: approvals are read once by each
 */
export async function prepareChat(
  house: House,
  order: ChatOrder,
  reopen: () => Promise<House>,
): Promise<PreparedChat> {
  const played = await playedRole(house, order);
  if (played.kind === 'refused') return played;
  const { role } = played;
  const use = { mode: order.mode, role: role?.name ?? null };
  const name = role?.name ?? order.mode;
  const { safety, findings: ofSafety } = safetyOf(order, role);
  const chosen = chosenTools(order.mode, role, safety);
  const registry = await loadEntries(house);
  const toolNames = chosen.rows.map((row) => row.name);
  const granted = capabilitiesOf(toolNames);
  const bundlePath = bundlePathIn(house.workingDirectory, toolNames);
  const guard: ChatBasis['guard'] = (entry, signal) =>
    guardEntry(entry, use, house.skills, within(signal, GUARDS_DEADLINE_MS));
  const entries =
    role === null
      ? NOTHING_LISTED
      : await listedEntries(house, {
          role,
          registry,
          granted,
          bundlePathOf: bundlePath,
          guard: (entry) => guard(entry, new AbortController().signal),
        });
  const model = await openOne(house, order, name, role);
  const wrap = await wrapAtStart(house, { workspace: house.workingDirectory, reads: [] });
  const said = [
    ...played.findings,
    ...wrap.findings,
    ...ofSafety,
    ...chosen.findings,
    ...ruleToolFindings(house.permissions, () => ({ path: SETTINGS }), providedNames(registry)),
    ...entries.findings,
    ...model.findings,
    ...registry.findings,
  ];
  const findings = distinct(withoutShown(await withTrustFindings(house, said)));
  if (hasErrors(findings) || model.opened === null) return { kind: 'refused', findings };
  const releases = new Releases();
  const parts = toolParts(house, name, wrap.wrap, releases);
  return {
    kind: 'ready',
    findings,
    basis: {
      use,
      name,
      model: model.opened,
      window: model.window,
      maxOutputTokens: answerTokens(model.opened.facts),
      gate: chatGate(house, model.opened, name),
      rolePrompt: role?.prompt ?? '',
      bundlePath,
      reference: entries.reference,
      tools: await makeTools(chosen.rows, parts),
      policy: {
        safety,
        autoApprove: order.autoApprove,
        rules: house.permissions.map((rule) => ({ ...rule, origin: 'settings' })),
        patterns: chosen.patterns,
      },
      granted,
      listed: entries.listed,
      offered: house.skills.offered,
      registry,
      reload: async () => loadEntries(await reopen()),
      guard,
      entryTool: (definition) => {
        const made = entryTool(definition, parts.shell);
        return made.kind === 'tool' ? made.tool : undefined;
      },
      releases,
    },
  };
}

type Played =
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] }
  | { readonly kind: 'played'; readonly role: Role | null; readonly findings: readonly Finding[] };

async function playedRole(house: House, { role: name }: ChatOrder): Promise<Played> {
  if (name === null) return { kind: 'played', role: null, findings: [] };
  const load = await readRole(placesOf(house), name);
  if (load.kind === 'refused')
    return { kind: 'refused', findings: await withTrustFindings(house, load.findings) };
  const { role, findings } = load;
  return { kind: 'played', role, findings: [...findings, ...roleNotInEffect(role)] };
}

/** A role in plan mode changes nothing before its plan is approved, and in a chat no plan ever is. */
function safetyOf({ mode, safety: wish }: ChatOrder, role: Role | null): ReturnType<typeof tightenSafety> {
  const { safety, findings } = tightenSafety(MODE_SAFETY[mode], wish, {
    floor: `the floor of the mode ${mode}`,
    change: 'choose another --mode',
  });
  if (role?.permissionMode !== 'plan' || safety === 'read-only') return { safety, findings };
  const finding: Finding = {
    code: 'not-in-effect',
    severity: 'warning',
    ...placeIn(role, ['permissionMode']),
    message:
      '`permissionMode: plan` is not in effect in a chat, where no plan is approved; it is read-only here',
    remedy: 'play the role in a team whose recipe says plan_approval: true',
  };
  return { safety: 'read-only', findings: [...findings, finding] };
}

interface OpenedOne {
  readonly opened: Model | null;
  readonly window: Window | null;
  readonly findings: readonly Finding[];
}

async function openOne(house: House, order: ChatOrder, name: string, role: Role | null): Promise<OpenedOne> {
  const choices = chooseModels(sourcesOf(house, order, name, role), house.models);
  const opened = await openModels({ ...choices, settings: house.models, secrets: house.secrets });
  const model = opened.kind === 'opened' ? (opened.byRole.get(name) ?? null) : null;
  const choice = choices.chosen.get(name);
  const findings = [...choices.findings, ...opened.findings];
  return { opened: model, window: choice === undefined ? null : windowOf(house, choice), findings };
}

/** A chat has no recipe: the operator's configuration stands in its place. */
function sourcesOf(house: House, order: ChatOrder, name: string, role: Role | null): ModelSources {
  const config = { path: SETTINGS, model: house.configModel };
  const ofRole =
    role === null
      ? { path: SETTINGS, model: null }
      : { path: role.path, line: lineAt(role.lines, ['model']), model: role.model };
  return {
    flags: order.models,
    roles: [{ name, ...ofRole }],
    recipe: { path: SETTINGS, model: null },
    config,
    recipeFolder: null,
    workingDirectory: house.workingDirectory,
  };
}

/** A script has no window; one that nobody knows counts as a small one. */
function windowOf(house: House, choice: ChosenModel): Window | null {
  const { provider } = choice;
  if (provider === 'script' || provider === 'replay' || provider === 'simulated') return null;
  const { facts, windowKnown } = modelFacts(choice.provider, choice.name, house.models);
  return facts.contextTokens === null
    ? null
    : { tokens: facts.contextTokens, known: windowKnown, model: choice.id };
}
