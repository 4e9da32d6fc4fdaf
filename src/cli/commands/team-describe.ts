/** `bnerd team describe`. */

import { describeRecipe } from '../../runtime/describe.js';
import { plainJson } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { descriptionText } from '../listings.js';
import { refuse, writeFindings } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const found = await describeRecipe(house.value, argument(call, 'slug'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { whenToUse, members, ...rest } = found.value;
  if (isGiven(call, 'json')) {
    const rows = members.map(({ name, onDemand }) => ({ name, on_demand: onDemand }));
    const description = { v: 1, ...rest, when_to_use: whenToUse, members: rows };
    program.output.results.write(`${plainJson(JSON.stringify(description, null, 2))}\n`);
    return 0;
  }
  writeFindings(program.output.notes, found.value.findings);
  program.output.results.write(descriptionText(found.value));
  return 0;
}
