/** `bnerd team describe`: what a recipe is made of, or with `--prompt` the system prompt of one member. */

import { resolveRunConfig } from '../../config/run-config.js';
import { NO_SETTINGS } from '../../config/settings.js';
import { describeRecipe } from '../../runtime/describe.js';
import { describePrompt } from '../../runtime/describe-prompt.js';
import type { House } from '../../runtime/house.js';
import { plainJson, stripControls } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { descriptionText } from '../listings.js';
import { partsTable } from '../prompt-parts.js';
import { refuse, writeFindings } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const role = call.layers.flags.get('prompt')?.[0];
  return role === undefined ? describe(call, house.value) : showPrompt(call, house.value, role);
}

async function describe(call: Call, house: House): Promise<number> {
  const { program } = call;
  const found = await describeRecipe(house, argument(call, 'slug'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { whenToUse, members, ...rest } = found.value;
  if (isGiven(call, 'json')) {
    const rows = members.map(({ name, onDemand }) => ({ name, on_demand: onDemand }));
    writeJson(call, { v: 1, ...rest, when_to_use: whenToUse, members: rows });
    return 0;
  }
  writeFindings(program, found.value.findings);
  program.output.results.write(descriptionText(found.value));
  return 0;
}

/** Stdout holds the prompt, not a byte more, so that its digest is that of the record. */
async function showPrompt(call: Call, house: House, role: string): Promise<number> {
  const { program, layers } = call;
  // `--prompt` of `team run` is another flag: neither it nor its variable is meant here.
  const flags = new Map([...layers.flags].filter(([name]) => name !== 'prompt'));
  const order = resolveRunConfig({ ...layers, flags }, NO_SETTINGS, []);
  if (order.kind === 'refused') return refuse(program, order.findings);
  const { variables, safety } = order.value;
  const found = await describePrompt(house, { slug: argument(call, 'slug'), variables, safety }, role);
  if (found.kind === 'refused') return refuse(program, found.findings);
  if (isGiven(call, 'json')) {
    writeJson(call, { v: 1, ...found.value });
    return 0;
  }
  writeFindings(program, found.value.findings);
  program.output.results.write(stripControls(found.value.text));
  program.output.notes.write(`\n${partsTable(found.value, house.workingDirectory)}`);
  return 0;
}

function writeJson({ program }: Call, document: object): void {
  program.output.results.write(`${plainJson(JSON.stringify(document, null, 2))}\n`);
}
