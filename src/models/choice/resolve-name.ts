/**
 * From what somebody wrote to the model that is meant: aliases, names of vendors without a provider, names that nobody
 * knows (spec/team.md §9). Pure; whether there is a key for it is asked elsewhere.
 */

import { assertNever } from '../../shared/assert-never.js';
import { didYouMean, nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { looksLikeKey, NOT_SHOWN } from '../../shared/secret-text.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { ModelSettings } from '../settings.js';
import { holdsKey } from './access.js';
import { aliasNames, followAliases } from './aliases.js';
import { knownNames, vendorOf } from './known-model.js';
import { ASSUMED_CONTEXT_TOKENS, modelFacts } from './model-facts.js';
import {
  type ModelName,
  PROVIDER_NAMES,
  PROVIDERS,
  type ProviderName,
  parseModelName,
} from './model-name.js';
import { isVendorAddress } from './provider-address.js';
import { aliasLine, declaringLine, shownName } from './shown-name.js';

/** What is wrong with a name, or worth knowing about it; where it stands is added by whoever read it. */
export type Remark = Pick<Finding, 'code' | 'severity' | 'message' | 'remedy'>;

export type ResolvedName =
  | {
      readonly kind: 'provider';
      readonly provider: ProviderName;
      readonly name: string;
      readonly remarks: readonly Remark[];
      /** Its answers are to be recorded. */
      readonly recorded: boolean;
    }
  /** `byOperator`: the operator's own alias named it, not the file that used the alias. */
  | {
      readonly kind: 'script';
      readonly name: string;
      readonly byOperator: boolean;
      readonly recorded: boolean;
    }
  /** A recorded team is played again. */
  | { readonly kind: 'replay'; readonly team: string; readonly byOperator: boolean }
  | { readonly kind: 'simulated' }
  | { readonly kind: 'inherit' }
  | { readonly kind: 'fault'; readonly remark: Remark };

/** Resolves a written name. Total. */
export function resolveName(text: string, settings: ModelSettings): ResolvedName {
  if (isSecret(text, settings)) return fault('bad-model', SECRET_MESSAGE, SECRET_REMEDY);
  const followed = followAliases(text, settings.aliases);
  if (followed.kind === 'circle') {
    const names = followed.names.map((name) => oneLine(name, 60)).join(' -> ');
    const remedy = 'let one of them name a model as <provider>/<name> in ~/.bnerd.yaml';
    return fault('alias-circle', `model ${shownName(text)}: aliases go in a circle: ${names}`, remedy);
  }
  if (isSecret(followed.text, settings)) {
    const message = `model ${shownName(text)} is an alias; ${SECRET_MESSAGE}`;
    return fault('bad-model', message, SECRET_REMEDY);
  }
  const name = parseModelName(followed.text);
  const written = writtenAs(text, followed.text);
  switch (name.kind) {
    case 'inherit':
      return { kind: 'inherit' };
    case 'script':
      return { kind: 'script', name: name.name, byOperator: followed.byOperator, recorded: false };
    case 'simulated':
      return { kind: 'simulated' };
    case 'replay':
      return { kind: 'replay', team: name.team, byOperator: followed.byOperator };
    case 'record':
      return recorded(resolveName(name.inner, settings), written);
    case 'provider':
      return ofProvider(name.provider, name.name, written, settings);
    case 'bare': {
      const found = vendorOf(name.text);
      return found === undefined
        ? unknownWord(name.text, written, settings)
        : ofProvider(found.provider, found.name, written, settings);
    }
    default:
      return malformed(name, written);
  }
}

function recorded(inner: ResolvedName, written: string): ResolvedName {
  switch (inner.kind) {
    case 'provider':
    case 'script':
      return inner.recorded ? onlyModels(written) : { ...inner, recorded: true };
    case 'fault':
      return inner;
    default:
      return onlyModels(written);
  }
}

function onlyModels(written: string): ResolvedName {
  const message = `${written}: what is recorded is the answers of a model; allowed: record/<provider>/<name>, record/script/<file>`;
  return fault('bad-model', message, 'name the model whose answers are to be recorded');
}

function ofProvider(
  provider: ProviderName,
  name: string,
  written: string,
  settings: ModelSettings,
): ResolvedName {
  const id = `${provider}/${name}`;
  if (name === 'default') {
    const message = `${written}: ${provider} has no model that is the same for everybody`;
    return fault('no-default', message, `write into ~/.bnerd.yaml: ${aliasLine(id, `${provider}/<model>`)}`);
  }
  const { nameKnown, windowKnown } = modelFacts(provider, name, settings);
  const remarks: Remark[] = [];
  if (!nameKnown && hasFixedList(provider)) {
    const remark = unknownModel(provider, name, written);
    if (isVendorAddress(provider, settings)) return { kind: 'fault', remark };
    // A gateway may have models of its own.
    const message = `${remark.message}; its context window counts as ${ASSUMED_CONTEXT_TOKENS} tokens`;
    remarks.push({ ...remark, severity: 'warning', message });
  } else if (!windowKnown) {
    remarks.push(assumedWindow(id));
  }
  return { kind: 'provider', provider, name, remarks, recorded: false };
}

/** Providers whose models are those of one vendor; the others serve what somebody has put there. */
function hasFixedList(provider: ProviderName): boolean {
  return knownNames(provider).length > 0;
}

function unknownModel(provider: ProviderName, name: string, written: string): Remark {
  const nearest = didYouMean(name.toLowerCase(), knownNames(provider));
  const meant = nearest === undefined ? '' : `; did you mean "${provider}/${nearest}"?`;
  return {
    code: 'unknown-model',
    severity: 'error',
    message: `${written}: no model of ${provider} is known by this name${meant}`,
    remedy: `correct the name, or declare it in ~/.bnerd.yaml with its real window: ${declaringLine(`${provider}/${name}`, `context: ${ASSUMED_CONTEXT_TOKENS}`)}`,
  };
}

function assumedWindow(id: string): Remark {
  return {
    code: 'context-assumed',
    severity: 'warning',
    message: `the context window of ${oneLine(id, 120)} is not known; it counts as ${ASSUMED_CONTEXT_TOKENS} tokens`,
    remedy: `say it in ~/.bnerd.yaml: ${declaringLine(id, 'context: <tokens>')}`,
  };
}

function unknownWord(text: string, written: string, settings: ModelSettings): ResolvedName {
  const aliases = aliasNames(settings.aliases);
  const words = [...aliases, ...PROVIDER_NAMES.flatMap(knownNames)];
  // People also write the name as it is spoken: `Claude Sonnet 4.6`.
  const spelled = text.toLowerCase().replaceAll(/\s+/g, '-');
  const nearest = didYouMean(spelled, words) ?? didYouMean(spelled, PROVIDERS);
  const known = `<provider>/<name> (providers: ${PROVIDERS.join(', ')}) or an alias (${aliases.join(', ')})`;
  const message = `${written} is neither an alias nor a model that is known here; allowed: ${known}`;
  const meant = nearest === undefined ? '' : `did you mean "${nearest}"? else `;
  const remedy = `${meant}give it a meaning in ~/.bnerd.yaml: ${aliasLine(text, '<provider>/<model>')}`;
  return fault('unknown-alias', message, remedy);
}

function malformed(
  name: Extract<ModelName, { kind: 'unknown-provider' | 'malformed' }>,
  written: string,
): ResolvedName {
  const known = `known: ${PROVIDERS.join(', ')}`;
  switch (name.kind) {
    case 'unknown-provider':
      return fault(
        'unknown-provider',
        `${written}: unknown provider "${oneLine(name.provider, 60)}"; ${known}`,
        nameRemedy(name.provider, PROVIDERS),
      );
    case 'malformed':
      return fault(
        'bad-model',
        `${written} names no model; allowed: <provider>/<name>; providers ${known}`,
        'write for example anthropic/default, or script/<file>',
      );
    default:
      return assertNever(name, 'model name');
  }
}

/** `model "sonnet" (anthropic/claude-…)`: the words of the file, and what they came to. */
function writtenAs(text: string, target: string): string {
  const same = text.trim() === target;
  return same ? `model ${shownName(text)}` : `model ${shownName(text)} (an alias of ${shownName(target)})`;
}

function isSecret(text: string, settings: ModelSettings): boolean {
  return looksLikeKey(text) || holdsKey(text, settings);
}

const SECRET_MESSAGE = `what stands there is ${NOT_SHOWN}; keys come from the environment only`;
const SECRET_REMEDY = 'take the key out of there, and name a model as <provider>/<name>';

function fault(code: string, message: string, remedy: string): ResolvedName {
  return { kind: 'fault', remark: { code, severity: 'error', message, remedy } };
}
