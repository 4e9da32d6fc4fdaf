/**
 * How a request is put to the person at the terminal (spec/team.md §3). Pure.
 *
 * Always true: what a member wrote stands in the one line of its block, where it fits there whole, or behind a left
 * mark with its length, escaped so that nothing of it is hidden; `whole` says whether all of what would run is shown.
 */

import { durationText } from '../../shared/duration.js';
import { isObject } from '../../shared/is-object.js';
import { oneLine } from '../../shared/terminal-text.js';
import { alwaysText, whyNoAlways } from '../../team/policy/always.js';
import type { RequestView } from '../../team/show/status.js';
import { escapedInOneLine, escapedLine, marked, markedText } from './marked-text.js';

export interface Block {
  readonly lines: readonly string[];
  /** What the person is asked, with its blank at the end; its line is not ended. */
  readonly question: string;
  /** Whether everything that is decided about stands in `lines`. */
  readonly whole: boolean;
}

/** A request as it is shown; its kind may be one that a later version has. */
export type ShownRequest = Omit<RequestView, 'kind'> & { readonly kind: string };

/** As wide as the three blocks of the specification. */
const RULE_WIDTH = 60;

/** A line of ours that holds words of a member is no longer: what does not fit stands behind a mark. */
const LINE_WIDTH = 80;

/** How many lines and characters of a value stand in the block itself. */
const BLOCK_LINES = 20;
const BLOCK_CHARACTERS = 4_000;

/** The block of a request. */
export function requestBlock(request: ShownRequest): Block {
  switch (request.kind) {
    case 'question':
      return questionBlock(request);
    case 'plan':
      return planBlock(request);
    case 'gate':
      return valuesBlock(
        request,
        'GATE',
        'your decision is asked on ',
        '  Accept? [accept, abandon, rescope <what to do instead>, explain]: ',
      );
    case 'confirmation':
      return valuesBlock(
        request,
        'CONFIRM',
        `${request.member} wants to run:  `,
        '  Approve? [y/N/explain]: ',
      );
    default:
      return valuesBlock(
        request,
        'REQUEST',
        `${request.member} asks (${escapedInOneLine(request.kind)}): `,
        '  Approve? [y/N/explain]: ',
      );
  }
}

/** Everything about a request: class, policy, whole arguments, the member's last text, what `always` would allow. */
export function explanation(request: ShownRequest): string[] {
  const { context, member, left_ms: left } = request;
  return [
    `  request: ${request.id}`,
    `  tool: ${oneLine(request.tool, LINE_WIDTH)}`,
    `  class: ${request.class ?? 'none'}`,
    `  policy: ${escapedInOneLine(request.policy)}`,
    ...(left === null ? [] : [`  expires: ${left > 0 ? `in ${durationText(left)}` : 'its time is up'}`]),
    ...markedText('arguments', prettyJson(request.arguments)),
    ...(context === null
      ? [`  ${member} has said nothing in this turn`]
      : markedText(`last text of ${member}`, context)),
    ...(request.kind === 'confirmation' ? [alwaysLine(request)] : []),
  ];
}

/** What a person may say of a request, as typed behind `bnerd team answer <team-id> <request-id>`. */
export function answerWords({ kind, always }: Pick<ShownRequest, 'kind' | 'always'>): string {
  switch (kind) {
    case 'question':
      return '<text>';
    case 'plan':
      return 'yes|revise <text>';
    case 'gate':
      return 'accept|rescope <text>|abandon';
    default:
      return always === null ? 'yes|no' : 'yes|no|always';
  }
}

function alwaysLine(request: ShownRequest): string {
  const why = whyNoAlways(request);
  if (why !== null) return `  always: may not be said here, since ${why}`;
  return `  always: approves it, and would allow ${escapedInOneLine(alwaysText(request))}`;
}

/** What would run in one line where it fits, and the values that this line does not hold. */
function valuesBlock(request: ShownRequest, title: string, begins: string, question: string): Block {
  const room = Math.max(LINE_WIDTH / 2, LINE_WIDTH - 2 - begins.length);
  const summary = inline(request.summary, room);
  const values = hiddenValues(request, summary).map(([name, text]) =>
    markedHead(inline(name, LINE_WIDTH / 2), text),
  );
  const whole = values.every((value) => value.whole);
  return {
    lines: [
      ...head(title),
      `  ${begins}${summary}`,
      ...values.flatMap((value) => value.lines),
      ...(whole ? [] : ['  not all of it is shown: type explain before y']),
      contextLine(request),
    ],
    question,
    whole,
  };
}

function questionBlock(request: ShownRequest): Block {
  const [first = '', ...rest] = argumentText(request, 'question').split('\n');
  return {
    lines: [...head('ASK'), `  ${request.member}: ${escapedLine(first)}`, ...rest.map(marked)],
    question: '  Answer (or "skip"): ',
    whole: true,
  };
}

function planBlock(request: ShownRequest): Block {
  return {
    lines: [
      ...head('PLAN'),
      `  ${request.member} asks for approval of its plan`,
      ...markedText('plan', argumentText(request, 'plan')),
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

function contextLine({ id, context }: ShownRequest): string {
  const begins = `  context: ${id}`;
  return context === null ? begins : `${begins} · ${inline(context, LINE_WIDTH - begins.length - 3)}`;
}

/** A text of a member within a line of ours; an ellipsis where it is cut. */
function inline(text: string, room: number): string {
  return oneLine(escapedInOneLine(text), room);
}

/**
 * Arguments that a summary is made of: one that stands in it whole needs no line of its own. Of others it may hold the
 * letters by chance.
 */
const SUMMARISED: ReadonlySet<string> = new Set(['command', 'cwd', 'path', 'arguments']);

/** The values of the arguments that the summary does not hold as they are; the class of the call is no word of it. */
function hiddenValues(request: ShownRequest, summary: string): [string, string][] {
  const parsed = parse(request.arguments);
  const entries: [string, unknown][] = isObject(parsed) ? Object.entries(parsed) : [['arguments', parsed]];
  return entries.flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const words = typeof value === 'string' ? value : JSON.stringify(value);
    if (name === 'class' && words === request.class) return [];
    return SUMMARISED.has(name) && summary.includes(words) ? [] : [[name, words]];
  });
}

function argumentText(request: ShownRequest, name: string): string {
  const parsed = parse(request.arguments);
  const value: unknown = isObject(parsed) ? parsed[name] : undefined;
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

function markedHead(name: string, text: string): { lines: string[]; whole: boolean } {
  const cut = text.slice(0, BLOCK_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  const [title = '', ...lines] = markedText(name, cut);
  const told = title.replace(`(${cut.length} characters)`, `(${text.length} characters)`);
  if (cut.length === text.length && lines.length <= BLOCK_LINES)
    return { lines: [told, ...lines], whole: true };
  const shown = lines.slice(0, BLOCK_LINES);
  const left = text.split('\n').length - shown.length;
  const rest = left > 0 ? `${left} more lines` : `${text.length - cut.length} more characters`;
  return { lines: [told, ...shown, `  … ${rest}`], whole: false };
}
