/** `bnerd skills import`: the checklist for the reviewers on stdout, the difference and what was done on stderr. */

import { jsonDocument } from '../../shared/terminal-text.js';
import { dialectAt, wantedFolder } from '../../skills/import/entry-folder.js';
import { importSkill } from '../../skills/import/import-skill.js';
import { FETCH_LIMITS } from '../../skills/import/scratch-repository.js';
import { vettingChecklist } from '../../skills/import/vetting.js';
import { houseOf } from '../build-house.js';
import { type Call, flagText, isGiven } from '../call.js';
import { interruptible } from '../interruptible.js';
import { REFUSED, refuse, writeFindings } from '../refusal.js';
import { adoptedJson, adoptedText } from '../texts/adopted-text.js';
import { notReadText } from '../texts/folder-text.js';
import { missingFlag } from '../usage.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const { results, notes } = program.output;
  const [url, ref] = [flagText(call, 'url'), flagText(call, 'ref')];
  if (url === null) return refuse(program, [missingFlag('url', 'skills import')]);
  if (ref === null) return refuse(program, [missingFlag('ref', 'skills import')]);
  const opened = await houseOf(call, 'catalogue');
  if (opened.kind === 'refused') return refuse(program, opened.findings);
  const house = opened.value;
  const mode = isGiven(call, 'dry-run') ? 'check' : 'write';
  const order = {
    url,
    ref,
    source: flagText(call, 'source'),
    file: flagText(call, 'file') ?? 'SKILL.md',
    license: flagText(call, 'license'),
    version: flagText(call, 'version'),
    into: wantedFolder(house, house.workingDirectory, flagText(call, 'into')),
    mode,
  } as const;
  return interruptible(program, async (signal) => {
    const imported = await importSkill(order, {
      gitPath: house.toolEnvironment['PATH'] ?? '',
      temporaryDirectory: house.temporaryDirectory,
      maxBytes: FETCH_LIMITS.bytes,
      guards: house.skills,
      signal,
    });
    if (imported.kind === 'refused') {
      return refuse(program, imported.findings, 'text', imported.cause === 'words' ? REFUSED : 1);
    }
    const { skill } = imported;
    const checklist = vettingChecklist(skill);
    if (isGiven(call, 'json')) {
      const { file, commit } = skill;
      const facts = { ...adoptedJson(skill, house.workingDirectory), file, commit, checklist };
      results.write(jsonDocument({ v: 1, written: mode === 'write', ...facts }));
      return 0;
    }
    writeFindings(program, skill.findings);
    const done = mode === 'write' ? 'imported' : 'would be imported, nothing was written:';
    notes.write(adoptedText(skill, done, house.workingDirectory));
    if ((await dialectAt(house, order.into.path)) === null) {
      notes.write(notReadText(order.into.path, house.workingDirectory));
    }
    results.write(checklist);
    return 0;
  });
}
