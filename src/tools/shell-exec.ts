/**
 * `shell_exec`: one command line in a process group of its own.
 *
 *  S1 a line that is a plain list of commands is not handed to a shell as it came: one command of class Read runs
 *     without a shell, and a list as it is written down again from what was judged, so that no shell reads it otherwise;
 *     programs of class Read are found outside the roots. Git of class Read is answered by the git tools, so it is
 *     hardened like them;
 *  S2 what was approved is what runs: the class is stored with the call, and a line that is no longer class Read
 *     (a link was put in its way) is not run as if it were;
 *  S3 the run ends when its first process has ended, at the deadline, on cancellation, or when it writes without
 *     end; then its group is ended, and the result says so (cases Q38, Q40, Q41).
 */

import { z } from 'zod';
import type { Tool, ToolClass, ToolResult } from '../agent/tool.js';
import { failed } from '../agent/tool.js';
import { assertNever } from '../shared/assert-never.js';
import type { ProcessGroups } from '../shared/processes.js';
import { NO_SECRETS, type Redactor } from '../shared/secrets/redactor.js';
import { shellWord } from '../shared/shell-word.js';
import { toolArguments } from './arguments.js';
import type { Preparation, Refusal } from './define-tool.js';
import { defineStoredTool, refused } from './define-tool.js';
import type { Roots } from './files/roots.js';
import type { GitAccess } from './git/access.js';
import { namesNoSecret } from './git/request.js';
import { pathOutsideRoots } from './program-path.js';
import type { ClassedLine, ShellClass } from './shell/class.js';
import { gitWords, LONGEST_COMMAND, shellClass } from './shell/class.js';
import { knownTexts, listText } from './shell/line.js';
import { shellReader } from './shell/parse.js';
import type { ShellPlace } from './shell/place.js';
import { areReadable, existingPaths, openPlace } from './shell/place.js';
import { runShell } from './shell/run.js';
import { wrapped } from './shell/wrap.js';

const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;
const DEFAULT_GRACE_MS = 3_000;

export interface ShellOptions {
  readonly roots: Roots;
  /** Starts and owns the process groups; one for the process. */
  readonly groups: Pick<ProcessGroups, 'start'>;
  readonly git: Pick<GitAccess, 'read'>;
  /** The whole environment of the shell: see `shellEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The prefix under which programs run (`shell/wrap.ts`), its program an absolute path; absent: none. */
  readonly wrap?: readonly string[];
  /** Between TERM and KILL, in milliseconds; 3,000 unless given. Keep it below the run's own grace. */
  readonly graceMs?: number;
  /** What the output is shown without; absent: nothing is known to be secret. */
  readonly secrets?: Redactor;
}

const written = {
  command: z.string().max(LONGEST_COMMAND).describe('the command line, for /bin/sh'),
  cwd: z.string().optional().describe('directory to run in; the workspace itself unless given'),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_MS)
    .optional()
    .describe('deadline in milliseconds; 120,000 unless given'),
};

const args = toolArguments(written);

/** What the model left out stays out: a person who is asked sees what was asked for, and no defaults. */
const stored = toolArguments({
  command: z.string().max(LONGEST_COMMAND),
  cwd: z.string().optional(),
  timeout_ms: z.int().min(1).max(MAX_MS).optional(),
  class: z.enum(['read', 'write', 'destructive']),
});

export function shellExec(options: ShellOptions): Tool {
  return defineStoredTool({
    name: 'shell_exec',
    description:
      'Runs a command line with /bin/sh in the workspace, without input. Commands that only read files of the ' +
      'workspace (ls, cat, head, tail, wc, grep, rg, find, sort, diff, sed -n 1,20p; joined by |, &&, || or ;), and git ' +
      'status|log|diff|show|blame alone, are class Read; all others need confirmation. Write it for sh, not for bash. ' +
      'Processes left in the background are ended when the command ends. Of a long output the beginning and the ' +
      'end are shown.',
    class: 'write',
    arguments: args,
    stored,
    deadlineMs: null,
    async prepare(call) {
      const judged = await judge(options, call.command, call.cwd);
      if (judged.kind === 'refused') return judged;
      return ready({ ...call, class: judged.class }, judged);
    },
    async run(call, signal) {
      const judged = await judge(options, call.command, call.cwd);
      if (judged.kind === 'refused') return failed(`shell_exec was not run: ${judged.text}`);
      if (call.class === 'read' && judged.class !== 'read') {
        return failed(
          'shell_exec was not run: a path of the command has changed since it was checked; call it again',
        );
      }
      return execute(options, call, judged, signal);
    },
  });
}

interface Stored {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly timeout_ms?: number | undefined;
  readonly class: Judged['class'];
}

function ready(call: Stored, judged: Judged): Preparation<Stored> {
  const { command, cwd = '.' } = call;
  const where = cwd === '.' ? '' : ` (in ${cwd})`;
  const { found } = judged;
  return {
    kind: 'ready',
    class: call.class,
    summary: `${command}${where}`,
    ...matter(command, judged),
    ...(found.kind === 'destructive' ? { why: `the line ${found.reason}` } : {}),
    arguments: call,
  };
}

/**
 * What rules are held against. `npm test` runs something else in another directory: a call with one counts as a line
 * that goes there first, unless all that it does is to read what was looked at.
 */
function matter(
  command: string,
  { class: judgedClass, subjects, place }: Judged,
): Pick<Preparation<Stored>, 'subject' | 'subjects'> {
  const { shown } = place.location;
  if (judgedClass === 'read' || shown === '.') return { subject: command, subjects };
  const going = `cd ${shellWord(shown)}`;
  const every = subjects.every.length === 0 ? [] : [going, ...subjects.every];
  return {
    subject: `${going} && ${command}`,
    subjects: { ...subjects, every, some: [going, ...subjects.some] },
  };
}

interface Judged {
  readonly kind: 'judged';
  readonly class: Exclude<ToolClass, 'coordination'>;
  readonly found: Exclude<ShellClass, { kind: 'refused' }>;
  readonly subjects: ClassedLine['subjects'];
  readonly place: ShellPlace;
}

/** The class of a line in its directory: by its text, and for class Read by what its paths are on disk. */
async function judge(options: ShellOptions, command: string, cwd = '.'): Promise<Judged | Refusal> {
  const place = await openPlace(options.roots, cwd);
  if (place.kind === 'refused') return place;
  const read = await shellReader();
  const reading = read(command);
  const words = reading.kind === 'line' ? gitWords(reading.line) : undefined;
  const paths = words === undefined ? new Set<string>() : await existingPaths(place, words);
  const { class: found, subjects } = shellClass(command, read, (word) => paths.has(word));
  switch (found.kind) {
    case 'refused':
      return found;
    case 'git':
      // Only at the root of a repository: further down its paths would mean something else.
      if (place.location.segments.length === 0 && namesNoSecret(options.roots, found.request))
        return { kind: 'judged', class: 'read', found, subjects, place };
      break;
    case 'read':
      if (await areReadable(options.roots, place, found.use)) {
        return { kind: 'judged', class: 'read', found, subjects, place };
      }
      break;
    case 'destructive':
    case 'write':
      break;
    default:
      return assertNever(found, 'shell class');
  }
  if (place.location.area === 'reads') {
    return refused(`${cwd} lies in a read root: there only commands of class Read are run`);
  }
  if (found.kind === 'destructive') return { kind: 'judged', class: 'destructive', found, subjects, place };
  const list = found.kind === 'git' ? undefined : found.list;
  return { kind: 'judged', class: 'write', found: { kind: 'write', list }, subjects, place };
}

async function execute(
  options: ShellOptions,
  call: Stored,
  { found, place, class: judgedClass }: Judged,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { environment, graceMs = DEFAULT_GRACE_MS, secrets = NO_SECRETS } = options;
  if (judgedClass === 'read' && found.kind === 'git') {
    return options.git.read(found.request, place.location.shown, signal);
  }
  const limits = { timeoutMs: call.timeout_ms ?? DEFAULT_MS, graceMs, secrets };
  const cwd = place.path;
  if (judgedClass === 'read' && found.kind === 'read') {
    const env = { ...environment, PATH: await pathOutsideRoots(environment['PATH'] ?? '', options.roots) };
    const [step, ...others] = found.list;
    const alone = others.length === 0 && step?.command.redirections.length === 0;
    const [program = '', ...args] = alone ? (knownTexts(step.command.words) ?? []) : [];
    const spec = alone ? { program, args, cwd, env } : { ...shell(listText(found.list)), cwd, env };
    return runShell(options.groups, wrapped(options.wrap, spec), limits, signal);
  }
  const line = found.kind === 'write' && found.list !== undefined ? listText(found.list) : call.command;
  const spec = wrapped(options.wrap, { ...shell(line), cwd, env: environment });
  return runShell(options.groups, spec, limits, signal);
}

function shell(line: string): { readonly program: string; readonly args: readonly string[] } {
  return { program: '/bin/sh', args: ['-c', line] };
}
