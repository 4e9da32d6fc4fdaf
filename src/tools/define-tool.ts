/**
 * Makes a tool of its parts. What every work tool has in common stands here once:
 *  T1 bad arguments are refused by name before anything is looked at;
 *  T2 nothing is thrown: a refusal, a failure of the system and a cancellation are results;
 *  T3 no result names a path of this machine that the tool did not choose to name: messages of the system,
 *     which hold such paths, are told by their code.
 */

import { constants } from 'node:os';
import type { PreparedCall, Tool, ToolClass, ToolDefinition, ToolResult } from '../agent/tool.js';
import { failed } from '../agent/tool.js';
import { doWithin } from '../shared/abort.js';
import type { CallSubjects } from '../shared/call-subjects.js';
import { CancelledError, errorText, systemCode } from '../shared/errors.js';
import { oneLine } from '../shared/terminal-text.js';
import type { Arguments } from './arguments.js';

/** An expected "no": told to the model, with what is allowed instead. */
export interface Refusal {
  readonly kind: 'refused';
  readonly text: string;
}

export function refused(text: string): Refusal {
  return { kind: 'refused', text };
}

/** What a tool's own `prepare` adds to the checked arguments. */
export interface Preparation<S> {
  readonly kind: 'ready';
  /** One line for people. */
  readonly summary: string;
  /** What permission rules match on. */
  readonly subject: string;
  /** See `PreparedCall`. */
  readonly subjects?: CallSubjects;
  /** See `PreparedCall`. */
  readonly why?: string;
  /** Absent: the class of the tool. */
  readonly class?: ToolClass;
  /** What is stored and run. Absent: the arguments as checked. */
  readonly arguments?: S;
  /** See `PreparedCall`. */
  readonly operatorConfirms?: true;
  /** See `PreparedCall`. */
  readonly runsProgram?: true;
}

/** `T`: arguments as a model gives them; `S`: as they are stored, approved and run. */
export interface ToolParts<T, S> {
  readonly name: string;
  readonly description: string;
  readonly class: ToolClass;
  readonly arguments: Arguments<T>;
  readonly stored: Arguments<S>;
  /** Longest run, in milliseconds; null for a tool that keeps a deadline of its own. Absent: 60,000. */
  readonly deadlineMs?: number | null;
  prepare(args: T): Promise<Preparation<S> | Refusal> | Preparation<S> | Refusal;
  /** @param place see `Tool` */
  run(args: S, signal: AbortSignal, place: string): Promise<ToolResult>;
}

const DEADLINE_MS = 60_000;

/** Longest one-line summary and subject. */
const SUMMARY_LENGTH = 300;

/** A tool whose arguments are stored as the model gave them. */
export function defineTool<T>(parts: Omit<ToolParts<T, T>, 'stored'>): Tool {
  return defineStoredTool({ ...parts, stored: parts.arguments });
}

/** A tool that stores more than the model gave: `prepare` has to give it as `arguments`. */
export function defineStoredTool<T, S>(parts: ToolParts<T, S>): Tool {
  return {
    definition: definitionOf(parts),
    class: parts.class,
    prepare: (args) => prepare(parts, args),
    run: (args, signal, place = '') => run(parts, args, signal, place),
  };
}

/**
 * What a model is told of a tool. A tool is made for each turn, and what is told of it is the same each time: so it is the same
 * object, by the schema of its arguments, and whoever counts its bytes counts them once.
 */
const definitionOf = sameDefinitions();

function sameDefinitions(): <T, S>(parts: ToolParts<T, S>) => ToolDefinition {
  const known = new WeakMap<object, ToolDefinition>();
  return ({ name, description, arguments: { parameters } }) => {
    const before = known.get(parameters);
    if (before?.name === name && before.description === description) return before;
    const definition = { name, description, parameters };
    known.set(parameters, definition);
    return definition;
  };
}

async function prepare<T, S>(parts: ToolParts<T, S>, args: unknown): Promise<PreparedCall> {
  const parsed = parts.arguments.parse(parts.name, args);
  if (parsed.kind === 'refused') return parsed;
  try {
    const prepared = await parts.prepare(parsed.value);
    if (prepared.kind === 'refused') return refused(`${parts.name} was not run: ${prepared.text}`);
    const { summary, subject, subjects, why, operatorConfirms, runsProgram } = prepared;
    return {
      kind: 'ready',
      class: prepared.class ?? parts.class,
      summary: oneLine(summary, SUMMARY_LENGTH),
      subject,
      arguments: prepared.arguments ?? parsed.value,
      ...(subjects === undefined ? {} : { subjects }),
      ...(why === undefined ? {} : { why: oneLine(why, SUMMARY_LENGTH) }),
      ...(operatorConfirms === undefined ? {} : { operatorConfirms }),
      ...(runsProgram === undefined ? {} : { runsProgram }),
    };
  } catch (error) {
    return refused(`${parts.name} was not run: ${failureText(error)}`);
  }
}

async function run<T, S>(
  parts: ToolParts<T, S>,
  args: unknown,
  signal: AbortSignal,
  place: string,
): Promise<ToolResult> {
  // Stored arguments come back through here after a restart: a door like any other.
  const parsed = parts.stored.parse(parts.name, args);
  if (parsed.kind === 'refused') return failed(parsed.text);
  if (signal.aborted) return failed(`${parts.name} was cancelled before it began`);
  const { deadlineMs = DEADLINE_MS } = parts;
  const attempt = async (bounded: AbortSignal): Promise<ToolResult> => {
    try {
      return await parts.run(parsed.value, bounded, place);
    } catch (error) {
      if (signal.aborted) return failed(`${parts.name} was cancelled`);
      if (bounded.aborted) return failed(`${parts.name} was ended: it took longer than ${deadlineMs} ms`);
      if (error instanceof CancelledError) return failed(`${parts.name} was cancelled`);
      return failed(`${parts.name} failed: ${failureText(error)}`);
    }
  };
  return deadlineMs === null ? attempt(signal) : doWithin(signal, deadlineMs, attempt);
}

const CODES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted by the system',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  ELOOP: 'a part of the path is a link, and links are not followed',
  ENAMETOOLONG: 'the name is too long for the file system',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open in this process',
  EFBIG: 'the file would be larger than is allowed here',
};

/** What a failure of the system means, without the path that its own message holds (T3). */
function failureText(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined || !(code in constants.errno)) return oneLine(errorText(error));
  return `${CODES[code] ?? 'the system refused'} (${code})`;
}
