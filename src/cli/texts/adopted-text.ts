/** What people and programs are told of an entry that was written: the difference, and what was left out. */

import { lineDiff } from '../../shared/line-diff.js';
import { oneLine, stripControls } from '../../shared/terminal-text.js';
import type { AdoptedEntry } from '../../skills/import/import-skill.js';
import { shownFrom } from '../findings/place.js';

/** The lines of a unified diff of the file. @param shown the file, as it is shown */
function adoptedDiff({ before, after }: AdoptedEntry, shown: string): readonly string[] {
  const head = [before === null ? '--- /dev/null' : `--- ${shown}`, `+++ ${shown}`];
  return [...head, ...lineDiff(before ?? '', after)];
}

/** For a terminal: the difference, what was left out, and what was done. */
export function adoptedText(skill: AdoptedEntry, done: string, workingDirectory: string): string {
  const shown = shownFrom(skill.path, workingDirectory);
  const lines = [
    // A log of a build may be read for commands: no line of a diff begins with one.
    ...adoptedDiff(skill, shown).map((line) =>
      stripControls(line).replaceAll('\n', '\\n').replaceAll('##[', '## ['),
    ),
    ...skill.dropped.map(({ key, value }) => oneLine(`left out: ${key}: ${value}`)),
    oneLine(
      `${done} ${shown}: ${skill.entry.name} ${skill.entry.version ?? ''} ${skill.entry.digest}`,
      1_000,
    ),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The same as JSON. */
export function adoptedJson(
  skill: AdoptedEntry,
  workingDirectory: string,
): Readonly<Record<string, unknown>> {
  const { entry, path, before, dropped, findings } = skill;
  const { name, version, origin, license, upstream, digest } = entry;
  const shown = shownFrom(path, workingDirectory);
  return {
    name,
    version,
    origin,
    license,
    upstream,
    digest,
    path: shown,
    replaces: before !== null,
    dropped,
    diff: adoptedDiff(skill, shown),
    findings,
  };
}
