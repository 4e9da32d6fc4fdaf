/** `bnerd team transcript`. */

import { teamTranscript } from '../../runtime/teams.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { refuse, writeFindings } from '../refusal.js';
import { transcriptText } from '../texts/transcript-text.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const member = argument(call, 'member');
  const found = await teamTranscript(house.value, argument(call, 'id'), member);
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { entries, findings } = found.value;
  if (isGiven(call, 'json')) {
    program.output.results.write(jsonDocument({ v: 1, member, entries, findings }));
    return 0;
  }
  writeFindings(program, findings);
  program.output.results.write(transcriptText(entries));
  return 0;
}
