/** What somebody asks of a chat, and what is made of it: everything that the conversation needs of the machine. */

import type { Gate } from '../../agent/ask.js';
import type { Tool } from '../../agent/tool.js';
import type { CHAT_MODES } from '../../config/chat-config.js';
import type { Safety } from '../../events/facts/frozen.js';
import type { Model } from '../../models/model.js';
import type { Finding } from '../../shared/findings.js';
import type { Releases } from '../../shared/releases.js';
import type { Capability, Entry, ToolDefinition } from '../../skills/entry.js';
import type { GuardHit } from '../../skills/guards/guard-entry.js';
import type { Registry } from '../../skills/registry.js';
import type { BundlePathOf } from '../../skills/render.js';
import type { PermissionRule } from '../../team/policy/policy.js';

export type ChatMode = (typeof CHAT_MODES)[number];

/** How a chat is used: both decide which entries are meant for it. */
export interface ChatUse {
  readonly mode: ChatMode;
  /** The name of the role it plays; null: it plays none. */
  readonly role: string | null;
}

export interface ChatOrder {
  readonly mode: ChatMode;
  readonly role: string | null;
  /** Values of `--model`. */
  readonly models: readonly string[];
  /** Null: the floor of the mode. */
  readonly safety: Safety | null;
  readonly autoApprove: 'never' | 'safe' | 'all';
}

/** The window of a model, and whether anybody has said how large it is. */
export interface Window {
  readonly tokens: number;
  readonly known: boolean;
  /** Id of the model. */
  readonly model: string;
}

/** A chat before its first word. Whoever holds it runs `releases` at the end. */
export interface ChatBasis {
  readonly use: ChatUse;
  /** Who answers: the role's name, else that of the mode. */
  readonly name: string;
  readonly model: Model;
  /** Null: it has none, as a script. */
  readonly window: Window | null;
  readonly maxOutputTokens: number;
  readonly gate: Gate;
  /** The body of the role; '' for none. */
  readonly rolePrompt: string;
  /** Where the tools find the files of an entry. */
  readonly bundlePath: BundlePathOf;
  /** Stands in front of the first message that is sent, whatever was dropped; '' for none. */
  readonly reference: string;
  /** Tools of ours, in the order in which the model is shown them. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly policy: {
    readonly safety: Safety;
    readonly autoApprove: ChatOrder['autoApprove'];
    readonly rules: readonly PermissionRule[];
    readonly patterns: readonly PermissionRule[];
  };
  /** What the chat can do, from its tools. */
  readonly granted: readonly Capability[];
  /** Names of the entries that the role lists. */
  readonly listed: readonly string[];
  /** `chat.skills` of the settings; null: everything that applies. */
  readonly offered: readonly string[] | null;
  readonly registry: Registry;
  /** Looks at the files and approvals anew. */
  reload(): Promise<Registry>;
  /** Empty: admitted. Never rejects. */
  guard(entry: Entry, signal: AbortSignal): Promise<readonly GuardHit[]>;
  /** The tool of a definition; undefined for one that cannot be made, which no parser lets through. */
  entryTool(definition: ToolDefinition): Tool | undefined;
  readonly releases: Releases;
}

export type PreparedChat =
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] }
  | { readonly kind: 'ready'; readonly basis: ChatBasis; readonly findings: readonly Finding[] };
