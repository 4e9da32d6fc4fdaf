/**
 * How a request is put to the person at the terminal (spec/team.md §3). Pure.
 *
 * Always true: what a member wrote stands in the one line of its block or behind a left mark with its length,
 * escaped so that nothing of it is hidden; `whole` says whether all of what would run is shown.
 */

import { isObject } from '../../shared/is-object.js';
import { oneLine, stripControls } from '../../shared/terminal-text.js';
import type { RequestView } from '../../team/status.js';

export interface Block {
  readonly lines: readonly string[];
  /** What the person is asked, with its blank at the end; its line is not ended. */
  readonly question: string;
  /** Whether everything that is decided about stands in `lines`. */
  readonly whole: boolean;
}

/** As wide as the three blocks of the specification. */
const RULE_WIDTH = 60;

/** Longest line of a summary or context; what is longer is shown by `explain`. */
const LINE_LENGTH = 300;

/** How many lines of a value stand in the block itself. */
const BLOCK_LINES = 20;

const CONFIRM_QUESTION = '  Approve? [y/N/explain]: ';

/** The block of a request. */
export function requestBlock(request: RequestView): Block {
  switch (request.kind) {
    case 'question':
      return questionBlock(request);
    case 'plan':
      return planBlock(request);
    case 'confirmation':
    case 'gate':
      return confirmBlock(request);
  }
}

/** Everything about a request: class, policy, whole arguments, the member's last text. */
export function explanation(request: RequestView): string[] {
  return [
    `  request: ${request.id}`,
    `  tool: ${oneLine(request.tool, LINE_LENGTH)}`,
    `  class: ${request.class ?? 'none'}`,
    `  policy: ${oneLine(request.policy, LINE_LENGTH)}`,
    ...marked('arguments', prettyJson(request.arguments)),
    ...(request.context === null
      ? [`  ${request.member} has said nothing in this turn`]
      : marked(`last text of ${request.member}`, request.context)),
  ];
}

function confirmBlock(request: RequestView): Block {
  const summary = oneLine(request.summary, LINE_LENGTH);
  const values = hiddenValues(request).map(([name, text]) => markedHead(oneLine(name, 60), text));
  const whole = values.every((value) => value.whole);
  return {
    lines: [
      ...head('CONFIRM'),
      `  ${request.member} wants to run:  ${summary}`,
      ...values.flatMap((value) => value.lines),
      ...(whole ? [] : ['  not all of it is shown: type explain before y']),
      contextLine(request),
    ],
    question: CONFIRM_QUESTION,
    whole,
  };
}

function questionBlock(request: RequestView): Block {
  const [first = '', ...rest] = argumentText(request, 'question').split('\n');
  return {
    lines: [...head('ASK'), `  ${request.member}: ${escaped(first)}`, ...rest.map(mark)],
    question: '  Answer (or "skip"): ',
    whole: true,
  };
}

function planBlock(request: RequestView): Block {
  return {
    lines: [
      ...head('PLAN'),
      `  ${request.member} asks for approval of its plan`,
      ...marked('plan', argumentText(request, 'plan')),
      contextLine(request),
    ],
    question: '  Approve? [y, explain, or what to change]: ',
    whole: true,
  };
}

function head(title: string): string[] {
  const rule = `─── ${title} `;
  return ['', `  ${rule.padEnd(RULE_WIDTH, '─')}`];
}

function contextLine({ id, context }: RequestView): string {
  return `  context: ${id}${context === null ? '' : ` · ${oneLine(context, LINE_LENGTH)}`}`;
}

/** The values of the arguments that the summary does not hold as they are; the class of the call is no word of it. */
function hiddenValues({ arguments: text, summary, class: found }: RequestView): [string, string][] {
  const shown = oneLine(summary, LINE_LENGTH);
  const parsed = parse(text);
  const entries: [string, unknown][] = isObject(parsed) ? Object.entries(parsed) : [['arguments', parsed]];
  return entries.flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    if (name === 'class' && words === found) return [];
    return shown.includes(words) ? [] : [[name, words]];
  });
}

function argumentText(request: RequestView, name: string): string {
  const parsed = parse(request.arguments);
  const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
  const value: unknown = entries.find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : request.summary;
}

function prettyJson(text: string): string {
  const parsed = parse(text);
  return parsed === undefined ? text : JSON.stringify(parsed, null, 2);
}

/** The value of a JSON text, undefined when it is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // shown as the text it is
  }
}

/** A text on lines of its own, with its name and length. */
function marked(name: string, text: string): string[] {
  return [`  ${name} (${text.length} characters):`, ...text.split('\n').map(mark)];
}

function markedHead(name: string, text: string): { lines: string[]; whole: boolean } {
  const lines = marked(name, text);
  if (lines.length <= BLOCK_LINES + 1) return { lines, whole: true };
  const left = lines.length - 1 - BLOCK_LINES;
  return { lines: [...lines.slice(0, BLOCK_LINES + 1), `  … ${left} more lines`], whole: false };
}

function mark(line: string): string {
  return `  │ ${escaped(line)}`;
}

/** What a terminal would obey or hide, as `\u{…}`; tabs stay. */
function escaped(line: string): string {
  return [...line]
    .map((character) =>
      stripControls(character) === character
        ? character
        : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .join('');
}
