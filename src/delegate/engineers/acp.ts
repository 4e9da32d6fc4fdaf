/**
 * Any agent that speaks the Agent Client Protocol over its standard input and output (`acp`), as measured with Gemini CLI
 * 0.61.0: the whole command is the operator's, in the runner's settings; its words may hold `{model}`, `{safety}`, `{tree}`
 * and `{directory}`, and `{rules}`, which says as for `command` that rules that deny are obeyed.
 *
 * What it may do is what it asks for and is allowed (`acp-permission.ts`), and whatever its own settings let it do without
 * a question: that is its operator's to say, by arguments, variables or a wrapper. So is what it takes up of a repository
 * by itself: where hooks, skills or instruction files are not turned off there, `project-settings: true` says so in results.
 *
 * The protocol has no limit of cost or of turns and no word for a model, so a brief with a limit is refused, and so is one
 * with a model where the command has no place for it.
 */

import { AcpConversation } from './acp-conversation.js';
import { filledArgs, ruleFiles, unheldByArgs } from './command.js';
import type { Engineer, EngineerOrder, EngineerPlan } from './engineer.js';

export const acp: Engineer = {
  kind: 'acp',
  versionArgs: null,
  announces: true,
  speaks: true,
  unheld: (order) => unheldByArgs('acp', order),
  plan,
  reader: (order, voice) => new AcpConversation(order, voice),
};

function plan(order: EngineerOrder): EngineerPlan {
  const { settings, prompt } = order;
  const detail = refusalOf(order) ?? unheldByArgs('acp', order);
  if (detail !== null) return { kind: 'refused', detail };
  return {
    kind: 'start',
    start: {
      program: settings.path,
      args: filledArgs(order),
      stdin: prompt,
      env: {},
      files: ruleFiles(order),
    },
  };
}

function refusalOf(order: EngineerOrder): string | null {
  const { settings, model, turns } = order;
  if (settings.path === '') return 'no program is set (runner.engineers.acp.path)';
  if (turns !== null) return `acp cannot hold a limit of ${turns} turns; leave limits.turns out`;
  if (model !== null && !settings.args.some((word) => word.includes('{model}')))
    return `the protocol has no word for the model ${model}; put {model} into runner.engineers.acp.args, or name no model`;
  return conversationRefusal('acp', order);
}

/** What no agent can be asked for over the protocol; null: it can. */
export function conversationRefusal(
  kind: string,
  { prompt, safety, settings, costUsd }: EngineerOrder,
): string | null {
  if (prompt.trim() === '') return 'the prompt is empty';
  if (prompt.trimStart().startsWith('/'))
    return 'the prompt begins with "/", which an agent takes for a command of its own; begin it with a word';
  if (costUsd !== null)
    return `${kind} cannot hold a limit of ${costUsd} US dollars; leave limits.cost_usd out, or give the brief to claude-code`;
  if (safety === 'full' && !settings.mayBeFull)
    return `${kind} may not be given "full" on this runner; ask for "non-destructive", or have its settings allow it`;
  if (safety === 'read-only' && settings.projectSettings)
    return 'project-settings are on, so what a repository brings may run programs, and nothing holds those to "read-only"';
  return null;
}
