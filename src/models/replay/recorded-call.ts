/**
 * One recorded question with its answer, and how a question of now is compared with it (spec/team.md §9). Pure.
 *
 * Always true: system prompt and tools are compared as they are. In messages the ids of the team, the places of its
 * folder and workspace, points in time and commits are left out of account: those of the recorded run are not those of
 * the run that plays it again, and what is said in between has to be the same.
 */

import { sha256 } from '../../shared/digest.js';
import { lineDiff } from '../../shared/line-diff.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { ModelMessage, ModelReply, ModelRequest } from '../model.js';

/** What is compared of a request. */
export type Asked = Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'maxOutputTokens'>;

export interface RecordedCall {
  readonly member: string;
  readonly asked: Asked;
  readonly reply: ModelReply;
}

/** What is a run's own and may stand in its messages. */
export interface RunPlaces {
  /** Id of the team. */
  readonly team: string;
  /** Absolute. */
  readonly folder: string;
  readonly workspace: string;
}

/** A point in time as programs write it, and a commit. */
const TIME = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?( ?(Z|[+-]\d{2}:?\d{2}))?/g;
const COMMIT = /\b[0-9a-f]{40}\b/g;

/** A text of messages without what is a run's own. */
export function withoutOwn(text: string, { team, folder, workspace }: RunPlaces): string {
  return text
    .replaceAll(workspace, '<workspace>')
    .replaceAll(folder, '<folder of the team>')
    .replaceAll(unique(team), '<team>')
    .replace(TIME, '<time>')
    .replace(COMMIT, '<commit>');
}

/** Any JSON value of the recorded run as it would be in this one. */
export function translated<Value>(value: Value, from: RunPlaces, to: RunPlaces): Value {
  if (from.team === to.team) return value;
  const text = JSON.stringify(value)
    .replaceAll(inJson(from.workspace), inJson(to.workspace))
    .replaceAll(inJson(from.folder), inJson(to.folder))
    .replaceAll(unique(from.team), to.team);
  return JSON.parse(text) as Value;
}

/** An id that somebody has chosen may be a word that texts hold for themselves: then it is left as it stands. */
function unique(team: string): RegExp {
  return /-[0-9A-HJKMNP-TV-Z]{26}$/.test(team) ? new RegExp(team, 'g') : NOTHING;
}

const NOTHING = /(?!)/g;

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The same for requests that differ in nothing that counts. */
export function askedDigest({ system, messages, tools, maxOutputTokens }: Asked, places: RunPlaces): string {
  const own = messages.map((message) => messageText(message, places));
  return sha256(JSON.stringify([system, own, tools, maxOutputTokens]));
}

/** Lines of a diff that are shown, and how long one may be. */
const MOST_LINES = 60;
const LONGEST_LINE = 400;

/**
 * The first difference of two requests that counts, as a unified diff with a head that says where: a part of the system
 * prompt, a message, the tools. Lines are bounded and hold no control codes. Empty when there is none.
 */
export function askedDifference(
  recorded: { readonly asked: Asked; readonly places: RunPlaces },
  now: { readonly asked: Asked; readonly places: RunPlaces },
): string[] {
  const [before, after] = [sections(recorded.asked, recorded.places), sections(now.asked, now.places)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  for (const name of names) {
    const [old, fresh] = [before.get(name), after.get(name)];
    if (old !== fresh) return textDifference(name, old ?? '', fresh ?? '');
  }
  return [];
}

/** A unified diff of two texts; each line fit for a terminal. */
export function textDifference(name: string, recorded: string, now: string): string[] {
  const lines = lineDiff(`${recorded}\n`, `${now}\n`);
  const shown = lines.slice(0, MOST_LINES).map((line) => oneLine(line, LONGEST_LINE));
  const left = lines.length - shown.length;
  return [
    `--- ${name}, as recorded`,
    `+++ ${name}, in this run`,
    ...shown,
    ...(left > 0 ? [`(${left} more lines)`] : []),
  ];
}

/** The parts of a request by name, in the order in which they are compared. */
function sections({ system, messages, tools, maxOutputTokens }: Asked, places: RunPlaces) {
  return new Map<string, string>([
    ...system.map(({ name, text }) => [`system prompt, part ${name}`, text] as const),
    ['tools', JSON.stringify(tools, null, 1)],
    ...messages.map((message, index) => [`message ${index + 1}`, messageText(message, places)] as const),
    ['longest answer', String(maxOutputTokens)],
  ]);
}

function messageText(message: ModelMessage, places: RunPlaces): string {
  const text = withoutOwn(message.text, places);
  switch (message.role) {
    case 'user':
      return `[user]\n${text}`;
    case 'assistant': {
      const calls = message.calls.map(
        ({ id, tool, arguments: args }) =>
          `[call ${id}: ${tool}] ${withoutOwn(JSON.stringify(args) ?? '', places)}`,
      );
      return [`[assistant]\n${text}`, ...calls].join('\n');
    }
    case 'tool':
      return `[result of ${message.call}: ${message.tool}${message.failed ? ', failed' : ''}]\n${text}`;
  }
}
