/**
 * Entries that ride a brief (spec/runner.md §2): from an entry of the registry to the fields that travel, and back, where
 * every digest is computed again from what arrived. What comes out of a brief is an entry only when its text is the one
 * that was approved on the team's side.
 *
 * Only a governed entry rides: version and origin known, knowledge only. One that brings tools of its own would leave
 * them behind, so it is refused by name.
 */

import { sha256 } from '../../shared/digest.js';
import { entryDigest } from '../../skills/digest.js';
import type { Entry } from '../../skills/entry.js';
import { renderDelegatedBlock } from '../../skills/render/delegated-block.js';
import { renderForSystem } from '../../skills/render.js';
import type { Named, Riding } from './brief.js';

/** Why an entry cannot ride, by its name. */
export interface NotRiding {
  readonly name: string;
  readonly reason: string;
}

export type Ride =
  | { readonly kind: 'rides'; readonly riding: readonly Riding[] }
  | { readonly kind: 'refused'; readonly refusals: readonly NotRiding[] };

/** The entries as they travel, sorted by name, or everyone that cannot, and why. */
export function ride(entries: readonly Entry[]): Ride {
  const bringing = entries.filter(({ tools }) => tools.length > 0);
  const block = renderDelegatedBlock(entries);
  const refusals: NotRiding[] = [
    ...bringing.map(({ name }) => ({
      name,
      reason: 'it brings tools of its own, which a brief cannot carry',
    })),
    ...(block.kind === 'refused' ? block.refusals : []),
  ];
  if (block.kind === 'refused' || refusals.length > 0) return { kind: 'refused', refusals };
  return { kind: 'rides', riding: block.entries.map(travelling) };
}

function travelling(entry: Entry): Riding {
  const { version, origin, license, upstream } = entry;
  return {
    kind: entry.kind,
    name: entry.name,
    version: version ?? '',
    description: entry.description,
    body: entry.body,
    support: entry.support,
    allowed_tools: entry.allowedTools === null ? null : [...entry.allowedTools],
    process: entry.process,
    always_on: entry.alwaysOn,
    keywords: [...entry.keywords],
    applies_to: entry.appliesTo === null ? null : [...entry.appliesTo],
    requires: [...entry.requires],
    origin: origin === 'proprietary' ? 'proprietary' : 'third-party',
    ...(license === null ? {} : { license }),
    ...(upstream === null ? {} : { upstream }),
    digest: entry.digest,
    rendered_sha256: sha256(renderForSystem(entry)),
  };
}

/** An entry that rides, as it is named where its text is not. */
export function namedOf(riding: Riding): Named {
  const { kind, name, version, digest, rendered_sha256, origin, license, upstream } = riding;
  return {
    kind,
    name,
    version,
    digest,
    rendered_sha256,
    origin,
    license: license ?? null,
    upstream: upstream ?? null,
  };
}

export type Arrived =
  | { readonly kind: 'entries'; readonly entries: readonly Entry[] }
  | { readonly kind: 'refused'; readonly refusals: readonly NotRiding[] };

/** The entries of a brief, each with the digests that it names; one that is not what it says refuses all. */
export function arrived(riding: readonly Riding[]): Arrived {
  const refusals: NotRiding[] = [];
  const entries: Entry[] = [];
  for (const one of riding) {
    const entry = asEntry(one);
    if (entryDigest(entry) !== one.digest)
      refusals.push({
        name: one.name,
        reason: `its text has digest ${entryDigest(entry)}, the brief names ${one.digest}`,
      });
    else if (sha256(renderForSystem(entry)) !== one.rendered_sha256)
      refusals.push({
        name: one.name,
        reason: 'it is rendered in another way here than where it was sent: use one version of bnerd',
      });
    else entries.push(entry);
  }
  return refusals.length > 0 ? { kind: 'refused', refusals } : { kind: 'entries', entries };
}

function asEntry(one: Riding): Entry {
  return {
    kind: one.kind,
    name: one.name,
    version: one.version,
    description: one.description,
    body: one.body,
    alwaysOn: one.always_on,
    keywords: one.keywords,
    appliesTo: one.applies_to,
    requires: one.requires,
    allowedTools: one.allowed_tools,
    tools: [],
    process: one.process,
    page: 'optional',
    data: {},
    origin: one.origin,
    license: one.license ?? null,
    upstream: one.upstream ?? null,
    vetted: null,
    tier: 'builtin',
    path: '',
    trust: 'instruction',
    support: one.support,
    digest: one.digest,
  };
}
