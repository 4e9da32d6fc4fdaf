/**
 * The members of the brief run: what a model of theirs answers, computed from the request alone (`../big-run/players.js` has
 * the same rule). The lead puts a task for each brief on the board; clerks delegate what they are offered, and judge nothing:
 * the recipe completes what was verified.
 */

import { clerkOf } from './machines.js';

/** Tasks that one call of `team_task_create` takes, and calls that the lead puts into one answer. */
const BATCH = 50;
const BATCHES = 4;

/** The task behind all others: whoever has it closes the run. */
const LAST = 'Close the run';

/**
 * What the lead is told to do, as one line that its answers are computed from.
 * @param {{briefs: number, window: number}} order how many, and how many of them may be out at once
 */
export function orderText({ briefs, window }) {
  return `briefs ${briefs}; window ${window}`;
}

/** The goal of a brief: what the engineer computes its answer from. */
export function goalOf(unit) {
  return `UNIT ${unit}`;
}

/**
 * The answer of whoever is asked.
 * @param {{system: string, messages: readonly {role: string, text: string, calls: readonly object[]}[]}} seen
 * @returns {{text: string, calls: readonly {tool: string, arguments: object}[]}}
 */
export function answerOf({ system, messages }) {
  const last = messages.at(-1).text;
  if (last.startsWith('[from the team runtime: your conversation has grown too long'))
    return says(summaryOf(last));
  const [, name] = /You are (lead|clerk)\./.exec(system) ?? [];
  if (name === undefined) throw new Error(`nobody of this team is asked: ${system.slice(0, 200)}`);
  return name === 'lead' ? lead(messages) : clerk(messages);
}

/** What a member has to know of its past: the order, and how far the board is filled. */
function summaryOf(text) {
  const [order = 'none'] = /briefs \d+; window \d+/.exec(text) ?? [];
  return `${order}\nhighest unit: ${highestUnit(text)}`;
}

function highestUnit(text) {
  const units = [...text.matchAll(/\(unit-(\d+)\): |^highest unit: (\d+)$/gm)];
  return Math.max(0, ...units.map(([, made, known]) => Number(made ?? known)));
}

function lead(messages) {
  const all = messages.map(({ text, calls }) => `${text}\n${JSON.stringify(calls)}`).join('\n');
  const [, briefs, window] = (/briefs (\d+); window (\d+)/.exec(all) ?? []).map(Number);
  const results = resultsSince(messages);
  const offer = offerIn(messages);
  if (offer !== undefined) return calls({ tool: 'team_task_claim', arguments: { task: offer } });
  for (const { text } of results) {
    const [, claimed] = /^(#\d+) is yours/.exec(text) ?? [];
    if (claimed !== undefined) return calls({ tool: 'team_task_complete', arguments: closed(claimed) });
    if (/^#\d+ is completed/.test(text))
      return calls({ tool: 'team_finish', arguments: { outcome: 'done', result: `${briefs} briefs.` } });
  }
  const made = highestUnit(all);
  if (made >= briefs) return says('They are under way.');
  const batches = [];
  for (let from = made; from < briefs && batches.length < BATCHES; from += BATCH) {
    const units = Array.from({ length: Math.min(BATCH, briefs - from) }, (_, at) => from + at + 1);
    batches.push(creates(units.map((unit) => newTask(unit, window))));
    if (units.at(-1) === briefs) batches.push(creates([lastTask(briefs, window)]));
  }
  return calls(...batches);
}

function creates(tasks) {
  return { tool: 'team_task_create', arguments: { tasks } };
}

function closed(task) {
  return {
    task,
    summary: 'Nothing is out.',
    evidence: [{ item: 'nothing is out', text: 'all are completed' }],
  };
}

/** Each waits for the one that is a whole window before it: so many are out at once, and no more. */
function newTask(unit, window) {
  return {
    id: `unit-${unit}`,
    subject: `Unit ${unit}`,
    description: goalOf(unit),
    role: clerkOf(unit),
    acceptance: ['the square is in answer.txt'],
    blocked_by: unit > window ? [`unit-${unit - window}`] : [],
  };
}

function lastTask(briefs, window) {
  const first = Math.max(1, briefs - window + 1);
  const blocked_by = Array.from({ length: briefs - first + 1 }, (_, at) => `unit-${first + at}`);
  return { id: 'close', subject: LAST, role: 'lead', acceptance: ['nothing is out'], blocked_by };
}

function clerk(messages) {
  const offer = offerIn(messages);
  if (offer === undefined) return says('Noted.');
  const [, unit] = /^UNIT (\d+)$/m.exec(newsOf(messages)) ?? [];
  if (unit === undefined) throw new Error(`no unit in the offer of ${offer}: ${newsOf(messages)}`);
  return calls({
    tool: 'delegate_engineer',
    arguments: {
      task: offer,
      goal: goalOf(unit),
      acceptance: ['the square is in answer.txt'],
      verify_keys: ['square'],
    },
  });
}

function offerIn(messages) {
  return /^Task (#\d+) is ready and offered to you/m.exec(newsOf(messages))?.[1];
}

/** What the member was told since it answered last. */
function newsOf(messages) {
  const news = messages.slice(lastAnswer(messages) + 1).filter(({ role }) => role === 'user');
  return news.map(({ text }) => text).join('\n');
}

/** Results of the newest calls. */
function resultsSince(messages) {
  return messages.slice(lastAnswer(messages) + 1).filter(({ role }) => role === 'tool');
}

function lastAnswer(messages) {
  return messages.findLastIndex(({ role }) => role === 'assistant');
}

function says(text) {
  return { text, calls: [] };
}

function calls(...all) {
  return { text: '', calls: all };
}
