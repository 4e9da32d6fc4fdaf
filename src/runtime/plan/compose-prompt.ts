/**
 * The system prompt of a seat, part by part, in the order of spec/team.md §2: preamble · role · process (lead) ·
 * rules · skills · contract (lead) or roster and working rules (others). Decided once, at spawn.
 */

import type { RosterMember } from '../../catalog/roster.js';
import type { FrozenPromptPart } from '../../events/facts/frozen.js';
import type { PromptPart } from '../../models/model.js';
import { sha256 } from '../../shared/digest.js';
import type { Entry } from '../../skills/entry.js';
import { type BundlePathOf, renderForSystem, renderProcess } from '../../skills/render.js';
import { LEAD_RULES, PREAMBLE, WORKING_RULES } from './prompt-texts.js';

/** What stands between two parts where a provider takes one text. */
const SEPARATOR = '\n\n';

/** The entries of a prompt: each of them instructs. */
export interface PromptEntries {
  /** What governs the order of steps; the lead's alone. */
  readonly process: Entry | null;
  /** In the order they are composed. */
  readonly entries: readonly Entry[];
  /** Where the member's tools find the files of an entry. */
  readonly bundlePathOf: BundlePathOf;
}

/** All parts of one member's prompt; empty ones are left out. */
export function composePrompt(
  member: RosterMember,
  { process, entries, bundlePathOf }: PromptEntries,
  contract: string,
  roster: readonly RosterMember[],
): PromptPart[] {
  const parts: PromptPart[] = [
    { name: 'preamble', text: PREAMBLE },
    { name: 'role', text: member.role.prompt },
    ...(process === null ? [] : [{ name: 'process', text: renderProcess(process, bundlePathOf(process)) }]),
    ...entries.map((entry) => ({
      name: `${entry.kind}:${entry.name}`,
      text: renderForSystem(entry, bundlePathOf(entry)),
    })),
    ...(member.lead ? [{ name: 'contract', text: contract }] : []),
    { name: 'roster', text: rosterText(member, roster) },
    { name: 'working-rules', text: member.lead ? LEAD_RULES : WORKING_RULES },
  ];
  return parts.filter((part) => part.text !== '');
}

/** The whole prompt as one text: what `prompt_sha256` is over. */
export function joinPrompt(parts: readonly PromptPart[]): string {
  return parts.map((part) => part.text).join(SEPARATOR);
}

/** The proof of each part: its name, digest and size. */
export function partProofs(parts: readonly PromptPart[]): FrozenPromptPart[] {
  return parts.map((part) => ({
    name: part.name,
    sha256: sha256(part.text),
    bytes: Buffer.byteLength(part.text),
  }));
}

function rosterText(self: RosterMember, roster: readonly RosterMember[]): string {
  const lines = roster.map((member) => {
    const marks = [
      member.lead ? 'the lead' : '',
      member.onDemand ? 'on demand' : '',
      member === self ? 'you' : '',
    ];
    const note = marks.filter((mark) => mark !== '').join(', ');
    const description = member.role.description.replaceAll(/\s+/g, ' ').trim();
    return `- ${member.name}${note === '' ? '' : ` (${note})`}${description === '' ? '' : `: ${description}`}`;
  });
  return `The team:\n${lines.join('\n')}`;
}
