/**
 * One round: what the model is sent beside the conversation, and what it may call until it has answered
 * (spec/skills.md §8). Built anew for each round from what is active; the same set gives the same bytes, whatever
 * order it was loaded or found in.
 *
 * Always true: a call is looked up in the round whose tools the model was sent, so what was loaded in a round can be
 * called in the next one and not before.
 */

import type { Tool } from '../agent/tool.js';
import type { PromptPart, ToolDefinition } from '../models/model.js';
import { compareBytes } from '../skills/byte-order.js';
import type { Entry } from '../skills/entry.js';
import { renderProcess, renderSections } from '../skills/render.js';
import { admits } from '../team/policy/policy.js';
import type { ChatCatalogue } from './catalogue.js';
import { framePrompt } from './frame.js';
import { available } from './offer.js';
import type { ChatParts } from './parts.js';
import { activeEntries, type Session } from './session.js';
import { skillTool } from './skill-tool.js';
import { scopeHas, type ToolScope, toolScope } from './tool-scope.js';

export interface Round {
  readonly system: readonly PromptPart[];
  /** Tools that run, by name; the tool `skill` is not among them. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
  /** The entries that bring tools, by the names of these. */
  readonly providers: ReadonlyMap<string, Entry>;
  readonly scope: ToolScope | null;
}

type RoundParts = Pick<
  ChatParts,
  'rolePrompt' | 'bundlePath' | 'policy' | 'tools' | 'entryTool' | 'use' | 'offered' | 'granted'
>;

/** Composes the round of a session. Pure but for the making of tools. */
export function composeRound(parts: RoundParts, session: Session, catalogue: ChatCatalogue): Round {
  const entries = activeEntries(session);
  const offered = available(session, catalogue, parts);
  const provided = providedTools(parts, entries);
  const scope = toolScope(session, new Set(provided.keys()));
  const tools = new Map([...parts.tools, ...provided].filter(([name]) => scopeHas(scope, name)));
  const loader = skillTool(offered);
  const definitions = [...tools.values()].map(({ definition }) => definition);
  return {
    system: [...framePrompt(parts.rolePrompt), ...entryParts(parts, entries, offered)],
    tools,
    providers: new Map(entries.flatMap((entry) => entry.tools.map(({ name }) => [name, entry]))),
    definitions: loader === undefined ? definitions : [...definitions, loader],
    scope,
  };
}

function entryParts(
  { bundlePath }: RoundParts,
  entries: readonly Entry[],
  offered: readonly Entry[],
): PromptPart[] {
  const process = entries.filter((entry) => entry.process);
  const others = entries.filter((entry) => !entry.process);
  return [
    ...process.map((entry) => ({ name: 'process', text: renderProcess(entry, bundlePath(entry)) })),
    ...renderSections(others, offered, bundlePath),
  ];
}

/** Definitions whose class the safety mode admits: what could never run is absent, not merely refused. */
export function admittedTools({ tools }: Entry, { safety }: RoundParts['policy']): Entry['tools'] {
  return tools.filter((tool) => admits(safety, tool.class));
}

/** Tools of the active entries, in byte order of entry, then as declared. */
function providedTools(parts: RoundParts, entries: readonly Entry[]): ReadonlyMap<string, Tool> {
  const ordered = [...entries].sort((left, right) => compareBytes(left.name, right.name));
  return new Map(
    ordered.flatMap((entry) =>
      admittedTools(entry, parts.policy).flatMap((definition) => {
        const tool = parts.entryTool(definition);
        return tool === undefined ? [] : [[definition.name, tool] as const];
      }),
    ),
  );
}
