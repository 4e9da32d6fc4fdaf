/**
 * How Claude Code is held to the rules of a brief: by its own `--disallowedTools`, which win over whatever else it is told,
 * as measured with 2.1.332. It takes a line of its shell apart and looks at each command, behind `sudo`, `env`, paths,
 * quotes, substitutions and in loops; a path is looked at however it is spelt, by every tool that reads or changes files.
 *
 * What it does not see is what a program starts: `find -exec`, `eval`, a script. Under `non-destructive` none of these runs.
 * So rules about commands are held there, and refused by name where every command runs: under `full`, where `args` allow the
 * whole of `Bash`, or where hooks of the repository are in effect.
 *
 *  C1 a rule is held, wider if need be, or the order is refused with the rule's name; never narrower, never dropped.
 */

import { matchesWildcard } from '../../shared/wildcard.js';
import type { DeniedRule } from '../brief/brief.js';
import type { EngineerOrder } from './engineer.js';
import { askNote, isWhole, type Matter, mattersOf, ruleText } from './rules.js';

export type HeldRules =
  | { readonly kind: 'held'; readonly args: readonly string[] }
  | { readonly kind: 'refused'; readonly detail: string };

/** What the rules come to, or the first that cannot be held. */
export function heldRules(order: Pick<EngineerOrder, 'deny' | 'safety' | 'settings' | 'tree'>): HeldRules {
  const entries = new Set<string>();
  for (const rule of order.deny) {
    for (const matter of mattersOf(rule)) {
      const made = entriesOf(rule, matter, order);
      if (made.kind === 'problem') {
        const detail = `claude-code cannot be held to ${ruleText(rule)}: ${made.why}${askNote(rule)}`;
        return { kind: 'refused', detail };
      }
      for (const entry of made.entries) entries.add(entry);
    }
  }
  return { kind: 'held', args: entries.size === 0 ? [] : [`--disallowedTools=${[...entries].join(',')}`] };
}

type Made =
  | { readonly kind: 'entries'; readonly entries: readonly string[] }
  | { readonly kind: 'problem'; readonly why: string };

function entriesOf(
  rule: DeniedRule,
  matter: Matter,
  order: Omit<Parameters<typeof heldRules>[0], 'deny'>,
): Made {
  switch (matter.kind) {
    case 'command':
      return order.safety === 'read-only' ? NOTHING : commandEntries(rule, matter.words, order);
    case 'read':
      return isWhole(rule) ? made(...READING[matter.tool]) : pathEntries('Read', rule, order.tree);
    case 'change':
      if (order.safety === 'read-only') return NOTHING;
      if (!isWhole(rule)) return pathEntries('Edit', rule, order.tree);
      return matter.tool === 'delete' ? commandsEntries(DELETING, order) : made(...CHANGING[matter.tool]);
    case 'fetch':
      return made('WebFetch'); // it has none, and gets none by `args` either
  }
}

const NOTHING: Made = { kind: 'entries', entries: [] };

const READING = { read: ['Read'], search: ['Grep'], list: ['Glob'] } as const;
const CHANGING = { write: ['Write'], edit: ['Edit', 'NotebookEdit'] } as const;

/** It has no tool that deletes; these are the commands that do. */
const DELETING = ['rm *', 'rmdir *', 'unlink *', 'git rm *', 'git clean *'];

function made(...entries: readonly string[]): Made {
  return { kind: 'entries', entries };
}

function problem(why: string): Made {
  return { kind: 'problem', why };
}

/** Characters of a command that stand for themselves in its patterns. */
const COMMAND = /^[\p{L}\p{N} _.,:/@=%+~*-]+$/u;

function commandEntries(
  rule: DeniedRule,
  words: string | null,
  order: Pick<EngineerOrder, 'safety' | 'settings'>,
): Made {
  if (isWhole(rule) && words === null) return problem(`without a shell it can commit nothing; ${READ_ONLY}`);
  const match = isWhole(rule) ? `${words} *` : (rule.match ?? '').trim().replace(/\s+/g, ' ');
  if (!COMMAND.test(match))
    return problem(
      `${JSON.stringify(match)} holds characters that it reads in its own way; write simple commands, with * for the rest`,
    );
  return commandsEntries([...formsOf(match, rule.form)], order);
}

/** The patterns that say at least what ours does: a `:*` at the end has a meaning of its own there. */
function formsOf(match: string, form: DeniedRule['form']): readonly string[] {
  const stem = match.endsWith(':*') ? match.slice(0, -2) : null;
  if (stem === null) return [match];
  if (form === 'rule') return [`${stem}*`];
  // A name may go on behind a colon, as scripts do: `npm run deploy:prod`.
  return stem.includes(' ') ? [`${stem}*`] : [`${stem} *`];
}

function commandsEntries(
  patterns: readonly string[],
  { safety, settings }: Pick<EngineerOrder, 'safety' | 'settings'>,
): Made {
  if (safety === 'full')
    return problem(
      `under full every program runs, and what it starts no rule sees; ask for "non-destructive"`,
    );
  if (settings.args.some((word) => WHOLE_SHELL.test(word)))
    return problem(
      'its args on this runner (runner.engineers.claude-code.args) allow every command, and what that starts no rule sees; allow commands one by one',
    );
  if (settings.projectSettings)
    return problem(
      'project-settings are on, and what hooks of the repository run no rule sees; turn them off for it on this runner',
    );
  const all = patterns.flatMap((pattern) =>
    pattern.endsWith(' *') ? [pattern.slice(0, -2), pattern] : [pattern],
  );
  if (HANDING_OVER.some((command) => all.some((pattern) => matchesWildcard(pattern, command))))
    return problem(`it hands over what it commits, by git add and git commit; ${READ_ONLY}`);
  return made(...all.map((pattern) => `Bash(${pattern})`));
}

const READ_ONLY = 'let the rule speak of other commands, or ask for "read-only"';

/** Arguments by which all commands run unasked. */
const WHOLE_SHELL = /(^|[=,\s])Bash(?!\()|Bash\([*:\s]*\)|dangerously-skip-permissions|bypassPermissions/;

const HANDING_OVER = ['git add -A', 'git commit -m work'];

/** Characters of a path that stand for themselves in its patterns, which are those of `.gitignore`. */
const PATH = /^[\p{L}\p{N} _.,/@=%+~*-]+$/u;

/** Of the tree, each character of which stands for itself or can be made to. */
const TREE = /^[\p{L}\p{N} _.,/@=%+~[\]!#-]*$/u;

/** More would be a list of patterns that doubles with each. */
const STARS = 3;

function pathEntries(tool: 'Read' | 'Edit', { match, form }: DeniedRule, tree: string): Made {
  const path = (match ?? '').replace(/^(\.\/)+/, '').replace(/\/+$/, form === 'pattern' ? '/**' : '');
  if (!PATH.test(path) || path.startsWith('~') || path.split('/').includes('..'))
    return problem(
      `${JSON.stringify(path)} holds what it reads in its own way; write a path in the workspace, with * for the rest`,
    );
  if (!TREE.test(tree))
    return problem(
      `the folder of the runner, ${JSON.stringify(tree)}, holds what it reads in its own way; give the runner another workdir`,
    );
  const globs = form === 'pattern' ? [patternGlob(path)] : ruleGlobs(path);
  if (globs === null) return problem(`more than ${STARS} * in a path are too many; write several rules`);
  // Absolute, so that it means the same in every folder it works in.
  return made(
    ...globs.map((glob) => `${tool}(/${glob.startsWith('/') ? glob : `${literal(tree)}/${glob}`})`),
  );
}

/** As a role has it: without a directory at any depth. */
function patternGlob(path: string): string {
  return path.replace(/\/\*\*$/, '').includes('/') ? path : `**/${path}`;
}

/** As a rule has it: `*` goes across directories. What a pattern names, all below it is meant as well. */
function ruleGlobs(path: string): readonly string[] | null {
  const whole = path.endsWith(' *') ? [path, path.slice(0, -2)] : [path];
  if (path.split(/\*+/).length - 1 > STARS) return null;
  return whole.flatMap((one) => {
    const [head = '', ...pieces] = one.split(/\*+/);
    return pieces.reduce<readonly string[]>(
      (globs, piece, at) => {
        const isLast = at === pieces.length - 1 && piece === '';
        return globs.flatMap((glob) =>
          isLast ? [`${glob}*`] : [`${glob}*${piece}`, `${glob}*/**/*${piece}`],
        );
      },
      [head],
    );
  });
}

/** The path of a tree, each character of it for itself. */
function literal(path: string): string {
  return path.replace(/[[\]]/g, '\\$&');
}
