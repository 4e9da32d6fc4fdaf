/** The parts of a system prompt as a table for people (spec/team.md §1, `describe --prompt`). Pure. */

import type { DescribedPart, DescribedPrompt } from '../../runtime/describe-prompt.js';
import { oneLine, stripControls } from '../../shared/terminal-text.js';
import { shownFrom } from '../findings/place.js';

/** Enough of a digest to tell two texts apart; `--json` has all of it. */
const SHORT = 12;

/** A part a line: name, size, SHA-256, tier, file and digest of the file; then the whole. */
export function partsTable(prompt: DescribedPrompt, workingDirectory: string): string {
  const rows = prompt.parts.map((part) => [
    part.name,
    `${part.bytes} bytes`,
    part.sha256.slice(0, SHORT),
    part.tier ?? '-',
    originText(part, workingDirectory),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return [
    `system prompt of ${prompt.member} (${prompt.slug}): part, size, SHA-256, tier, origin`,
    ...lines.map((line) => `  ${line}`),
    `total: ${prompt.bytes} bytes, SHA-256 ${prompt.sha256}`,
    ...referenceLines(prompt, workingDirectory),
    ...prompt.tasks.map(riderLine),
    ...controlsNote(prompt.text),
  ]
    .map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER).trimEnd()}\n`)
    .join('');
}

/** The block that is no part of the prompt: where it stands, its size, what is in it. */
function referenceLines({ reference }: DescribedPrompt, workingDirectory: string): string[] {
  if (reference === null) return [];
  const { bytes, sha256, entries } = reference;
  return [
    `not in the prompt: reference text in front of its first message, ${bytes} bytes, SHA-256 ${sha256}`,
    ...entries.map((entry) => `  skill:${entry.name}  ${entry.tier}  ${originText(entry, workingDirectory)}`),
  ];
}

/** What a task brings, when it is offered. */
function riderLine({ task, bytes, sha256, entries }: DescribedPrompt['tasks'][number]): string {
  const names = entries.map(({ name, trust }) => (trust === 'reference' ? `${name} (reference text)` : name));
  return `not in the prompt: with task ${task}: ${names.join(', ')}, ${bytes} bytes, SHA-256 ${sha256}`;
}

function originText(
  { origin, tier, digest }: Pick<DescribedPart, 'origin' | 'tier' | 'digest'>,
  workingDirectory: string,
): string {
  const shown = tier === null ? origin : shownFrom(origin, workingDirectory);
  // `1:` and hex: the version of the form belongs to it.
  return digest === null ? shown : `${shown} (digest ${digest.slice(0, SHORT + 2)}…)`;
}

/** A line that says so when stdout, which a terminal may obey, cannot hold the text as it is. */
export function controlsNote(text: string): string[] {
  const left = text.length - stripControls(text).length;
  if (left === 0 && !/[\r\u2028\u2029]/.test(text)) return [];
  return ['characters that a terminal would obey are left out on stdout; --json has the text as it is'];
}
