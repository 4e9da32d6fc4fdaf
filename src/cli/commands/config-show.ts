/** `bnerd config show`: every setting on stdout, what is wrong with any on stderr, exit 1 when something is. */

import { resolveConfig } from '../../config/config.js';
import { resolveOutputConfig } from '../../config/output-config.js';
import { readSettings } from '../../config/read-settings.js';
import { resolveRunConfig } from '../../config/run-config.js';
import { NO_SETTINGS, type Settings } from '../../config/settings.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { type Finding, hasErrors } from '../../shared/findings.js';
import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { writeFindings } from '../refusal.js';
import { RUN_ROWS } from '../rows/run.js';
import { COMMANDS, VARIABLES } from '../table.js';
import { columns } from '../texts/columns.js';
import {
  type SettingOrigin,
  type SettingSources,
  type SettingValue,
  settingValues,
  unreadVariables,
} from '../texts/setting-values.js';

export async function run(call: Call): Promise<number> {
  const { program, layers } = call;
  const read = await readSettings(layers.environment.home);
  const settings = read.kind === 'resolved' ? read.value : NO_SETTINGS;
  const flags = RUN_ROWS.flatMap((row) => (row.name === 'team run' ? row.flags : []));
  const sources = { layers, settings, flags, variables: VARIABLES };
  const values = settingValues(sources);
  const findings = [...(await problems(call, settings)), ...unread(sources)];
  if (isGiven(call, 'json')) {
    const document = { v: 1, settings: values, findings };
    program.output.results.write(jsonDocument(document));
  } else {
    program.output.results.write(table(values, isGiven(call, 'origin')));
    writeFindings(program, findings);
  }
  return hasErrors(findings) ? 1 : 0;
}

/** What a run would be refused for, and what is written and not in effect. */
async function problems({ program, layers }: Call, settings: Settings): Promise<Finding[]> {
  const { workingDirectory } = program;
  const resolved = [
    await resolveConfig(layers, { needs: 'catalogue', workingDirectory }),
    resolveRunConfig(layers, settings, []),
    resolveOutputConfig(layers),
  ];
  return [...resolved.flatMap((one) => (one.kind === 'refused' ? one.findings : [])), ...settings.findings];
}

/** Variables of every command count as read, also those that are no setting of a run. */
function unread(sources: SettingSources): Finding[] {
  const flags = COMMANDS.flatMap((row) => row.flags);
  const known = [...flags.flatMap(({ env }) => env ?? []), ...VARIABLES.map(({ name }) => name)];
  return unreadVariables({ ...sources, flags }).map((name) => ({
    code: 'unknown-variable',
    severity: 'warning',
    path: name,
    message: 'the variable is set and nothing reads it',
    remedy: nameRemedy(
      name,
      known.filter((other) => other.startsWith('BNERD_')),
    ),
  }));
}

function table(values: readonly SettingValue[], withOrigin: boolean): string {
  return columns(
    values.map((value) => [value.name, text(value), ...(withOrigin ? [originText(value.origin)] : [])]),
    WIDEST,
  );
}

/** Addresses and globs are long. */
const WIDEST = 60;

function text({ values, default: fallback }: SettingValue): string {
  return values === null ? (fallback ?? 'not set') : values.map((value) => oneLine(value)).join(', ');
}

function originText(origin: SettingOrigin): string {
  if (origin.kind === 'default') return 'default';
  if (origin.kind !== 'file' || origin.line === null) return origin.place;
  return `${origin.place}:${origin.line}`;
}
