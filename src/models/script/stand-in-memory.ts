/** What a conversation holds for one who plays a member without a model: what was said, and what came of its calls. Pure. */

import { isObject } from '../../shared/is-object.js';
import type { ModelRequest } from '../model.js';

export interface PastCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly failed: boolean;
  /** Place among all messages of the conversation. */
  readonly at: number;
}

export interface Happened {
  readonly member: string;
  /** Text of all that was put in, oldest first. */
  readonly heard: string;
  /** Place of the newest message that was put in. */
  readonly heardAt: number;
  readonly calls: readonly PastCall[];
  readonly tools: ReadonlySet<string>;
  /** Text of the system prompt. */
  readonly prompt: string;
  readonly fails: (tool: string, argument: string, value: string) => number;
}

/** Reads a request. */
export function whatHappened({ member, system, messages, tools }: ModelRequest): Happened {
  const asked = new Map<string, { tool: string; args: Readonly<Record<string, unknown>> }>();
  const calls: PastCall[] = [];
  const heard: string[] = [];
  let heardAt = -1;
  for (const [at, message] of messages.entries()) {
    switch (message.role) {
      case 'user':
        heard.push(message.text);
        heardAt = at;
        break;
      case 'assistant':
        for (const { id, tool, arguments: args } of message.calls)
          asked.set(id, { tool, args: isObject(args) ? args : {} });
        break;
      case 'tool': {
        const call = asked.get(message.call);
        if (call !== undefined) calls.push({ ...call, text: message.text, failed: message.failed, at });
      }
    }
  }
  return {
    member,
    heard: heard.join('\n\n'),
    heardAt,
    calls,
    tools: new Set(tools.map(({ name }) => name)),
    prompt: system.map(({ text }) => text).join('\n\n'),
    fails: (tool, argument, value) =>
      calls.filter((call) => call.failed && call.tool === tool && call.args[argument] === value).length,
  };
}

/** Whether a call of this tool with this argument went well. */
export function went({ calls }: Happened, tool: string, argument: string, value: string): boolean {
  return calls.some((call) => !call.failed && call.tool === tool && call.args[argument] === value);
}

/** Tries before it gives something up. */
export const MOST_TRIES = 2;

/** The first groups of every match, each once. */
export function allOf(regex: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(regex)].map((match) => match[1] ?? ''))];
}
