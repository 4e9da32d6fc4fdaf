/** `bnerd runner --once`: lines of the protocol on stdout and nothing else, remarks on stderr. */

import { type OnceEnd, runOnce } from '../../delegate/runner/once.js';
import { openRunner } from '../../delegate/runner/open-runner.js';
import { errorText } from '../../shared/errors.js';
import { jsonLine } from '../../shared/jsonl.js';
import { oneLine } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { interruptible } from '../interruptible.js';
import { refuse } from '../refusal.js';
import { runnerCallOf, runnerPlanOf } from '../runner-plan.js';
import { missingFlag } from '../usage.js';

const EXITS: Readonly<Record<OnceEnd, number>> = {
  acknowledged: 0,
  no_brief: 2,
  unacknowledged: 3,
  taken: 4,
};

export async function run(call: Call): Promise<number> {
  const { program } = call;
  if (!isGiven(call, 'once')) return refuse(program, [missingFlag('once', 'runner')]);
  const given = await runnerCallOf(call);
  if (given.kind === 'refused') return refuse(program, given.findings);
  return interruptible(program, async (stop) => {
    const resolved = await runnerPlanOf(call, given.value, stop);
    if (resolved.kind === 'refused') return refuse(program, resolved.findings);
    const { plan, remarks } = resolved.value;
    const { results, notes } = program.output;
    const note = (text: string): void => notes.write(`bnerd runner: ${oneLine(text, 2_000)}\n`);
    for (const remark of remarks) note(remark);
    const runner = await openRunner(plan);
    if (runner.kind === 'refused') {
      note(runner.message);
      return 2;
    }
    const { ended, kept } = runner.leftovers;
    if (ended.length > 0) note(`ended what ${ended.length} killed runners or engineers had left running`);
    for (const { file, reason } of kept) if (!reason.includes('is alive')) note(`${file}: ${reason}`);
    if (runner.remark !== null) note(runner.remark);
    const { name, pair } = runner.house.identity;
    note(`this is ${name}, key ${pair.id}, public key ${pair.key}`);
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
