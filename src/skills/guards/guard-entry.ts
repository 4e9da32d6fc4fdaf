/**
 * The guards on an entry (spec/skills.md §4): they run on every composition, spawn, chat, brief and import. The map of
 * this folder:
 *
 *     guard-entry → admission          which rules of the operator are about it
 *                 → exfiltration       the marker, in its texts and its resources
 *     override-phrases                 a note for those who approve; refuses nothing here
 *     suggested-tools                  a warning of those who check; refuses nothing
 *     plain-form                       a text as a model may take it
 *
 * Always true: total; a check that could not be finished is a hit, so an entry is admitted only when all of it was
 * looked at. What is looked at is the entry in hand, not its file; resources are read from disk.
 */

import { assertNever } from '../../shared/assert-never.js';
import { errorText } from '../../shared/errors.js';
import type { Entry } from '../entry.js';
import { isTextType } from '../read/resource-type.js';
import { listResources, MAX_RESOURCE_BYTES, readResourceText } from '../read/resources.js';
import type { AdmissionRule, SkillSettings } from '../settings.js';
import { type EntryUse, isAbout } from './admission.js';
import { holdsMarker, MarkerSearch } from './exfiltration.js';

export type { EntryUse } from './admission.js';

/** Why an entry is not admitted. */
export interface GuardHit {
  readonly guard: 'schema' | 'size-cap' | 'exfiltration' | 'admission';
  /** Where the admission rule stands that set the guard; null: it holds for every entry. */
  readonly rule: string | null;
  /** In words, with what was found; holds no text of the entry but its name. */
  readonly reason: string;
}

/** A hit in one line, as the end of "kept out by the guard …": its name, the rule that set it, the reason. */
export function hitText({ guard, rule, reason }: GuardHit): string {
  return `${guard}${rule === null ? '' : ` (${rule})`}: ${reason}`;
}

/**
 * Every guard that an entry does not pass; none: it is admitted.
 * @param use who is about to be given it
 * @param signal ends the reading of resources; what was not read then is a hit
 * @param look shared by those who ask about the same entries at the same time
 */
export async function guardEntry(
  entry: Entry,
  use: EntryUse,
  settings: Pick<SkillSettings, 'guards' | 'admission'>,
  signal: AbortSignal,
  look: MarkerLook = markerLook(),
): Promise<readonly GuardHit[]> {
  const hits = schemaHits(entry);
  for (const { guard, place } of [...baseline(settings), ...rulesAbout(entry, use, settings)]) {
    switch (guard.kind) {
      case 'deny':
        hits.push({ guard: 'admission', rule: place, reason: `${place} keeps it out` });
        break;
      case 'size-cap':
        hits.push(...sizeHits(entry, guard.bytes, place));
        break;
      case 'exfiltration':
        for (const reason of await look(entry, signal))
          hits.push({ guard: 'exfiltration', rule: place, reason });
        break;
      default:
        assertNever(guard, 'a guard');
    }
  }
  return hits;
}

interface SetGuard {
  readonly guard: AdmissionRule['guard'];
  /** Null: it holds for every entry. */
  readonly place: string | null;
}

function baseline({ guards }: Pick<SkillSettings, 'guards'>): SetGuard[] {
  return [
    ...(guards.sizeCap === null
      ? []
      : [{ guard: { kind: 'size-cap', bytes: guards.sizeCap }, place: null } as const]),
    ...(guards.exfiltration ? [{ guard: { kind: 'exfiltration' }, place: null } as const] : []),
  ];
}

function rulesAbout(
  entry: Entry,
  use: EntryUse,
  { admission }: Pick<SkillSettings, 'admission'>,
): readonly SetGuard[] {
  return admission.filter((rule) => isAbout(rule, entry, use));
}

/** A parser gives no such entry; one that was stored or made elsewhere is checked all the same. */
function schemaHits({ name, body }: { readonly name: string; readonly body: string | null }): GuardHit[] {
  const hits: GuardHit[] = [];
  if (name.trim() === '') hits.push({ guard: 'schema', rule: null, reason: 'its name is blank' });
  if (typeof body !== 'string') hits.push({ guard: 'schema', rule: null, reason: 'it has no body' });
  return hits;
}

function sizeHits({ body }: Entry, cap: number, rule: string | null): GuardHit[] {
  const bytes = Buffer.byteLength(body ?? '');
  if (bytes <= cap) return [];
  return [{ guard: 'size-cap', rule, reason: `its body has ${bytes} bytes; at most ${cap} are admitted` }];
}

/** Why an entry or its resources hold the marker, or may; none: they were looked at and do not. Never rejects. */
export type MarkerLook = (entry: Entry, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Looks for the marker once in each entry, however many rules ask and members are given it: what a composition shares.
 * The signal of whoever asks first ends the reading of resources; what was not read then counts as a find.
 */
export function markerLook(): MarkerLook {
  const looks = new Map<Entry, Promise<readonly string[]>>();
  return (entry, signal) => {
    const known = looks.get(entry) ?? lookAt(entry, signal);
    looks.set(entry, known);
    return known;
  };
}

async function lookAt(entry: Entry, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const { name, description, body } = entry;
    const fields = Object.entries({ name, description, body }).filter(([, text]) => holdsMarker(text ?? ''));
    const inFields = fields.map(([field]) => `its ${field} holds an exfiltration marker («artifact:…»)`);
    return [...inFields, ...(await lookAtResources(entry, signal))];
  } catch (error) {
    return [`its resources could not be looked at: ${errorText(error)}`];
  }
}

async function lookAtResources({ path }: Entry, signal: AbortSignal): Promise<readonly string[]> {
  const { resources, findings } = await listResources(path, signal);
  const left = findings.filter(({ severity }) => severity !== 'info');
  const reasons = left.map(
    (left) => `not all of its resources were looked at: ${left.path}: ${left.message}`,
  );
  for (const resource of resources) {
    const shown = JSON.stringify(resource.path);
    if (holdsMarker(resource.path))
      reasons.push(`the name of its resource ${shown} is an exfiltration marker`);
    if (!isTextType(resource.type) || resource.bytes > MAX_RESOURCE_BYTES) continue;
    const search = new MarkerSearch();
    const left = await readResourceText(path, resource, (part) => search.take(part), signal);
    if (search.found) reasons.push(`its resource ${shown} holds an exfiltration marker («artifact:…»)`);
    else if (left !== null)
      reasons.push(`not all of its resources were looked at: ${shown}: ${left.message}`);
  }
  return reasons;
}
