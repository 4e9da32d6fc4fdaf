/**
 * Any program (`command`): the whole command is the operator's, in the runner's settings; the brief comes as Markdown on
 * its standard input. It has done well when it exits 0. Its last line may be JSON that says more:
 * `{"status": "success" | "failure", "message": …, "usage": {"input_tokens", "output_tokens", "cost_usd"}}`.
 *
 * Words of its arguments may hold `{model}`, `{safety}`, `{tree}` and `{directory}`. What holds it to `safety` is its
 * operator's to say, by arguments or a wrapper: we only look afterwards whether a read-only brief has changed anything.
 */

import {
  type Engineer,
  type EngineerEnd,
  type EngineerEvent,
  type EngineerExit,
  type EngineerOrder,
  type EngineerPlan,
  type EngineerReader,
  type EngineerUsage,
  NO_USAGE,
} from './engineer.js';
import { readEnvelope, sentence } from './said.js';

export const command: Engineer = {
  kind: 'command',
  versionArgs: null,
  announces: false,
  plan,
  reader: () => new CommandReader(),
};

function plan({ settings, prompt, model, safety, tree, directory }: EngineerOrder): EngineerPlan {
  if (settings.path === '')
    return { kind: 'refused', detail: 'no program is set (runner.engineers.command.path)' };
  const words: Readonly<Record<string, string>> = { model: model ?? '', safety, tree, directory };
  const filled = settings.args.map((word) =>
    word.replace(/\{(model|safety|tree|directory)\}/g, (whole, key: string) => words[key] ?? whole),
  );
  return {
    kind: 'start',
    start: { program: settings.path, args: filled, stdin: prompt, env: {}, files: {} },
  };
}

/** The longest last words, and of how many lines, in UTF-16 units. */
const MESSAGE = 16 << 10;
const LINES = 200;

/** How much of one line is shown as activity. */
const SHOWN = 200;

class CommandReader implements EngineerReader {
  #lines: string[] = [];

  line(line: string): readonly EngineerEvent[] {
    this.#lines.push(line.length <= MESSAGE ? line : line.slice(-MESSAGE));
    if (this.#lines.length > 2 * LINES) this.#lines = this.#lines.slice(-LINES);
    return [{ kind: 'activity', text: sentence(line).slice(0, SHOWN) }];
  }

  end(exit: EngineerExit): EngineerEnd {
    const envelope = readEnvelope(this.#lines.at(-1) ?? '');
    const words = envelope === null ? this.#lines : this.#lines.slice(0, -1);
    const message = envelope?.message ?? words.slice(-LINES).join('\n').slice(-MESSAGE).trim();
    const well = exit.kind === 'exited' && exit.code === 0;
    if (envelope?.status === 'failure')
      return { kind: 'failure', cause: 'engineer_error', detail: detailOf(message), message };
    if (well) return { kind: 'success', message };
    return exit.kind === 'signalled'
      ? { kind: 'none' }
      : { kind: 'failure', cause: 'engineer_error', detail: detailOf(message), message };
  }

  usage(): EngineerUsage {
    return readEnvelope(this.#lines.at(-1) ?? '')?.usage ?? NO_USAGE;
  }
}

function detailOf(message: string): string {
  return message.trim() === ''
    ? 'the command failed and said nothing'
    : `the command failed: ${sentence(message)}`;
}
