/**
 * What a far side that plays a whole team reads a request by, and the words it answers with. It keeps nothing: what a
 * member knows is what stands in the conversation that it was sent.
 */

import type { Deed, Respond, Seen, SeenCall } from '../helpers/providers/far-side.js';

/** Plays each role by the words its prompt begins with: `You are the <title>`. */
export function playing(parts: Readonly<Record<string, (seen: Seen) => Deed>>): Respond {
  return (seen) => {
    const system = seen.system.join('\n');
    for (const [title, part] of Object.entries(parts)) {
      if (new RegExp(`You are the ${title}\\b`).test(system)) return part(seen);
    }
    throw new Error(`nobody of this team is asked: ${system.slice(0, 200)}`);
  };
}

/** What came of a call: the tool, its arguments as they were sent, the text of its result. */
export interface Done {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Every call of the conversation with its result, oldest first. */
export function allDone(seen: Seen): readonly Done[] {
  const asked = new Map<string, SeenCall>();
  const done: Done[] = [];
  for (const message of seen.messages) {
    if (message.role === 'assistant') for (const call of message.calls) asked.set(call.id, call);
    if (message.role !== 'tool') continue;
    const call = asked.get(message.call);
    if (call === undefined) throw new Error(`a result of a call that nobody made: ${message.call}`);
    const args = (call.arguments ?? {}) as Record<string, unknown>;
    done.push({ tool: call.tool, args, text: message.text });
  }
  return done;
}

/** Results of one tool, oldest first. */
export function resultsOf(seen: Seen, tool: string): readonly string[] {
  return allDone(seen).flatMap((one) => (one.tool === tool ? [one.text] : []));
}

/** What came of the calls of the newest answer, by tool, and how often the member has answered. */
export function lastStep(seen: Seen): { results: Map<string, string[]>; said: number } {
  const last = seen.messages.findLastIndex((message) => message.role === 'assistant');
  const before = seen.messages.slice(0, last).filter((message) => message.role === 'tool').length;
  const results = new Map<string, string[]>();
  for (const { tool, text } of allDone(seen).slice(before)) {
    results.set(tool, [...(results.get(tool) ?? []), text]);
  }
  return { results, said: seen.messages.filter((message) => message.role === 'assistant').length };
}

/** All that the member was told and given, in one text. */
export function everything(seen: Seen): string {
  return seen.messages.map((message) => message.text).join('\n');
}

/** What was said to the member since it answered last; empty when there are only results of its calls. */
export function news(seen: Seen): string {
  const last = seen.messages.findLastIndex((message) => message.role === 'assistant');
  return seen.messages
    .slice(last + 1)
    .flatMap((message) => (message.role === 'user' ? [message.text] : []))
    .join('\n');
}

/** The newest task that was offered to the member and that it has not claimed. */
export function offered(seen: Seen): string | undefined {
  const offers = [...everything(seen).matchAll(/Task (#\d+) is ready and offered to you/g)];
  const newest = offers.at(-1)?.[1];
  return claimed(seen).includes(newest ?? '') ? undefined : newest;
}

/** The tasks that the member has claimed, oldest first. */
export function claimed(seen: Seen): readonly string[] {
  return resultsOf(seen, 'team_task_claim').flatMap((text) => /^(#\d+) is yours/.exec(text)?.[1] ?? []);
}

/** The acceptance items of the task that was offered last. */
export function acceptanceOf(seen: Seen): readonly string[] {
  const offer = everything(seen).split(' is ready and offered to you').at(-1) ?? '';
  const [, list = ''] = /^Acceptance:\n((?:- .*\n)*)/m.exec(offer) ?? [];
  return list.split('\n').flatMap((line) => /^- (.*)$/.exec(line)?.[1] ?? []);
}

export function text(words: string): Deed {
  return { kind: 'reply', text: words };
}

export function calls(
  words: string,
  ...list: readonly (readonly [tool: string, args: Record<string, unknown>])[]
): Deed {
  return { kind: 'reply', text: words, calls: list.map(([tool, args]) => ({ tool, arguments: args })) };
}
