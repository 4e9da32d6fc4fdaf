/**
 * An entry, a rule or a skill, as the rest of the program sees it (spec/skills.md §1), and the bounds it obeys.
 *
 * Always true of an `Entry`: it came through a parser of this folder, every default is set, `absent` (null)
 * stays different from `empty`, and `digest` is the digest of the fields beside it.
 */

import type { SkillPlace, Tier, Tree } from '../catalog/tiers.js';

export type EntryKind = 'rule' | 'skill';

/** What a member can be granted and an entry can require (spec/skills.md §7.3). */
export const CAPABILITIES = ['repo-workspace', 'workspace-write', 'shell', 'network', 'delegate'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Computed by us from where a text arrived, never read from the file (spec/skills.md §4). */
export type Trust = 'instruction' | 'reference';

/** `partial`: the text names files or tools that come with its bundle and not with the entry. */
export type Support = 'full' | 'partial';

/** How an entry stands to the page of a run (spec/skills.md §7 "Page"). */
export const PAGES = ['required', 'optional', 'none'] as const;
export type Page = (typeof PAGES)[number];

/** A tool that an entry provides; governed files declare none, they are knowledge only. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Never passed to a shell. */
  readonly run: readonly string[];
  readonly class: 'read' | 'write' | 'destructive';
}

export interface Entry {
  readonly kind: EntryKind;
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  /** Prompt text: LF only, one leading line break and all trailing white space removed; may be empty. */
  readonly body: string;
  readonly alwaysOn: boolean;
  readonly keywords: readonly string[];
  /** Modes or roles; null: all of them. */
  readonly appliesTo: readonly string[] | null;
  readonly requires: readonly Capability[];
  /** As declared, in the order written; null: not declared, which is not the same as empty. */
  readonly allowedTools: readonly string[] | null;
  readonly tools: readonly ToolDefinition[];
  readonly process: boolean;
  readonly page: Page;
  /** Keys of an open file that set nothing here, with their values; in no digest and in no prompt. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Self-declared, never rendered and never a reason to trust. */
  readonly origin: string | null;
  readonly license: string | null;
  readonly upstream: string | null;
  readonly vetted: string | null;
  readonly tier: Tier;
  /** The file, as it was found. */
  readonly path: string;
  readonly trust: Trust;
  readonly support: Support;
  /** `1:` and 64 hex digits (`digest.ts`). */
  readonly digest: string;
}

/** What a parser makes of a text. Whether it may instruct is not for the text to say. */
export type EntryText = Omit<Entry, 'trust'>;

/** As much of an entry as its head says and its name is decided by: what a listing needs. */
export type EntryHead = Pick<
  Entry,
  'kind' | 'name' | 'version' | 'description' | 'alwaysOn' | 'tier' | 'path' | 'trust'
>;

/** The bounds of spec/skills.md §2; exactly at a bound passes. */
export const BOUNDS = {
  /** The lines between the fences, without the line break before the closing one. */
  frontmatterBytes: 8_192,
  /** Keys and list items of an open file; of thousands in the wild the largest has 50. */
  frontmatterItems: 1_000,
  /** The body as prompt text. */
  bodyBytes: 65_536,
  /** Code points. */
  nameCharacters: 64,
  versionCharacters: 64,
  /** Code points; a longer description is kept and remarked on, never cut. */
  descriptionCharacters: 1_024,
} as const;

/** Where a file lies and what that alone says of it. */
export interface EntrySource {
  readonly path: string;
  readonly tier: Tier;
  /** Whose convention the file follows: under a `.claude` tree it may set fewer fields. */
  readonly tree: Tree;
  readonly layout: SkillPlace['layout'];
  /** The directory name of `<name>/SKILL.md`, the stem of `<name>.md`. */
  readonly expectedName: string;
  /** The kind of an entry that declares none. */
  readonly kind: EntryKind;
}
