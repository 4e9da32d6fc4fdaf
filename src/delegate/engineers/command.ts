/**
 * Any program (`command`): the whole command is the operator's, in the runner's settings; the brief comes as Markdown on
 * its standard input. It has done well when it exits 0. Its last line may be JSON that says more:
 * `{"status": "success" | "failure", "message": …, "usage": {"input_tokens", "output_tokens", "cost_usd"}}`.
 *
 * Words of its arguments may hold `{model}`, `{safety}`, `{tree}`, `{directory}` and `{rules}`. What holds it to `safety` is
 * its operator's to say, by arguments or a wrapper: we only look afterwards whether a read-only brief has changed anything.
 * So it is with rules that deny: `{rules}` is a file of JSON that names them, in the form in which a brief does, and whoever
 * writes it says that the program obeys them. Without it a brief that has such rules is refused.
 */

import { join } from 'node:path';

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
import { askNote, mattersOf, ruleText } from './rules.js';
import { readEnvelope, sentence } from './said.js';

export const command: Engineer = {
  kind: 'command',
  versionArgs: null,
  announces: false,
  speaks: false,
  unheld: (order) => unheldByArgs('command', order),
  plan,
  reader: () => new CommandReader(),
};

function plan(order: EngineerOrder): EngineerPlan {
  const { settings, prompt } = order;
  if (settings.path === '')
    return { kind: 'refused', detail: 'no program is set (runner.engineers.command.path)' };
  const detail = unheldByArgs('command', order);
  if (detail !== null) return { kind: 'refused', detail };
  const args = filledArgs(order);
  return {
    kind: 'start',
    start: { program: settings.path, args, stdin: prompt, env: {}, files: ruleFiles(order) },
  };
}

/** In the home of the engineer. */
const RULES_FILE = 'rules.json';

/** The arguments of the settings, with what the order says where they name it. */
export function filledArgs({
  settings,
  model,
  safety,
  tree,
  directory,
  home,
}: EngineerOrder): readonly string[] {
  const rules = join(home, RULES_FILE);
  const words: Readonly<Record<string, string>> = { model: model ?? '', safety, tree, directory, rules };
  return settings.args.map((word) =>
    word.replace(/\{(model|safety|tree|directory|rules)\}/g, (whole, key: string) => words[key] ?? whole),
  );
}

/** The file that `{rules}` names, where an argument does. */
export function ruleFiles({ settings, deny }: EngineerOrder): Readonly<Record<string, string>> {
  return readsRules(settings.args) ? { [RULES_FILE]: `${JSON.stringify(deny)}\n` } : {};
}

/** Of an engineer that is held to rules by whoever has set it up, and says so by an argument that names them (A5). */
export function unheldByArgs(
  kind: string,
  { deny, settings }: Pick<EngineerOrder, 'deny' | 'settings'>,
): string | null {
  const rule = readsRules(settings.args) ? undefined : deny.find((one) => mattersOf(one).length > 0);
  return rule === undefined
    ? null
    : `nothing holds the engineer ${kind} to ${ruleText(rule)}${askNote(rule)}; let an argument of it name {rules}, a file that says them, and a program that obeys them (runner.engineers.${kind}.args)`;
}

function readsRules(args: readonly string[]): boolean {
  return args.some((word) => word.includes('{rules}'));
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
