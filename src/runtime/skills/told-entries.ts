/**
 * What is told of the entries that an engineer was given: by the record of its team, with the signed brief where the
 * record's texts are at hand, or by the registry of this machine.
 */

import { readBrief } from '../../delegate/brief/read.js';
import { namedOf, ride } from '../../delegate/brief/riding.js';
import { orderText } from '../../delegate/runner/prompt.js';
import type { Told, ToldEntry } from '../../delegate/transcript/audit-head.js';
import { errorText, FatalError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { standings } from '../../skills/inventory/standing.js';
import type { House } from '../house.js';
import { loadEntries } from '../load-entries.js';
import type { RecordedBrief } from '../recorded-briefs.js';

/** A text of a record by its digest; undefined where it is not there; rejects with `blob-broken`. */
export type TextOf = (sha256: string) => Promise<string | undefined>;

/** What the record tells; `trouble`: why its signed brief cannot be used. */
export async function toldByRecord(
  { sent, accepted, ended }: RecordedBrief,
  textOf: TextOf,
): Promise<{ readonly told: Told & { readonly record: object }; readonly trouble: string | null }> {
  const signed = await signedOrder(sent, textOf);
  return {
    told: {
      entries: [
        ...sent.entries.map((entry) => ({ ...entry, came: 'brief' as const, path: null })),
        ...(accepted?.additions ?? []).map((entry) => ({ ...entry, came: 'runner' as const, path: null })),
      ],
      record: {
        brief: sent.brief,
        sent_block: sent.sent_block,
        final_block: accepted?.final_block ?? null,
        order: signed.order,
        file: ended?.transcript ?? null,
      },
    },
    trouble: signed.trouble,
  };
}

/** The finding on a transcript whose signed brief cannot be used. */
export function briefUnusable(path: string, trouble: string): Finding {
  return {
    code: 'brief-unusable',
    severity: 'error',
    path,
    message: `the signed brief in the record cannot be used: ${trouble}`,
    remedy: 'bnerd team verify looks at the whole record',
  };
}

async function signedOrder(
  sent: RecordedBrief['sent'],
  textOf: TextOf,
): Promise<{ readonly order: string | null; readonly trouble: string | null }> {
  const without = (trouble: string | null) => ({ order: null, trouble });
  try {
    const text = await textOf(sent.text);
    if (text === undefined) return without(null);
    const read = readBrief(text);
    if (read.kind === 'refused') return without(read.message);
    if (read.value.id !== sent.brief) return without(`it is brief ${read.value.id}`);
    return { order: orderText(read.value), trouble: null };
  } catch (error) {
    if (error instanceof FatalError) return without(errorText(error));
    throw error;
  }
}

/** Everything of the registry that could ride a brief, whatever stands in front of it. */
export async function toldByRegistry(house: House): Promise<Told> {
  const files = standings(await loadEntries(house));
  const entries = files.flatMap(({ file, standing }): ToldEntry[] => {
    if (file.kind === 'refused' || standing.kind === 'untrusted') return [];
    const riding = ride([file.entry]);
    if (riding.kind === 'refused') return [];
    return riding.riding.map((one) => ({ ...namedOf(one), came: 'registry', path: file.path }));
  });
  return { entries, record: null };
}
