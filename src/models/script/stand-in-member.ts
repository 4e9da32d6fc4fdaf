/** What a member does that thinks nothing: plan, reviews, tasks, in this order. Pure. */

import type { Deed } from './stand-in-lead.js';
import { allOf, type Happened, MOST_TRIES, went } from './stand-in-memory.js';

/** The next deed; undefined when there is nothing to do. */
export function memberDeed(memory: Happened): Deed | undefined {
  return planDeed(memory) ?? reviewDeed(memory) ?? taskDeed(memory);
}

function planDeed({ tools, calls, heard }: Happened): Deed | undefined {
  const submitted = calls.filter(({ tool }) => tool === 'team_plan_submit').length;
  if (!tools.has('team_plan_submit') || submitted >= MOST_TRIES || !OFFER.test(heard)) return undefined;
  const plan =
    'Simulated plan: do the task that is offered, write its artifacts, hand in evidence for each item.';
  return { text: '', calls: [{ tool: 'team_plan_submit', arguments: { plan } }] };
}

const OFFER = /Task #\d+ is ready and offered to you/;
const REVIEW = /\{"task":"(#\d+)","attempt":(\d+),"evidence_digest":"([0-9a-f]+)"/g;

function reviewDeed(memory: Happened): Deed | undefined {
  for (const [, task = '', attempt = '', digest = ''] of memory.heard.matchAll(REVIEW)) {
    if (memory.calls.some(({ tool, args }) => tool === 'team_review' && args['evidence_digest'] === digest))
      continue;
    const verdict = {
      task,
      attempt: Number(attempt),
      evidence_digest: digest,
      verdict: 'approve',
      findings: 'Simulated review: nothing was looked at.',
    };
    return { text: '', calls: [{ tool: 'team_review', arguments: verdict }] };
  }
  return undefined;
}

function taskDeed(memory: Happened): Deed | undefined {
  for (const task of allOf(/Task (#\d+) is ready and offered to you/g, memory.heard)) {
    const deed = oneTask(memory, task);
    if (deed !== undefined) return deed;
  }
  return undefined;
}

function oneTask(memory: Happened, task: string): Deed | undefined {
  if (went(memory, 'team_task_complete', 'task', task) || went(memory, 'team_task_block', 'task', task))
    return undefined;
  if (!went(memory, 'team_task_claim', 'task', task)) {
    if (memory.fails('team_task_claim', 'task', task) >= MOST_TRIES) return undefined;
    return { text: '', calls: [{ tool: 'team_task_claim', arguments: { task } }] };
  }
  const { acceptance, artifacts } = textOf(memory.heard, task);
  const missing = artifacts.filter(
    (path) => !memory.calls.some(({ tool, args }) => tool === 'fs_write_file' && args['path'] === path),
  );
  if (missing.length > 0 && memory.tools.has('fs_write_file')) {
    const content = `Simulated: ${memory.member} would have written this for ${task}.\n`;
    return {
      text: '',
      calls: missing.map((path) => ({ tool: 'fs_write_file', arguments: { path, content } })),
    };
  }
  const failures = memory.calls.filter(
    ({ tool, args, failed }) => failed && tool === 'team_task_complete' && args['task'] === task,
  );
  const last = failures.at(-1);
  if (failures.length >= MOST_TRIES && last !== undefined) {
    const detail = `Simulated: it could not be completed: ${last.text}`;
    return {
      text: '',
      calls: [{ tool: 'team_task_block', arguments: { task, reason: 'needs_input', detail } }],
    };
  }
  const report = {
    task,
    summary: `Simulated: ${memory.member} has done ${task}.`,
    evidence: acceptance.map((item) => ({ item, text: 'Simulated evidence.' })),
    artifacts,
  };
  return { text: '', calls: [{ tool: 'team_task_complete', arguments: report }] };
}

/** What a task asks for, as its offer quotes it. */
function textOf(
  heard: string,
  task: string,
): { readonly acceptance: string[]; readonly artifacts: string[] } {
  const quoted =
    new RegExp(`<<task ${task} by [^\\n]* (~[0-9a-f]+)\\n([\\s\\S]*?)\\n\\1>>`).exec(heard)?.[2] ?? '';
  const items = (head: string): string[] => {
    const lines = quoted.split('\n');
    const start = lines.lastIndexOf(head) + 1;
    if (start === 0) return [];
    const rest = lines.slice(start);
    const end = rest.findIndex((line) => !line.startsWith('- '));
    return (end === -1 ? rest : rest.slice(0, end)).map((line) => line.slice(2));
  };
  return { acceptance: items('Acceptance:'), artifacts: items('Artifacts:') };
}
