/**
 * Reads what was rendered back, written from the descriptions at the heads of `src/skills/render.ts`,
 * `render/delegated-block.ts` and `render/defuse.ts` alone: it asks the renderer nothing, and knows nothing of what
 * that takes for an imitation.
 */

import { undone } from './undone.js';

export interface EntryRead {
  readonly kind: string;
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  readonly body: string;
}

export interface SectionRead {
  readonly title: string;
  /** The fixed sentence of a process. */
  readonly sentence: string | null;
  readonly entries: readonly EntryRead[];
  readonly lines: readonly { readonly name: string; readonly summary: string }[];
}

const HEADER = /^\[(?:Skill|Rule): /;

/** A text of entries. */
export function entriesOf(text: string): EntryRead[] {
  return chunks(text, HEADER).map(entryOf);
}

/** Sections as a provider joins them that takes one text: an empty line between two. */
export function sectionsOf(text: string): SectionRead[] {
  return chunks(text, /^## (?:Active process|Active Rules|Active Skills|Available Skills)$/).map((chunk) => {
    const [title = '', rest = ''] = cut(chunk, '\n\n');
    const process = title === '## Active process' ? cut(rest, '\n\n') : null;
    const entries = process === null ? rest : process[1];
    const available = title === '## Available Skills';
    return {
      title,
      sentence: process === null ? null : process[0],
      entries: available ? [] : entriesOf(entries),
      lines: available ? rest.split('\n').map(lineOf) : [],
    };
  });
}

/** The entries of a reference block, with what stands around them. */
export function referenceOf(block: string): { introduction: string; entries: EntryRead[] } {
  const [introduction, fence] = cut(block, '\n');
  const fenced = /^<<reference text (~[0-9a-f]{12,64})\n(.*)\n(~[0-9a-f]{12,64})>>$/s.exec(fence);
  if (fenced === null || fenced[1] !== fenced[3]) throw new Error(`no fence: ${fence}`);
  if ((fenced[2] ?? '').includes(fenced[1] ?? '')) throw new Error('the fence stands in its text');
  return { introduction, entries: entriesOf(fenced[2] ?? '') };
}

/** The entries of a delegated block, each with the values of its comment. */
export function delegatedOf(block: string): { provenance: Record<string, string>; entry: EntryRead }[] {
  return chunks(block, /^<!-- provenance: /).map((chunk) => {
    const [comment, text] = cut(chunk, '\n');
    const values = /^<!-- provenance: (.*) -->$/u.exec(comment)?.[1];
    if (values === undefined) throw new Error(`no comment: ${comment}`);
    return {
      provenance: Object.fromEntries(values.split('; ').map((pair) => cut(pair, '='))),
      entry: entryOf(text),
    };
  });
}

/** Pieces that begin with a line of this form, without the empty line in front of the next. */
function chunks(text: string, opens: RegExp): string[] {
  const found: string[][] = [];
  for (const line of text.split('\n')) {
    if (opens.test(line)) found.push([line]);
    else if (found.length === 0) throw new Error(`before the first of ${opens}: ${line}`);
    else found.at(-1)?.push(line);
  }
  return found.map((lines, index) => lines.slice(0, index < found.length - 1 ? -1 : undefined).join('\n'));
}

function entryOf(chunk: string): EntryRead {
  const [header, rest] = cut(chunk, '\n');
  const [description, body] = cut(rest, '\n\n');
  const values = /^\[(Skill|Rule): ((?:⧵.|[^⧵\]])*)\](?: v(\S+))?$/u.exec(header);
  if (values === null) throw new Error(`no header: ${header}`);
  return {
    kind: (values[1] ?? '').toLowerCase(),
    name: undone(values[2] ?? ''),
    version: values[3] ?? null,
    description: undone(description),
    body: undone(body),
  };
}

function lineOf(line: string): { name: string; summary: string } {
  const values = /^- ((?:⧵.|[^⧵:])*): (.*)$/su.exec(line);
  if (values === null) throw new Error(`no line of an available skill: ${line}`);
  return { name: undone(values[1] ?? ''), summary: undone(values[2] ?? '') };
}

function cut(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  if (place === -1) throw new Error(`no ${JSON.stringify(at)} in ${JSON.stringify(text)}`);
  return [text.slice(0, place), text.slice(place + at.length)];
}
