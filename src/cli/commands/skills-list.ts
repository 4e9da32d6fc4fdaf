/**
 * `bnerd skills list`: the entries on stdout; `--findings`: behind them every finding on every file; `--role`: what a
 * member of a role would be given, exit 1 when a run would refuse it.
 */

import { TIERS, type Tier } from '../../catalog/tiers.js';
import { readChoice } from '../../config/values.js';
import { badValue, type Resolved, writtenValue } from '../../config/written.js';
import type { House } from '../../runtime/house.js';
import { type EntryList, listEntries, listHeads } from '../../runtime/skills/list-entries.js';
import { roleEntries } from '../../runtime/skills/role-entries.js';
import { hasErrors } from '../../shared/findings.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { type Call, isGiven } from '../call.js';
import { shownFrom } from '../findings/place.js';
import { refuse, writeFindings } from '../refusal.js';
import { fitted } from '../texts/columns.js';
import { entryJson, roleEntryJson } from '../texts/entry-json.js';
import { entriesText, roleText } from '../texts/entry-text.js';
import { findingLine } from '../texts/finding-text.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const wish = wishOf(call);
  if (wish.kind === 'refused') return refuse(program, wish.findings);
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { tier, role } = wish.value;
  if (role !== null) return listOfRole(call, house.value, role);
  // Names and descriptions stand in the heads of the files; only what more is asked for takes the whole of them.
  if (!isGiven(call, 'json') && !isGiven(call, 'findings')) {
    const { files, said } = await listHeads(house.value, tier);
    writeFindings(program, said);
    const { results } = program.output;
    results.write(fitted(entriesText(files, program.workingDirectory), results.lineWidth));
    return 0;
  }
  return listWhole(call, await listEntries(house.value, tier));
}

function listWhole(call: Call, { files, said, all }: EntryList): number {
  const { program } = call;
  const { results, notes } = program.output;
  const everything = isGiven(call, 'findings');
  if (isGiven(call, 'json')) {
    program.output.results.write(
      jsonDocument({ v: 1, entries: files.map(entryJson), findings: everything ? all : said }),
    );
    return 0;
  }
  writeFindings(program, said);
  results.write(fitted(entriesText(files, program.workingDirectory), results.lineWidth));
  notes.write(`${all.length} ${all.length === 1 ? 'finding' : 'findings'}\n`);
  if (all.length > 0) results.write('\n');
  for (const finding of all) {
    const path = shownFrom(finding.path, program.workingDirectory);
    results.write(`${findingLine({ ...finding, path })}\n`);
  }
  return 0;
}

async function listOfRole(call: Call, house: House, role: string): Promise<number> {
  const { program } = call;
  const found = await roleEntries(house, role);
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { value } = found;
  const { findings } = value;
  if (isGiven(call, 'json')) {
    program.output.results.write(
      jsonDocument({ v: 1, role: value.role, entries: value.entries.map(roleEntryJson), findings }),
    );
  } else {
    writeFindings(program, findings);
    const { results } = program.output;
    results.write(fitted(roleText(value), results.lineWidth));
  }
  return hasErrors(findings) ? 1 : 0;
}

/** A role is looked at over all tiers, since any of them may name what it is given. */
function wishOf(call: Call): Resolved<{ readonly tier: Tier | null; readonly role: string | null }> {
  const role = writtenValue(call.layers, 'role')?.text ?? null;
  const written = writtenValue(call.layers, 'tier');
  if (written === undefined) return { kind: 'resolved', value: { tier: null, role } };
  const reading = readChoice(written, TIERS);
  if (reading.kind === 'refused') return { kind: 'refused', findings: [reading.finding] };
  if (role === null) return { kind: 'resolved', value: { tier: reading.value, role } };
  const finding = badValue(written, 'nothing, as --role is given too', 'keep one of the two flags');
  return { kind: 'refused', findings: [finding] };
}
