/** What the record of the brief run says of its briefs, against what its engineers have written down and committed. */

import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Reads the event lines of the run one by one: facts about briefs, by the brief. */
export async function eventLines(path) {
  const read = { team: undefined, last: {}, byBrief: new Map(), evidence: [] };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    read.last = JSON.parse(line);
    read.team ??= read.last.team;
    const { type, brief } = read.last;
    if (type === 'brief.evidence') read.evidence.push(read.last);
    else if (/^brief\.(sent|accepted|delivered|ended)$/.test(type)) {
      const facts = read.byBrief.get(brief) ?? [];
      read.byBrief.set(brief, [...facts, read.last]);
    }
  }
  return read;
}

/**
 * What is wrong with the briefs of a run, a line each: every one is sent once, taken once, worked on once and ended once, as
 * completed, with the answer to its own unit on its branch.
 */
export async function wrongBriefs({ briefs, lines, witness, team }) {
  const wrong = [];
  if (lines.byBrief.size !== briefs) wrong.push(`${lines.byBrief.size} briefs were sent, not ${briefs}`);
  for (const { code, brief, detail } of lines.evidence)
    wrong.push(`evidence of ${brief}: ${code}: ${detail}`);
  const seen = grouped(witness);
  const answers = await answersOf(team);
  for (const [brief, facts] of lines.byBrief) {
    const of = (type) => facts.filter((fact) => fact.type === `brief.${type}`);
    for (const type of ['sent', 'accepted', 'delivered', 'ended'])
      if (of(type).length !== 1) wrong.push(`${brief} was ${type} ${of(type).length} times`);
    const [{ status, cause } = {}] = of('ended');
    if (status !== 'completed') wrong.push(`${brief} has ended ${status} (${cause})`);
    const engineers = seen.get(brief) ?? [];
    if (engineers.length !== 1) wrong.push(`${engineers.length} engineers have worked on ${brief}`);
    const [{ branch } = {}] = of('sent');
    const [{ unit } = {}] = engineers;
    const answer = answers.get(branch);
    if (answer !== `${unit} ${unit ** 2}`) wrong.push(`${brief} of unit ${unit} has delivered ${answer}`);
  }
  const units = new Set(witness.map(({ unit }) => unit));
  if (units.size !== briefs) wrong.push(`${units.size} units were worked on, not ${briefs}`);
  return wrong;
}

/** Those of each brief. */
function grouped(witness) {
  const by = new Map();
  for (const one of witness) by.set(one.brief, [...(by.get(one.brief) ?? []), one]);
  return by;
}

/** What engineers have written down, a line each. */
export async function witnesses(path) {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ unit: Number(line.split(' ')[0]), brief: line.split(' ')[1] }));
}

/** The answer on each branch that was delivered into the workspace of the team. */
async function answersOf({ work, env }) {
  const options = { cwd: work, env, maxBuffer: 1 << 28 };
  const git = promisify(execFile);
  const names = ['for-each-ref', '--format', '%(refname:short)', 'refs/heads/bnerd'];
  const branches = (await git('git', names, options)).stdout.split('\n').filter(Boolean);
  const asked = git('git', ['cat-file', '--batch=%(objectsize)'], options);
  asked.child.stdin.end(branches.map((branch) => `${branch}:answer.txt\n`).join(''));
  // Of each the number of its bytes, then its one line, then an empty one.
  const lines = (await asked).stdout.split('\n').filter(Boolean);
  return new Map(branches.map((branch, place) => [branch, lines[2 * place + 1]]));
}
