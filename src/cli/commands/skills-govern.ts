/** `bnerd skills govern`: the path of the file on stdout, the difference and what was left out on stderr. */

import type { House } from '../../runtime/house.js';
import { listHeads } from '../../runtime/skills/list-entries.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { shellWord } from '../../shared/shell-word.js';
import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { dialectAt, wantedFolder } from '../../skills/import/entry-folder.js';
import { governSkill, NO_SUCH_ENTRY } from '../../skills/import/govern-skill.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, flagText, isGiven } from '../call.js';
import { shownFrom } from '../findings/place.js';
import { interruptible } from '../interruptible.js';
import { refuse, writeFindings } from '../refusal.js';
import { adoptedJson, adoptedText } from '../texts/adopted-text.js';
import { notReadText } from '../texts/folder-text.js';
import { missingFlag } from '../usage.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const { results, notes } = program.output;
  const origin = flagText(call, 'origin');
  if (origin === null) return refuse(program, [missingFlag('origin', 'skills govern')]);
  if (origin !== 'proprietary') {
    const message = `found "${oneLine(origin, 40)}", allowed is proprietary: what others wrote comes by "bnerd skills import"`;
    const remedy = nameRemedy(origin, ['proprietary']);
    return refuse(program, [{ code: 'bad-origin', severity: 'error', path: '--origin', message, remedy }]);
  }
  const opened = await houseOf(call, 'catalogue');
  if (opened.kind === 'refused') return refuse(program, opened.findings);
  const house = opened.value;
  const mode = isGiven(call, 'dry-run') ? 'check' : 'write';
  const into = wantedFolder(house, house.workingDirectory, flagText(call, 'into'));
  const order = { name: argument(call, 'name'), version: flagText(call, 'version'), into, mode } as const;
  return interruptible(program, async (signal) => {
    const governed = await governSkill(order, { guards: house.skills, signal });
    if (governed.kind === 'refused') {
      const findings = await withOtherFolder(house, order.name, governed.findings);
      return refuse(program, findings, 'text', 1);
    }
    const { skill } = governed;
    if (isGiven(call, 'json')) {
      const document = { v: 1, written: mode === 'write', ...adoptedJson(skill, house.workingDirectory) };
      results.write(jsonDocument(document));
      return 0;
    }
    writeFindings(program, skill.findings);
    const done = mode === 'write' ? 'governed' : 'would be governed, nothing was written:';
    notes.write(adoptedText(skill, done, house.workingDirectory));
    if ((await dialectAt(house, into.path)) === null) {
      notes.write(notReadText(into.path, house.workingDirectory));
    }
    if (mode === 'write') results.write(`${oneLine(shownFrom(skill.path, house.workingDirectory), 4_096)}\n`);
    return 0;
  });
}

/** A name that is not in the folder, and is that of an entry in another: the flag that leads there. */
async function withOtherFolder(
  house: House,
  name: string,
  findings: readonly Finding[],
): Promise<readonly Finding[]> {
  if (!findings.some(({ code }) => code === NO_SUCH_ENTRY)) return findings;
  const { files } = await listHeads(house, null);
  const other = files.find(({ file, name: named }) => named === name && file.place.tier !== 'builtin');
  if (other === undefined) return findings;
  const folder = shellWord(shownFrom(other.file.place.folder, house.workingDirectory));
  const remedy = `it lies in another folder: add --into ${folder}`;
  return findings.map((finding) => (finding.code === NO_SUCH_ENTRY ? { ...finding, remedy } : finding));
}
