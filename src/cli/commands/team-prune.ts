/** `bnerd team prune`: puts teams away that have ended long ago, or lists them in a dry run. */

import { readDuration } from '../../config/values.js';
import { type OldTeam, oldTeams, pruneTeams } from '../../runtime/prune-teams.js';
import { formatFinding } from '../../shared/findings.js';
import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { type Call, flagText, isGiven } from '../call.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const text = flagText(call, 'older-than');
  if (text === null) {
    const message = 'nothing says how long ago a team must have ended';
    const remedy = 'add for example --older-than 30d';
    return refuse(program, [
      { code: 'missing-flag', severity: 'error', path: '--older-than', message, remedy },
    ]);
  }
  const olderThan = readDuration({ text, place: '--older-than' }, 0);
  if (olderThan.kind === 'refused') return refuse(program, [olderThan.finding]);
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const old = await oldTeams(house.value, olderThan.value);
  const dry = isGiven(call, 'dry-run');
  const { away, findings } = dry ? { away: [], findings: [] } : await pruneTeams(house.value, old.teams);
  const left = [...old.findings, ...findings];
  const { results, notes } = program.output;
  if (isGiven(call, 'json')) {
    results.write(jsonDocument({ v: 1, dry_run: dry, teams: dry ? old.teams : away, findings: left }));
  } else {
    for (const team of dry ? old.teams : away) results.write(`${lineOf(team)}\n`);
    for (const finding of left) notes.write(`${formatFinding(finding)}\n`);
    const count = (dry ? old.teams : away).length;
    notes.write(`${dry ? 'would put away' : 'put away'} ${count} ${count === 1 ? 'team' : 'teams'}\n`);
  }
  return findings.length === 0 ? 0 : 1;
}

function lineOf(team: OldTeam & { readonly text?: string }): string {
  const { id, reason, ended, text } = team;
  return oneLine(`${id}  ended ${ended} (${reason})${text === undefined ? '' : `: ${text}`}`);
}
