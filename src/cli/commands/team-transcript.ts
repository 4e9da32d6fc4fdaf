/** `bnerd team transcript`: of a member its memory, of a brief the file that its engineer worked into. */

import { briefTranscript, isBriefWord } from '../../runtime/brief-transcript.js';
import type { House } from '../../runtime/house.js';
import { teamTranscript } from '../../runtime/teams.js';
import { hasErrors } from '../../shared/findings.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { refuse, writeFindings } from '../refusal.js';
import { briefTranscriptText } from '../texts/brief-transcript-text.js';
import { transcriptText } from '../texts/transcript-text.js';

export async function run(call: Call): Promise<number> {
  const word = argument(call, 'member');
  // The memory of a member is clean since it was written; what a file of an engineer holds is looked at here.
  const needs = isBriefWord(word) ? 'words' : 'records';
  const house = await houseOf(call, needs);
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  const ofBrief = needs === 'words' ? await showBrief(call, house.value, word) : null;
  return ofBrief ?? showMember(call, house.value, word);
}

/** Null: the record has no such brief. */
async function showBrief(call: Call, house: House, word: string): Promise<number | null> {
  const { program } = call;
  const found = await briefTranscript(house, argument(call, 'id'), word);
  if (found.kind === 'refused') return refuse(program, found.findings);
  const look = found.value;
  if (look.kind === 'no-brief') return null;
  if (look.kind === 'not-shown') return refuse(program, [look.finding], 'text', 1);
  const { transcript } = look;
  if (isGiven(call, 'json')) {
    program.output.results.write(jsonDocument({ v: 1, ...transcript }));
  } else {
    writeFindings(program, transcript.findings);
    program.output.results.write(briefTranscriptText(transcript));
  }
  return hasErrors(transcript.findings) ? 1 : 0;
}

async function showMember(call: Call, house: House, member: string): Promise<number> {
  const { program } = call;
  const found = await teamTranscript(house, argument(call, 'id'), member);
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
