/**
 * `bnerd runner`: stands for the teams on a Redis; with `--once` for one brief, lines of the protocol on stdout and nothing else.
 * Remarks on stderr.
 */

import { type OnceEnd, runOnce } from '../../delegate/runner/once.js';
import { errorText } from '../../shared/errors.js';
import { jsonLine } from '../../shared/jsonl.js';
import { oneLine } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { interruptible } from '../interruptible.js';
import { refuse } from '../refusal.js';
import { openRunnerOf, runnerCallOf, runnerPlanOf } from '../runner-plan.js';

const EXITS: Readonly<Record<OnceEnd, number>> = {
  acknowledged: 0,
  no_brief: 2,
  unacknowledged: 3,
  taken: 4,
};

export async function run(call: Call): Promise<number> {
  const { program } = call;
  if (!isGiven(call, 'once')) {
    const { runStanding } = await import('../standing-runner.js'); // Redis, for who means it
    return runStanding(call);
  }
  const given = await runnerCallOf(call);
  if (given.kind === 'refused') return refuse(program, given.findings);
  return interruptible(program, async (stop) => {
    const resolved = await runnerPlanOf(call, given.value, stop);
    if (resolved.kind === 'refused') return refuse(program, resolved.findings);
    const { plan, remarks } = resolved.value;
    const { results, notes } = program.output;
    const note = (text: string): void => notes.write(`bnerd runner: ${oneLine(text, 2_000)}\n`);
    const runner = await openRunnerOf(plan, remarks, note);
    if (runner === null) return 2;
    try {
      const say = (line: object): void => results.write(jsonLine(line));
      const end = await runOnce(runner.house, { input: program.input.open(), say, note, stop });
      return EXITS[end];
    } catch (error) {
      note(`the result could not be written: ${errorText(error)}`);
      return 1;
    } finally {
      await runner.close();
      await results.flushed();
    }
  });
}
