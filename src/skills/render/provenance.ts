/**
 * The comment that says where the knowledge behind it comes from (spec/runner.md §2), written and read in one place; between its marks stands
 *
 *     skill=<name>; version=<v>; origin=proprietary
 *     skill=<name>; version=<v>; origin=third-party; license=<spdx>; upstream=<url>@<ref>
 *
 * Always true: a line that is read is exactly the one that would be written of what it says; a value that could end its
 * comment, or be read as two, is refused.
 */

import type { Entry } from '../entry.js';
import { isSemanticVersion } from '../parse/version.js';
import { PROVENANCE } from './marks.js';

/** What a comment says. */
export type Provenance = Pick<Entry, 'name' | 'license' | 'upstream'> & {
  readonly version: string;
  readonly origin: 'proprietary' | 'third-party';
};

export type ProvenanceLine =
  | { readonly kind: 'line'; readonly text: string }
  /** Why there can be none, as the end of "this entry may not ride:". */
  | { readonly kind: 'refused'; readonly reason: string };

/** The comment of an entry, or why there can be none. */
export function provenanceLine(
  entry: Pick<Entry, 'name' | 'version' | 'origin' | 'license' | 'upstream'>,
): ProvenanceLine {
  const { name, version, origin, license, upstream } = entry;
  const refused = (reason: string): ProvenanceLine => ({ kind: 'refused', reason });
  if (version === null || !isSemanticVersion(version)) return refused('it has no semantic version');
  const common: Values = [
    ['skill', name],
    ['version', version],
  ];
  if (origin === 'proprietary') {
    if (license !== null || upstream !== null)
      return refused('it is proprietary and names a licence or a source');
    return written([...common, ['origin', origin]]);
  }
  if (origin !== 'third-party') return refused('its origin is neither proprietary nor third-party');
  if (license === null || upstream === null)
    return refused('it is third-party and does not name licence and source');
  return written([...common, ['origin', origin], ['license', license], ['upstream', upstream]]);
}

/** What a line says that is such a comment, to the byte; undefined for any other. */
export function readProvenance(line: string): Provenance | undefined {
  const { opens, closes } = PROVENANCE;
  if (!line.startsWith(opens) || !line.endsWith(closes)) return undefined;
  const values = new Map(
    line
      .slice(opens.length, -closes.length)
      .split('; ')
      .map((pair) => {
        const [key = '', ...value] = pair.split('=');
        return [key, value.join('=')] as const;
      }),
  );
  const value = (key: string): string | null => values.get(key) ?? null;
  const [version, origin] = [value('version'), value('origin')];
  if (version === null || (origin !== 'proprietary' && origin !== 'third-party')) return undefined;
  const read: Provenance = {
    name: value('skill') ?? '',
    version,
    origin,
    license: value('license'),
    upstream: value('upstream'),
  };
  const again = provenanceLine(read);
  return again.kind === 'line' && again.text === line ? read : undefined;
}

type Values = readonly (readonly [key: string, value: string])[];

function written(values: Values): ProvenanceLine {
  const bad = values.find(([, value]) => BREAKS_COMMENT.test(value));
  if (bad !== undefined)
    return {
      kind: 'refused',
      reason: `its ${bad[0]} could be read as the end of the comment or another value`,
    };
  const text = values.map(([key, value]) => `${key}=${value}`).join('; ');
  return { kind: 'line', text: PROVENANCE.opens + text + PROVENANCE.closes };
}

/** Line breaks, control characters, the end of a comment in either form, the end of a value. */
const BREAKS_COMMENT = /[\p{Cc}\u2028\u2029]|--!?>|;(?:\s|$)|^\s|\s$|^$/u;
