/** `bnerd runner prune`: lists what a runner has kept, and removes it unless it is a dry run. */

import { realpath } from 'node:fs/promises';
import { Outbox } from '../../delegate/runner/outbox.js';
import { type Prunable, prunable, prune } from '../../delegate/workspace/prune.js';
import { systemCode } from '../../shared/errors.js';
import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { refuse } from '../refusal.js';
import { runnerCallOf } from '../runner-plan.js';

/** A result that nobody has taken for so long is for nobody any more. */
const RESULTS_MS = 30 * 24 * 3_600_000;

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const given = await runnerCallOf(call);
  if (given.kind === 'refused') return refuse(program, given.findings);
  const { runner, workdir: named } = given.value;
  let workdir: string;
  try {
    workdir = await realpath(named);
  } catch (error) {
    // Nobody has named one, and none was ever made.
    if (runner.workdir === null && systemCode(error) === 'ENOENT') return nothingKept(call, named);
    const message = `${named} is no folder of a runner (${systemCode(error) ?? 'unreadable'})`;
    const remedy = 'name the folder of the runner';
    return refuse(program, [{ code: 'no-workdir', severity: 'error', path: '--workdir', message, remedy }]);
  }
  const nowMs = program.clock.wallMs();
  const listed = await prunable(workdir, {
    nowMs,
    keepMs: runner.keepFailedMs,
    minFreeBytes: runner.minFreeBytes,
  });
  const dry = isGiven(call, 'dry-run');
  const { removed, left } = dry ? { removed: [], left: [] } : await prune(workdir, listed);
  const outbox = new Outbox(workdir);
  const results = dry ? [] : await outbox.expire(nowMs, RESULTS_MS);
  const { findings } = await outbox.list();
  const { output } = program;
  if (isGiven(call, 'json')) {
    const expired = results.map(({ result }) => result.brief);
    output.results.write(jsonDocument({ workdir, listed, removed, left, expired, damaged: findings }));
  } else {
    for (const one of dry ? listed : removed) output.results.write(`${lineOf(one)}\n`);
    for (const { result } of results)
      output.results.write(`${result.brief}: its result was never taken and is older than 30 days\n`);
    for (const one of left) output.notes.write(`${lineOf(one)}: not removed: ${oneLine(one.reason)}\n`);
    for (const { path, message } of findings) output.notes.write(`${path}: ${oneLine(message)}\n`);
    const bytes = (dry ? listed : removed).reduce((sum, one) => sum + one.bytes, 0);
    output.notes.write(`${dry ? 'would free' : 'freed'} ${bytes} bytes\n`);
  }
  return left.length === 0 ? 0 : 1;
}

function nothingKept(call: Call, workdir: string): number {
  const { results, notes } = call.program.output;
  if (isGiven(call, 'json'))
    results.write(jsonDocument({ workdir, listed: [], removed: [], left: [], expired: [], damaged: [] }));
  else notes.write(`nothing is kept: there is no folder ${workdir}\n`);
  return 0;
}

function lineOf({ path, bytes, keptAt, keptFor, because }: Prunable): string {
  const kept = keptAt === null ? 'half made' : `kept since ${keptAt}: ${oneLine(keptFor ?? '')}`;
  return `${path}  ${bytes} bytes  ${kept}  (${because})`;
}
