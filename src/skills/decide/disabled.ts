/**
 * Names that are listed and never composed (spec/skills.md §3): by the settings file and the mark of the mission
 * repository. Pure.
 *
 * Always true: compared exactly as entries are named; of two places that disable a name the first is told.
 */

import { didYouMean } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { quoted } from '../remark.js';
import type { DisabledName } from '../settings.js';

/** The names, each with who says so. @param said in the order of the places: settings, then mission */
export function disabledNames(said: readonly DisabledName[]): ReadonlyMap<string, DisabledName> {
  return new Map([...said].reverse().map((one) => [one.name, one]));
}

/**
 * A remark on each name that nothing has and that is nearly the name of something: it takes nothing away, and whoever
 * wrote it may rely on it. A name that is like none belongs to another place, where there is such an entry.
 * @param names of every entry there is, used or not
 */
export function disabledSlips(said: readonly DisabledName[], names: readonly string[]): readonly Finding[] {
  return said.flatMap(({ name, place }): Finding[] => {
    const meant = names.includes(name) ? undefined : didYouMean(name, names);
    if (meant === undefined) return [];
    const [, path = place, line] = /^(.*):(\d+)$/s.exec(place) ?? [];
    return [
      {
        code: 'disabled-unknown',
        severity: 'info',
        path,
        ...(line === undefined ? {} : { line: Number(line) }),
        message: `no skill or rule is named ${quoted(name)}, so disabling it takes nothing away`,
        remedy: `did you mean ${quoted(meant)}?`,
      },
    ];
  });
}
