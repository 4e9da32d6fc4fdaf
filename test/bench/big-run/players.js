/**
 * The members of the big run: what a model of theirs answers, computed from the request alone. Nothing is kept from one
 * request to the next: what a member knows is what stands in the conversation that it was sent, summaries included.
 *
 * Turns are made by batons: mail that goes from worker to worker, one hop a turn. A worker that finds several in one
 * turn, or one beside an offered task, counts a single turn for them, so the sum of the hops never exceeds the turns.
 */

/** Tasks that one call of `team_task_create` takes, and calls that the lead puts into one answer. */
const BATCH = 50;
const BATCHES = 4;

/**
 * What the lead is told to do, as one line that its answers are computed from.
 * @param {{workers: number, tasks: number, hops: number, batons: number}} order tasks and hops of the whole run
 */
export function orderText({ workers, tasks, hops, batons }) {
  return `workers ${workers}; tasks ${tasks}; hops ${hops}; batons ${batons}; ask the operator when half is done`;
}

/**
 * The answer of whoever is asked.
 * @param {{system: string, messages: readonly {role: string, text: string, calls: readonly object[]}[]}} seen
 * @returns {{text: string, calls: readonly {tool: string, arguments: object}[]}}
 */
export function answerOf(seen) {
  const { messages } = seen;
  if (messages.at(-1).text.startsWith('[from the team runtime: your conversation has grown too long')) {
    return says(summaryOf(messages.at(-1).text));
  }
  const [, name] = /You are (lead|worker-\d+)\./.exec(seen.system) ?? [];
  if (name === undefined) throw new Error(`nobody of this team is asked: ${seen.system.slice(0, 200)}`);
  return name === 'lead' ? lead(messages) : worker(name, messages);
}

/** What a member has to know of its past: the lines by which it reads its conversation. */
function summaryOf(text) {
  const known = knownOf(text);
  return [
    `highest task: #${known.made}`,
    ...[...known.sent].map((baton) => `baton ${baton} is sent`),
    ...[...known.home].map((baton) => `baton ${baton} is home`),
    ...(known.word === undefined ? [] : [`the operator's word: go on with ${known.word}`]),
  ].join('\n');
}

function knownOf(text) {
  const numbers = (pattern) => new Set([...text.matchAll(pattern)].map(([, number]) => Number(number)));
  return {
    made: Math.max(0, ...numbers(/^#(\d+) \(unit-\d+\): /gm), ...numbers(/^highest task: #(\d+)$/gm)),
    sent: numbers(/baton (\d+)(?:: hop 0 of| is sent)/g),
    home: numbers(/baton (\d+) is home/g),
    word: /(?:The operator answers r\d+:\n|the operator's word: )go on with (\w+)/.exec(text)?.[1],
  };
}

function lead(messages) {
  const work = onTasks(messages);
  if (work.length > 0) return { text: '', calls: work };
  const all = messages.map(({ text, calls }) => `${text}\n${JSON.stringify(calls)}`).join('\n');
  const [, ...figures] = /workers (\d+); tasks (\d+); hops (\d+); batons (\d+);/.exec(all) ?? [];
  const [workers, tasks, hops, batons] = figures.map(Number);
  const { made, sent, home, word } = knownOf(all);
  const half = word === undefined ? 1 : 2;
  const wanted = half === 1 ? Math.floor(tasks / 2) : tasks;
  if (made < wanted) {
    const batches = [];
    for (let from = made; from < wanted && batches.length < BATCHES; from += BATCH) {
      const units = Array.from({ length: Math.min(BATCH, wanted - from) }, (_, at) => from + at + 1);
      batches.push({
        tool: 'team_task_create',
        arguments: { tasks: units.map((unit) => newTask(unit, word)) },
      });
    }
    return { text: 'More to do.', calls: batches };
  }
  const mine = Array.from({ length: batons }, (_, at) => (half - 1) * batons + at + 1);
  const unsent = mine.filter((baton) => !sent.has(baton));
  if (unsent.length > 0) {
    const share = Math.ceil(hops / (2 * batons));
    return {
      text: '',
      calls: unsent.map((baton) => ({
        tool: 'team_send_message',
        arguments: {
          to: workerName(Math.floor((baton * workers) / batons) % workers),
          message: `baton ${baton}: hop 0 of ${share}, ring of ${workers}`,
        },
      })),
    };
  }
  if (!mine.every((baton) => home.has(baton))) return says('Batons are under way.');
  const board = resultsSince(messages).find(
    ({ text }) => text === 'The board is empty.' || /^#\d+ \[/.test(text),
  );
  if (board === undefined)
    return { text: '', calls: [{ tool: 'team_task_list', arguments: { state: 'open' } }] };
  if (board.text !== 'The board is empty.') return says('Tasks are under way.');
  if (half === 1) {
    const question = `Half is done: ${made} tasks, ${home.size} batons. What do we go on with?`;
    return { text: '', calls: [{ tool: 'ask_question', arguments: { question } }] };
  }
  const result = `${made} tasks and ${home.size} batons, the second half with ${word}.`;
  return { text: '', calls: [{ tool: 'team_finish', arguments: { outcome: 'done', result } }] };
}

/** Every fifth waits on the one before it; the second half asks for the operator's word. */
function newTask(unit, word = 'nothing') {
  return {
    id: `unit-${unit}`,
    subject: `Unit ${unit}`,
    description: `Square ${unit} with ${word}.`,
    acceptance: ['the square is named'],
    blocked_by: unit % 5 === 0 ? [`unit-${unit - 1}`] : [],
  };
}

function worker(name, messages) {
  const calls = onTasks(messages);
  let counts = calls.length === 0 && !alreadyCounted(messages);
  for (const [, baton, hop, share, ring] of newsOf(messages).matchAll(
    /baton (\d+): hop (\d+) of (\d+), ring of (\d+)/g,
  )) {
    const next = Number(hop) + (counts ? 1 : 0);
    counts = false;
    calls.push({ tool: 'team_send_message', arguments: passed(name, { baton, next, share, ring }) });
  }
  if (calls.length > 0) return { text: '', calls };
  const done = resultsSince(messages).flatMap(({ text }) => /^(#\d+) is completed/.exec(text)?.[1] ?? []);
  return says(done.length > 0 ? `Done: ${done.join(', ')}.` : 'Passed on.');
}

/** Takes what is offered, and reports what was taken. */
function onTasks(messages) {
  const offer = /^Task (#\d+) is ready and offered to you/m.exec(newsOf(messages))?.[1];
  const claimed = resultsSince(messages).flatMap(({ text }) => /^(#\d+) is yours/.exec(text)?.[1] ?? []);
  return [
    ...claimed.map((task) => ({ tool: 'team_task_complete', arguments: report(task, messages) })),
    ...(offer === undefined ? [] : [{ tool: 'team_task_claim', arguments: { task: offer } }]),
  ];
}

/** What the member was told since it answered last. */
function newsOf(messages) {
  const news = messages.slice(lastAnswer(messages) + 1).filter(({ role }) => role === 'user');
  return news.map(({ text }) => text).join('\n');
}

/** The summary and evidence of a task, computed from its description. */
function report(task, messages) {
  const shown =
    messages
      .map(({ text }) => text)
      .filter((text) => text.includes(`task ${task} by `))
      .at(-1) ?? '';
  const [, unit, word] =
    /Square (\d+) with (\w+)\./.exec(shown.slice(shown.lastIndexOf(`task ${task} by `) - 200)) ?? [];
  const text = `${unit} squared is ${Number(unit) ** 2}, with ${word}`;
  return { task, summary: text, evidence: [{ item: 'the square is named', text }] };
}

/** To the next worker of the ring, each baton with a stride of its own; to the lead when it has gone round. */
function passed(name, { baton, next, share, ring }) {
  if (next >= Number(share)) return { to: 'lead', message: `baton ${baton} is home` };
  const stride = 1 + (Number(baton) % Math.max(1, Math.min(7, Number(ring) - 1)));
  const to = workerName((Number(name.slice('worker-'.length)) + stride) % Number(ring));
  return { to, message: `baton ${baton}: hop ${next} of ${share}, ring of ${ring}` };
}

/** Whether a baton or a task has counted the present turn: it began behind the last answer without calls. */
function alreadyCounted(messages) {
  const began = messages.findLastIndex(({ role, calls }) => role === 'assistant' && calls.length === 0);
  return messages.slice(began + 1).some(({ role }) => role === 'assistant');
}

function lastAnswer(messages) {
  return messages.findLastIndex(({ role }) => role === 'assistant');
}

/** Results of the newest calls. */
function resultsSince(messages) {
  return messages.slice(lastAnswer(messages) + 1).filter(({ role }) => role === 'tool');
}

/** The name of a worker by its place in the ring, from 0. */
export function workerName(place) {
  return `worker-${place}`;
}

function says(text) {
  return { text, calls: [] };
}
