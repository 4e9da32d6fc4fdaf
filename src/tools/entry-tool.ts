/**
 * A tool that an entry provides, as a member or a chat has it (spec/skills.md §1 `tools`): one program, run without a
 * shell in the workspace, under the rules of `shell_exec`.
 *
 *  E1 the program and its words are those of the definition, which the digest of the entry covers: no argument of a model
 *     ever becomes a word of the command line, so none can become an option. The arguments are its standard input, as
 *     one line of JSON;
 *  E2 what is stored, shown to whoever confirms, digested and run is the command line with the arguments;
 *  E3 every call needs a confirmation, those of class Read too: a program is run, and its class is the entry's word;
 *  E4 a program without a path is looked up outside of the roots, where no member has put one of its name.
 */

import type { Tool } from '../agent/tool.js';
import { boundedTime } from '../shared/bounded-match.js';
import { isObject } from '../shared/is-object.js';
import { NO_SECRETS } from '../shared/secrets/redactor.js';
import { shellWord } from '../shared/shell-word.js';
import type { ToolDefinition } from '../skills/entry.js';
import { type ToolSchema, toolSchema } from '../skills/parse/tool-schema.js';
import type { Arguments } from './arguments.js';
import { argumentsRefused } from './arguments.js';
import { defineStoredTool } from './define-tool.js';
import { pathOutsideRoots } from './program-path.js';
import { runShell } from './shell/run.js';
import { wrapped } from './shell/wrap.js';
import type { ShellOptions } from './shell-exec.js';

/** As long as a `shell_exec` without a deadline of its own. */
const DEADLINE_MS = 120_000;

/** As `shell_exec`. */
const DEFAULT_GRACE_MS = 3_000;

/** Of one call, as JSON. */
const LONGEST_ARGUMENTS = 64 * 1024;

export type EntryToolParts = Pick<
  ShellOptions,
  'wrap' | 'roots' | 'groups' | 'environment' | 'graceMs' | 'secrets'
>;

/** Its schema cannot be checked. Definitions that a parser has read always can. */
type Unusable = { readonly kind: 'unusable'; readonly why: string };

export type MadeEntryTool = { readonly kind: 'tool'; readonly tool: Tool } | Unusable;

/** Makes the tool for one member after the other. */
export type EntryToolMaker = (parts: EntryToolParts) => Tool;

/** What is stored of a call and run: the command line with what it is given. */
interface Stored {
  readonly run: readonly string[];
  readonly arguments: unknown;
}

/** Makes the tool of a definition. */
export function entryTool(definition: ToolDefinition, parts: EntryToolParts): MadeEntryTool {
  const maker = entryToolMaker(definition);
  return maker.kind === 'unusable' ? maker : { kind: 'tool', tool: maker.make(parts) };
}

/** Reads a definition once for all who have its tool: what is compiled of its schema is the dear part of it. */
export function entryToolMaker(
  definition: ToolDefinition,
): { readonly kind: 'maker'; readonly make: EntryToolMaker } | Unusable {
  const { name, description, parameters, run } = definition;
  const schema = toolSchema(parameters);
  if (schema.kind === 'unusable') return schema;
  const problemsOf = boundedProblems(schema);
  const fitting: Arguments<unknown> = {
    parameters,
    parse(tool, found) {
      if (typeof found === 'string') return argumentsRefused(tool, ['found a text; allowed: a JSON object']);
      const problems = problemsOf(found);
      if (problems.length > 0) return argumentsRefused(tool, problems);
      const bytes = Buffer.byteLength(JSON.stringify(found));
      if (bytes <= LONGEST_ARGUMENTS) return { kind: 'ok', value: found };
      return argumentsRefused(tool, [
        `together they have ${bytes} bytes; at most ${LONGEST_ARGUMENTS} are passed on`,
      ]);
    },
  };
  const stored = storedCall(run, fitting);
  const make: EntryToolMaker = (parts) =>
    defineStoredTool<unknown, Stored>({
      name,
      description,
      class: definition.class,
      arguments: fitting,
      stored,
      deadlineMs: null,
      prepare(args) {
        const line = JSON.stringify(args);
        return {
          kind: 'ready',
          summary: `${run.map(shellWord).join(' ')} <<< ${line}`,
          subject: line,
          runsProgram: true,
          arguments: { run, arguments: args },
        };
      },
      async run(call, signal) {
        const [program = '', ...args] = call.run;
        const { environment, roots, groups, wrap, graceMs = DEFAULT_GRACE_MS, secrets = NO_SECRETS } = parts;
        const env = { ...environment, PATH: await pathOutsideRoots(environment['PATH'] ?? '', roots) };
        const input = `${JSON.stringify(call.arguments)}\n`;
        const spec = wrapped(wrap, { program, args, cwd: roots.workspace, env, input });
        return runShell(groups, spec, { timeoutMs: DEADLINE_MS, graceMs, secrets }, signal);
      },
    });
  return { kind: 'maker', make };
}

/** What was stored comes back after a restart: it has to be a call of this very command line. */
function storedCall(run: readonly string[], fitting: Arguments<unknown>): Arguments<Stored> {
  return {
    parameters: {},
    parse(tool, found) {
      if (!isObject(found) || JSON.stringify(found['run']) !== JSON.stringify(run)) {
        return argumentsRefused(tool, ['what was stored is no call of this tool; call it again']);
      }
      const parsed = fitting.parse(tool, found['arguments']);
      return parsed.kind === 'refused' ? parsed : { kind: 'ok', value: { run, arguments: parsed.value } };
    },
  };
}

/**
 * The check of a schema within its time: patterns, and references that double the work with each step, are a stranger's
 * to write, and a call is checked before anybody is asked about it.
 */
function boundedProblems(
  schema: Extract<ToolSchema, { kind: 'usable' }>,
): (found: unknown) => readonly string[] {
  let bounded: ReturnType<typeof boundedTime> | undefined;
  return (found) => {
    bounded ??= boundedTime(); // made for the first call: most tools are never called
    try {
      const problems = bounded(() => schema.problems(found));
      return problems === 'too-slow' ? [TOO_LONG_TEXT] : problems.value;
    } catch (error) {
      if (error instanceof RangeError) return [TOO_LONG_TEXT]; // the stack: references in a circle
      throw error;
    }
  };
}

const TOO_LONG_TEXT =
  'the check against the schema of this tool took too long, as nested repetition in a pattern, or references in a circle, make it; do without this tool';
