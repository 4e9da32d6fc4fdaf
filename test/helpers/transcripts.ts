/** Transcripts of engineers, and what a record would tell of them, made by the parts that make them in a run. */

import type { Brief } from '../../src/delegate/brief/brief.js';
import { namedOf, ride } from '../../src/delegate/brief/riding.js';
import { OUTPUT_MARK } from '../../src/delegate/engineers/transcript.js';
import { composeBlock } from '../../src/delegate/runner/compose.js';
import { engineerPrompt, orderText } from '../../src/delegate/runner/prompt.js';
import type { Told, TranscriptBytes } from '../../src/delegate/transcript/audit-head.js';
import { sha256 } from '../../src/shared/digest.js';
import { newKeyPair } from '../../src/shared/signature.js';
import type { Entry } from '../../src/skills/entry.js';
import { anEntry } from '../skills/entries.js';
import { aBrief } from './briefs.js';

/** An entry that may ride. */
export function rider(name: string, fields: Partial<Entry> = {}): Entry {
  return anEntry({ name, version: '1.0.0', origin: 'proprietary', ...fields });
}

/** One of a third party. */
export function foreignRider(name: string, fields: Partial<Entry> = {}): Entry {
  const upstream = 'https://example.org/owner/notes@0123456789abcdef0123456789abcdef01234567';
  return rider(name, { origin: 'third-party', license: 'MIT', upstream, ...fields });
}

export interface MadeTranscript {
  readonly brief: Brief;
  readonly prompt: string;
  readonly text: string;
  /** What the record tells of it. */
  readonly told: Told & { readonly record: NonNullable<Told['record']> };
  readonly block: string;
}

/** What the file of a transcript holds. */
export function transcriptOf(brief: Brief, block: string, output = 'It is done.\n'): string {
  return engineerPrompt(brief, block) + OUTPUT_MARK + output;
}

const pair = newKeyPair();

/** A transcript of a brief that carries `sent`, to which its runner has added `added`. */
export function madeTranscript(
  sent: readonly Entry[],
  added: readonly Entry[] = [],
  order: Parameters<typeof aBrief>[1] = {},
  output = 'It is done.\n',
): MadeTranscript {
  const riding = ride(sent);
  if (riding.kind === 'refused') throw new Error(riding.refusals.map(({ reason }) => reason).join('; '));
  const brief = aBrief(pair, { ...order, skills: [...riding.riding] });
  const composed = composeBlock(brief.skills, added);
  if (composed.kind === 'refused') throw new Error('refused');
  const prompt = engineerPrompt(brief, composed.text);
  const text = transcriptOf(brief, composed.text, output);
  const bytes = Buffer.from(text);
  return {
    brief,
    prompt,
    text,
    block: composed.text,
    told: {
      entries: [
        ...brief.skills.map((one) => ({ ...namedOf(one), came: 'brief' as const, path: null })),
        ...composed.additions.map((one) => ({ ...one, came: 'runner' as const, path: null })),
      ],
      record: {
        brief: brief.id,
        sent_block: composed.sentBlock,
        final_block: composed.finalBlock,
        order: orderText(brief),
        file: { bytes: bytes.length, sha256: sha256(bytes) },
      },
    },
  };
}

/** A text as the file of a transcript. */
export function asFile(text: string): TranscriptBytes {
  const head = Buffer.from(text);
  return { path: 'transcript', head, bytes: head.length, sha256: sha256(head) };
}
