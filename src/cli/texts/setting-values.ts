/**
 * Every setting with its value and where that comes from (spec/team.md §8, `config show --origin`). Made from the
 * table of commands, so that no flag and no variable can be missing. Pure.
 *
 * Always true: what a secret variable holds is in no value here; nor is a text that looks like a key, nor the
 * password of an address.
 */

import { SETTINGS_PATH, type Settings } from '../../config/settings.js';
import { type Layers, variableOf, type Written, writtenValues } from '../../config/written.js';
import { looksLikeKey, NOT_SHOWN, withoutUserInfo } from '../../shared/secret-text.js';
import type { FlagRow, VariableRow } from '../command-row.js';

export interface SettingValue {
  /** Of the flag, of the variable, or the path in the settings file. */
  readonly name: string;
  /** Several only where it may be given several times; null: nobody wrote any. */
  readonly values: readonly string[] | null;
  /** In words, what holds when nobody wrote any; null: nothing does. */
  readonly default: string | null;
  readonly origin: SettingOrigin;
}

export type SettingOrigin =
  | { readonly kind: 'flag' | 'variable'; readonly place: string }
  | { readonly kind: 'file'; readonly place: string; readonly line: number | null }
  | { readonly kind: 'default' };

export interface SettingSources {
  readonly layers: Layers;
  readonly settings: Settings;
  /** The flags that are settings. */
  readonly flags: readonly FlagRow[];
  readonly variables: readonly VariableRow[];
}

/** Another variable that says the same as a flag's own. */
const ALIASES: Readonly<Record<string, string>> = { 'mission-repo': 'MISSION_REPO' };

/** The flags in their order, then what else the settings file says, then the variables that are no flag's. */
export function settingValues({ layers, settings, flags, variables }: SettingSources): SettingValue[] {
  const ofFlags = flags
    .filter(({ env }) => env !== null)
    .map((flag) => settingOf(flag.name, firstWritten(flag, layers, settings), flag.default));
  const names = new Set(flags.flatMap(({ name }) => [name, `run.${name}`]));
  const ofFile = settings.written
    .filter(({ name }) => !names.has(name))
    .map((written) => settingOf(written.name, [written], null));
  const aliases = Object.values(ALIASES);
  const ofVariables = variables
    .filter(({ name }) => !aliases.includes(name))
    .map((row) => variableValue(row, layers));
  return [...ofFlags, ...ofFile.map((value) => withKeyState(value, layers)), ...ofVariables];
}

/** Flag, variable, its other name, file. */
function firstWritten(flag: FlagRow, layers: Layers, settings: Settings): readonly Written[] {
  const written = writtenValues(layers, flag.name);
  if (written.length > 0) return flag.repeats === true ? written : written.slice(-1);
  const alias = ALIASES[flag.name];
  const text = alias === undefined ? undefined : layers.environment.variables.get(alias);
  if (alias !== undefined && text !== undefined) return [{ text, place: alias }];
  return settings.written.filter(({ name }) => name === flag.name || name === `run.${flag.name}`).slice(0, 1);
}

function settingOf(name: string, written: readonly Written[], fallback: string | null): SettingValue {
  const [first] = written;
  if (first === undefined) return { name, values: null, default: fallback, origin: { kind: 'default' } };
  return { name, values: written.map(({ text }) => shown(text)), default: fallback, origin: originOf(first) };
}

function originOf({ place, line }: Written): SettingOrigin {
  if (place === SETTINGS_PATH) return { kind: 'file', place, line: line ?? null };
  return { kind: place.startsWith('--') ? 'flag' : 'variable', place };
}

function variableValue({ name, secret }: VariableRow, { environment }: Layers): SettingValue {
  const text = environment.named([name]).get(name);
  if (text === undefined) return { name, values: null, default: null, origin: { kind: 'default' } };
  const value = secret === true ? `set (${name})` : shown(text);
  return { name, values: [value], default: null, origin: { kind: 'variable', place: name } };
}

/** The name of a variable that holds a key, with whether it does. */
function withKeyState(value: SettingValue, { environment }: Layers): SettingValue {
  const [variable] = value.values ?? [];
  if (variable === undefined || !/^providers\.[a-z-]+\.api-key-env$/.test(value.name)) return value;
  const state = environment.named([variable]).size > 0 ? 'set' : 'not set';
  return { ...value, values: [`${state} (${variable})`] };
}

function shown(text: string): string {
  return looksLikeKey(text) ? NOT_SHOWN : withoutUserInfo(text);
}

/** Variables of this program's family that are set and that nothing reads: a slip is not left unsaid. */
export function unreadVariables({ layers, flags, variables }: SettingSources): string[] {
  const read = new Set([...flags.map(({ name }) => variableOf(name)), ...variables.map(({ name }) => name)]);
  return [...layers.environment.variables.keys()].filter((name) => !read.has(name)).sort();
}
