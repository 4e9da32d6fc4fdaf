/** `bnerd skills list`: the entries on stdout; `--findings`: behind them every finding on every file. */

import { TIERS, type Tier } from '../../catalog/tiers.js';
import { readChoice } from '../../config/values.js';
import { type Resolved, writtenValue } from '../../config/written.js';
import { listEntries } from '../../runtime/skills/list-entries.js';
import { plainJson } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { type Call, isGiven } from '../call.js';
import { shownFrom } from '../findings/place.js';
import { refuse, writeFindings } from '../refusal.js';
import { entryJson } from '../texts/entry-json.js';
import { entriesText } from '../texts/entry-text.js';
import { findingLine } from '../texts/finding-text.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const { results, notes } = program.output;
  const tier = tierOf(call);
  if (tier.kind === 'refused') return refuse(program, tier.findings);
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { files, said, all } = await listEntries(house.value, tier.value);
  const { workingDirectory } = house.value;
  const everything = isGiven(call, 'findings');
  if (isGiven(call, 'json')) {
    const document = { v: 1, entries: files.map(entryJson), findings: everything ? all : said };
    results.write(`${plainJson(JSON.stringify(document, null, 2))}\n`);
    return 0;
  }
  writeFindings(program, said);
  results.write(entriesText(files, workingDirectory));
  if (!everything) return 0;
  notes.write(`${all.length} ${all.length === 1 ? 'finding' : 'findings'}\n`);
  if (all.length > 0) results.write('\n');
  for (const finding of all) {
    results.write(`${findingLine({ ...finding, path: shownFrom(finding.path, workingDirectory) })}\n`);
  }
  return 0;
}

function tierOf(call: Call): Resolved<Tier | null> {
  const written = writtenValue(call.layers, 'tier');
  if (written === undefined) return { kind: 'resolved', value: null };
  const reading = readChoice(written, TIERS);
  return reading.kind === 'read'
    ? { kind: 'resolved', value: reading.value }
    : { kind: 'refused', findings: [reading.finding] };
}
