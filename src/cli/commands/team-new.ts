/** `bnerd team new`: the paths of the files on stdout, what to do next on stderr. */

import { type NewTeam, newTeam } from '../../runtime/new-team.js';
import { shellWord } from '../../shared/shell-word.js';
import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { shownFrom } from '../findings/place.js';
import { summaryLine } from '../findings/report.js';
import { refuse, writeFindings } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const into = isGiven(call, 'mission') ? 'mission' : 'project';
  const made = await newTeam(house.value, argument(call, 'slug'), into);
  if (made.kind === 'refused') return refuse(program, made.findings);
  const { slug, tier, inEffect, findings } = made.value;
  const files = made.value.files.map((path) => shownFrom(path, program.workingDirectory));
  if (isGiven(call, 'json')) {
    const document = { v: 1, slug, tier, in_effect: inEffect, files, findings };
    program.output.results.write(jsonDocument(document));
    return 0;
  }
  program.output.results.write(files.map((file) => `${oneLine(file, Number.MAX_SAFE_INTEGER)}\n`).join(''));
  writeFindings(program, findings);
  program.output.notes.write(nextSteps(made.value, files, call));
  return 0;
}

/** In words that can be copied: what to rewrite and check, what to approve, how to run it. */
function nextSteps(made: NewTeam, files: readonly string[], call: Call): string {
  const { slug, inEffect } = made;
  const mission = call.layers.flags.get('mission-repo')?.[0];
  const named = mission === undefined ? '' : ` --mission-repo ${shellWord(mission)}`;
  const trust = inEffect
    ? []
    : [
        'files of a repository are used only once you have approved them, and after an edit once more:',
        ...files.map((file) => `  bnerd trust ${shellWord(file)}`),
        'or, once it is committed, for all that this repository holds and will hold: bnerd trust --repo',
      ];
  const lines = [
    `${summaryLine({ checked: made.files, findings: made.findings })}; make them yours: ${files.at(-1)} comes first`,
    `  bnerd team lint ${slug}${named}`,
    ...trust,
    'then:',
    `  bnerd team describe ${slug}${named}`,
    `  bnerd team run ${slug}${named} "where is the configuration read?"`,
  ];
  return lines.map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER)}\n`).join('');
}
