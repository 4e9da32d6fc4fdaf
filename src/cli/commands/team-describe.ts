/** `bnerd team describe`: what a recipe is made of; `--prompt`: the system prompt of one member; `--policy`: its policy. */

import { type RunConfig, resolveRunConfig } from '../../config/run-config.js';
import { NO_SETTINGS } from '../../config/settings.js';
import type { Resolved } from '../../config/written.js';
import { describeRecipe } from '../../runtime/describe.js';
import { describePolicy } from '../../runtime/describe-policy.js';
import { describePrompt } from '../../runtime/describe-prompt.js';
import type { House } from '../../runtime/house.js';
import { jsonDocument, stripControls } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, flagText, isGiven } from '../call.js';
import { refuse, writeFindings } from '../refusal.js';
import { descriptionText } from '../texts/listings.js';
import { policyText } from '../texts/policy-text.js';
import { partsTable } from '../texts/prompt-parts.js';
import { oneOfTwo } from '../usage.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const role = flagText(call, 'prompt');
  if (role !== null && isGiven(call, 'policy')) return refuse(program, [oneOfTwo('--policy', '--prompt')]);
  if (isGiven(call, 'policy')) return showPolicy(call, house.value);
  return role === null ? describe(call, house.value) : showPrompt(call, house.value, role);
}

async function describe(call: Call, house: House): Promise<number> {
  const { program } = call;
  const found = await describeRecipe(house, argument(call, 'slug'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { whenToUse, members, ...rest } = found.value;
  if (isGiven(call, 'json')) {
    const rows = members.map(({ name, onDemand }) => ({ name, on_demand: onDemand }));
    program.output.results.write(jsonDocument({ v: 1, ...rest, when_to_use: whenToUse, members: rows }));
    return 0;
  }
  writeFindings(program, found.value.findings);
  program.output.results.write(descriptionText(found.value));
  return 0;
}

async function showPolicy(call: Call, house: House): Promise<number> {
  const { program } = call;
  const order = orderOf(call);
  if (order.kind === 'refused') return refuse(program, order.findings);
  const found = await describePolicy(house, argument(call, 'slug'), order.value.safety);
  if (found.kind === 'refused') return refuse(program, found.findings);
  if (isGiven(call, 'json')) {
    const { editsAgents, shellWrap, tables, ...rest } = found.value;
    const modes = tables.map(({ planPending, ...table }) => ({ ...table, plan_pending: planPending }));
    const own = { edits_agents: editsAgents, shell_wrap: shellWrap, tables: modes };
    program.output.results.write(jsonDocument({ v: 1, ...rest, ...own }));
    return 0;
  }
  writeFindings(program, found.value.findings);
  program.output.results.write(policyText(found.value));
  return 0;
}

/** Stdout holds the prompt, not a byte more, so that its digest is that of the record. */
async function showPrompt(call: Call, house: House, role: string): Promise<number> {
  const { program } = call;
  const order = orderOf(call);
  if (order.kind === 'refused') return refuse(program, order.findings);
  const { variables, safety } = order.value;
  const found = await describePrompt(house, { slug: argument(call, 'slug'), variables, safety }, role);
  if (found.kind === 'refused') return refuse(program, found.findings);
  if (isGiven(call, 'json')) {
    program.output.results.write(jsonDocument({ v: 1, ...found.value }));
    return 0;
  }
  writeFindings(program, found.value.findings);
  program.output.results.write(stripControls(found.value.text));
  program.output.notes.write(`\n${partsTable(found.value, house.workingDirectory)}`);
  return 0;
}

/** `--prompt` of `team run` is another flag: neither it nor its variable is meant here. */
function orderOf({ layers }: Call): Resolved<RunConfig> {
  const flags = new Map([...layers.flags].filter(([name]) => name !== 'prompt'));
  return resolveRunConfig({ ...layers, flags }, NO_SETTINGS, []);
}
