/** `bnerd skills lock`: the path of the lock on stdout, what changed in it on stderr. */

import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { dialectAt, wantedFolder } from '../../skills/import/entry-folder.js';
import { openTarget } from '../../skills/import/target-folder.js';
import { lockFolder } from '../../skills/lock/lock-folder.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, isGiven } from '../call.js';
import { shownFrom } from '../findings/place.js';
import { interruptible } from '../interruptible.js';
import { refuse, writeFindings } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const { results, notes } = program.output;
  const opened = await houseOf(call, 'catalogue');
  if (opened.kind === 'refused') return refuse(program, opened.findings);
  const house = opened.value;
  const named = argument(call, 'folder');
  const target = await openTarget(wantedFolder(house, house.workingDirectory, named === '' ? null : named));
  if (target.kind === 'refused') return refuse(program, [target.finding], 'text', 1);
  return interruptible(program, async (signal) => {
    const locked = await lockFolder(target.path, await dialectAt(house, target.path), signal);
    if (locked.kind === 'refused') return refuse(program, locked.findings, 'text', 1);
    const { entries, added, changed, removed, findings } = locked;
    const path = shownFrom(locked.path, house.workingDirectory);
    if (isGiven(call, 'json')) {
      const document = { v: 1, path, entries, added, changed, removed, findings };
      results.write(jsonDocument(document));
      return 0;
    }
    writeFindings(program, findings);
    const parts = Object.entries({ added, changed, removed }).flatMap(([what, names]) =>
      names.length === 0 ? [] : [`${what}: ${names.join(', ')}`],
    );
    const news = parts.length === 0 ? 'nothing has changed' : parts.join('; ');
    notes.write(`${oneLine(`${entries} ${entries === 1 ? 'entry' : 'entries'} locked; ${news}`, 4_096)}\n`);
    results.write(`${oneLine(path, 4_096)}\n`);
    return 0;
  });
}
