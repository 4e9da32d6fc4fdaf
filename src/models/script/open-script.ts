/** From a script's path to a model that plays it. */

import type { Finding } from '../../shared/findings.js';
import type { Model } from '../model.js';
import { checkParsed, type ScriptTeam } from './check-script.js';
import { parseScript } from './parse-script.js';
import { readScript } from './read-script.js';
import { scriptedModel } from './scripted-model.js';

/** Where a script lies, how the user would type that, and how the model's name gives it. */
export interface ScriptPlace {
  readonly file: string;
  readonly shown: string;
  readonly name: string;
}

/** Reads, parses and checks a script. The model is null exactly when a finding is an error. */
export async function openScript(
  place: ScriptPlace,
  team: ScriptTeam,
): Promise<{ readonly model: Model | null; readonly findings: readonly Finding[] }> {
  const read = await readScript(place.file, place.shown);
  if (read.kind === 'refused') return { model: null, findings: [read.finding] };
  const parsed = parseScript(read.text, place.shown);
  if (parsed.kind === 'refused') return { model: null, findings: parsed.findings };
  const findings = checkParsed(parsed.script, team);
  return { model: findings.length > 0 ? null : scriptedModel(parsed.script, place.name), findings };
}
