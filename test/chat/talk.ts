/**
 * A chat of entries that a test names, with a far side that the test plays: it keeps every request, and computes each
 * answer from what it was sent.
 */

import type { Tool } from '../../src/agent/tool.js';
import { ok } from '../../src/agent/tool.js';
import { Chat } from '../../src/chat/chat.js';
import type { ChatNote, ChatParts } from '../../src/chat/parts.js';
import type { Model, ModelOutcome, ModelReply, ModelRequest } from '../../src/models/model.js';
import { FREE } from '../../src/models/settings.js';
import { Releases } from '../../src/shared/releases.js';
import type { Entry, ToolDefinition } from '../../src/skills/entry.js';
import type { Registry } from '../../src/skills/registry.js';
import { OUT_OF_REACH } from '../../src/skills/render.js';
import { toolArguments } from '../../src/tools/arguments.js';
import { defineTool } from '../../src/tools/define-tool.js';
import { registryOf } from '../skills/entries.js';

export const NEVER = new AbortController().signal;

/** What the far side does with a request; `count` is 1 for the first. */
export type Play = (request: ModelRequest, count: number) => Deed;

export interface Deed {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly arguments: unknown }[];
  readonly fails?: Exclude<ModelOutcome, { kind: 'reply' }>;
}

export interface Talk {
  readonly chat: Chat;
  /** Every request, as it was sent. */
  readonly requests: readonly ModelRequest[];
  readonly notes: readonly ChatNote[];
  /** Puts a message in and gives how it ended. */
  say(text: string): ReturnType<Chat['say']>;
  /** From now on the files say this. */
  files(registry: Registry): void;
}

/** Opens a chat of these entries, all trusted unless a registry is given. */
export async function talk(
  entries: readonly Entry[] | Registry,
  play: Play,
  more: Partial<ChatParts> = {},
): Promise<Talk> {
  let registry = isRegistry(entries) ? entries : registryOf(entries);
  const requests: ModelRequest[] = [];
  const notes: ChatNote[] = [];
  const chat = await Chat.open(
    {
      use: { mode: 'chat', role: null },
      name: 'chat',
      model: playedBy(play, requests),
      window: null,
      maxOutputTokens: 1_000,
      gate: {
        enter: () => ({ kind: 'open' }),
        refused: () => 5,
        unanswered: () => 7,
        answered: () => {},
        left: () => {},
      },
      rolePrompt: '',
      bundlePath: OUT_OF_REACH,
      reference: '',
      tools: new Map(),
      policy: { safety: 'full', autoApprove: 'all', rules: [], patterns: [] },
      granted: [],
      listed: [],
      offered: null,
      registry,
      reload: async () => registry,
      guard: async () => [],
      entryTool: told,
      releases: new Releases(),
      confirm: null,
      sleep: async () => {},
      tell: (note) => notes.push(note),
      ...more,
    },
    NEVER,
  );
  return {
    chat,
    requests,
    notes,
    say: (text) => chat.say(text, NEVER),
    files: (next) => {
      registry = next;
    },
  };
}

function isRegistry(entries: readonly Entry[] | Registry): entries is Registry {
  return 'byName' in entries;
}

function playedBy(play: Play, requests: ModelRequest[]): Model {
  return {
    id: 'test/far-side',
    facts: FREE,
    generate: async (request, signal) => {
      if (signal.aborted) return { kind: 'cancelled' };
      requests.push(structuredClone(request));
      const deed = play(request, requests.length);
      return deed.fails ?? replyOf(deed);
    },
    leftover: () => [],
  };
}

function replyOf({ text = '', calls = [] }: Deed): ModelReply {
  const usage = { inputTokens: 100, cachedTokens: 40, outputTokens: 10 };
  return { kind: 'reply', text, calls, usage, stop: calls.length > 0 ? 'tool_calls' : 'end' };
}

/** A call of the tool `skill`. */
export function loads(name: unknown): { readonly tool: string; readonly arguments: unknown } {
  return { tool: 'skill', arguments: { name } };
}

/** The text of a system prompt, one block after another. */
export function systemOf(request: ModelRequest | undefined): string {
  return (request?.system ?? []).map(({ text }) => text).join('\n\n');
}

/** The text of a section, its title excluded; undefined where the prompt has none of that name. */
export function section(request: ModelRequest | undefined, name: string): string | undefined {
  return request?.system.find((part) => part.name === name)?.text;
}

export function toolNames(request: ModelRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map(({ name }) => name);
}

/** The results of the last reply, as the model is told them. */
export function results(request: ModelRequest | undefined): readonly string[] {
  const texts: string[] = [];
  for (const message of [...(request?.messages ?? [])].reverse()) {
    if (message.role !== 'tool') break;
    texts.unshift(message.text);
  }
  return texts;
}

/** A tool of an entry that tells its name and what it was given. */
export function told({ name, description, class: toolClass }: ToolDefinition): Tool {
  return defineTool({
    name,
    description,
    class: toolClass,
    arguments: toolArguments({}),
    prepare: () => ({ kind: 'ready', summary: name, subject: '' }),
    run: async () => ok(`${name} ran`),
  });
}

/** A definition of a tool that an entry provides. */
export function provides(name: string): ToolDefinition {
  return {
    name,
    description: `What ${name} does`,
    parameters: { type: 'object', properties: {} },
    run: ['true'],
    class: 'read',
  };
}
