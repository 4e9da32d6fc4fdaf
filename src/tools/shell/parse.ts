/**
 * Reads a line of shell: the one place that knows the parser. `/bin/sh` runs the line, and which shell that is differs
 * from machine to machine, while the parser reads bash. So only what every one of them reads alike is taken:
 *
 *  N1 a node of the tree that is not on the list below makes the line unclear: that is bash's own, or new to us;
 *  N2 the parser is tolerant: any error, at any depth, makes the line unclear, and so does anything between the words of
 *     a command, or between those of a list, that the tree does not account for;
 *  N3 characters that a person does not see, or takes for others, make it unclear where a shell would look at them.
 */

import type {
  Assignment,
  Command,
  CommandNode,
  PipelineNode,
  Redirection,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';
import type {
  ReadShell,
  ShellCommand,
  ShellLine,
  ShellReading,
  ShellRedirection,
  ShellStep,
  ShellWord,
} from './line.js';
import { writesNoFile } from './line.js';

type Parser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;
type Script = ReturnType<Parser['parse']>;

/** What every shell has (N1). */
const COMMON: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  ...(['Script', 'Statement', 'CompoundList', 'AndOr', 'Pipeline', 'Negation', 'Time', 'Command'] as const),
  ...(['If', 'Elif', 'For', 'While', 'Case', 'CaseItem', 'Subshell', 'BraceGroup', 'Function'] as const),
  ...(['Redirected', 'Redirect', 'HereDoc', 'HereDocDelimiter', 'HereDocBody', 'FileDescriptor'] as const),
  ...(['Assignment', 'Word', 'Literal', 'Glob', 'SingleQuoted', 'DoubleQuoted'] as const),
  ...(['SimpleExpansion', 'ParameterExpansion', 'Default', 'Remove', 'CommandExpansion'] as const),
  ...(['ArithmeticExpansion', 'ArithmeticBinary', 'ArithmeticUnary', 'ArithmeticTernary'] as const),
  ...(['ArithmeticGroup', 'ArithmeticWord', 'ArithmeticCommandExpansion'] as const),
]);

/** Control codes but tab and line feed, and what turns the direction of writing: nowhere in a line. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Loads the parser: it costs some ten milliseconds, and only who reads a line pays them. */
export async function shellReader(): Promise<ReadShell> {
  const parser = await import('unbash');
  return (text) => readShell(parser, text);
}

function readShell(parser: Parser, text: string): ShellReading {
  try {
    if (UNSEEN.test(text))
      throw new Unclear('holds a control character, or one that turns the writing round');
    const script = parser.parse(text);
    const commands: ShellCommand[] = [];
    new Walk(parser, text, commands).script(script);
    return { kind: 'line', line: { commands, list: listOf(script, text, commands) } };
  } catch (error) {
    if (error instanceof Unclear) return { kind: 'unclear', reason: error.message };
    // What a parser throws at a text is a remark on the text.
    return { kind: 'unclear', reason: 'cannot be parsed' };
  }
}

class Unclear extends Error {}

const bashOnly = (what: string): Unclear =>
  new Unclear(`holds ${what}, which one shell reads otherwise than another; write it for sh`);

/** Collects the simple commands of a tree, and stops at what is not common to all shells. */
class Walk {
  readonly #parser: Parser;
  readonly #source: string;
  readonly #commands: ShellCommand[];
  readonly #functions: readonly string[];

  constructor(
    parser: Parser,
    source: string,
    commands: ShellCommand[],
    /** Names of the functions whose bodies we are in. */
    functions: readonly string[] = [],
  ) {
    this.#parser = parser;
    this.#source = source;
    this.#commands = commands;
    this.#functions = functions;
  }

  script(script: Script, piped = false): void {
    const [error] = script.errors ?? [];
    if (error !== undefined) throw new Unclear(`cannot be parsed: ${error.message}`);
    const walk =
      script.source === undefined
        ? this
        : new Walk(this.#parser, script.source, this.#commands, this.#functions);
    for (const statement of script.commands) walk.node(statement, piped);
  }

  node(node: SyntaxNode, piped: boolean): void {
    if (!COMMON.has(node.type)) throw bashOnly(NAMES[node.type] ?? node.type);
    switch (node.type) {
      case 'Script':
        this.script(node, piped);
        return;
      case 'Pipeline':
        if (node.operators.includes('|&')) throw bashOnly('|&');
        for (const [at, command] of node.commands.entries()) this.node(command, piped || at > 0);
        return;
      case 'Redirected': {
        const fed = node.redirects.some(({ operator }) => operator.startsWith('<'));
        this.node(node.command, piped || fed);
        for (const redirect of node.redirects) this.node(redirect, piped);
        this.#commands.push(commandOf([], node.redirects, piped));
        return;
      }
      case 'Function':
        this.#function(node);
        return;
      case 'Command':
        this.#command(node, piped);
        break;
      case 'Redirect':
      case 'HereDoc':
        redirectionOf(node);
        break;
      case 'Assignment':
        if (node.append === true || node.index !== undefined || node.value.type === 'ArrayValue') {
          throw bashOnly('an assignment of its own kind');
        }
        break;
      case 'CaseItem':
        if (node.terminator !== undefined && node.terminator !== ';;') throw bashOnly(node.terminator);
        break;
      case 'Word':
        checkSeen(node);
        break;
      case 'CommandExpansion':
        if (/^\$\{|^\$\(\s*</.test(node.text)) throw bashOnly('a substitution of its own kind');
        break;
      case 'ArithmeticExpansion':
        if (node.text.startsWith('$[')) throw bashOnly('$[');
        break;
      case 'ArithmeticWord':
        // What is no arithmetic, a shell may run: `$((rm x))`.
        if (/[\s;]/.test(literalText(node))) throw bashOnly('arithmetic that may be a command');
        break;
      case 'ParameterExpansion':
        if (node.prefix === '!' || node.index !== undefined)
          throw bashOnly('a variable named by a variable, or an element of a list');
        break;
      default:
        break;
    }
    this.#parser.forEachChild(node, (child) => this.node(child, piped));
  }

  #command(node: Command, piped: boolean): void {
    const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map(argumentOf);
    const assignments = node.prefix.flatMap((one) => (one.type === 'Assignment' ? [assignmentOf(one)] : []));
    const command = { ...commandOf(words, node.redirects, piped), assignments };
    const parts = partsOf(node);
    for (const [at, part] of parts.entries()) {
      const before = parts[at - 1];
      if (before !== undefined && !isGap(this.#source.slice(before.end, part.pos), '')) throw dropped();
    }
    const [program] = words;
    if (program?.kind === 'known') {
      if (/[^\u0020-\u007e]/.test(program.text)) {
        throw new Unclear('names a program with characters that may be taken for others');
      }
      if (this.#functions.includes(program.text)) throw new Unclear('holds a function that calls itself');
    }
    this.#commands.push(command);
  }

  #function(node: Extract<SyntaxNode, { type: 'Function' }>): void {
    if (this.#source.startsWith('function', node.pos)) throw bashOnly('the word "function"');
    const inside = [...this.#functions, node.name.value];
    // It has the input of whoever calls it.
    new Walk(this.#parser, this.#source, this.#commands, inside).node(node.body, true);
  }
}

/** What no expansion gives of a word in arithmetic. */
function literalText({ value, parts }: Extract<SyntaxNode, { type: 'ArithmeticWord' }>): string {
  return parts?.map((part) => (part.type === 'Literal' ? part.text : '')).join('') ?? value;
}

/** Names for the message where the type of a node would say little. */
const NAMES: Partial<Readonly<Record<SyntaxNode['type'], string>>> = {
  TestCommand: '[[ ]]',
  ArithmeticCommand: '(( ))',
  HereString: '<<<',
  BraceExpansion: 'a list in braces',
  AnsiCQuoted: "$'…'",
  LocaleString: '$"…"',
  ProcessSubstitution: '<( ) or >( )',
  ExtendedGlob: 'an extended pattern',
};

function commandOf(
  words: readonly ShellWord[],
  redirects: readonly Redirection[],
  piped: boolean,
): ShellCommand {
  return { words, assignments: [], redirections: redirects.map(redirectionOf), piped };
}

function redirectionOf(redirection: Redirection): ShellRedirection {
  const { descriptor } = redirection;
  if (descriptor?.type === 'FileDescriptorVariable') throw bashOnly('a descriptor in braces');
  // A shell may know one digit only, and take the number for a word.
  if (descriptor !== undefined && descriptor.value > 9)
    throw bashOnly('a number of two digits before a redirection');
  const number = descriptor?.value ?? null;
  switch (redirection.operator) {
    case '<<<':
      throw bashOnly('<<<');
    case '<<':
    case '<<-': {
      if (redirection.closing === undefined) throw new Unclear('holds a here-document without an end');
      const expands =
        redirection.delimiter?.quoted !== true && redirection.body.parts?.every(isLiteral) === false;
      const text = redirection.body.text;
      return {
        kind: 'here-document',
        text: expands || /[\\$`]/.test(unquotedBody(redirection)) ? null : text,
      };
    }
    case '&>':
    case '&>>':
      throw bashOnly(redirection.operator);
    case '<&':
    case '>&': {
      const target = redirection.target?.text ?? '';
      if (!/^(\d|-)$/.test(target))
        throw bashOnly(`${redirection.operator} with something else than a number`);
      return { kind: 'duplicate', operator: redirection.operator, descriptor: number, target };
    }
    default:
      if (redirection.target === undefined) throw new Unclear('holds a redirection to nothing');
      return {
        kind: 'file',
        operator: redirection.operator,
        descriptor: number,
        target: wordOf(redirection.target),
      };
  }
}

/** The body where a shell looks into it. */
function unquotedBody({ delimiter, body }: Extract<Redirection, { type: 'HereDoc' }>): string {
  return delimiter?.quoted === true ? '' : body.text;
}

/** `export PATH=.`: a word like any other, if nothing in it is expanded. */
function argumentOf(argument: Word | Assignment): ShellWord {
  return argument.type === 'Word' ? wordOf(argument) : assignmentOf(argument);
}

function assignmentOf(assignment: Assignment): ShellWord {
  const value = assignment.value.type === 'Word' ? wordOf(assignment.value) : undefined;
  const plain = value?.kind === 'known' && /^\w+=/.test(assignment.text) && !assignment.text.includes('~');
  return plain
    ? { kind: 'known', text: `${assignment.name}=${value.text}` }
    : { kind: 'unknown', source: assignment.text };
}

function wordOf(word: Word): ShellWord {
  const known =
    (word.parts ?? []).every(isLiteral) &&
    // A tilde is a home directory in front, and for some shells behind `=` and `:`.
    !/(^|[=:])~/.test(word.text);
  return known ? { kind: 'known', text: word.value } : { kind: 'unknown', source: word.text };
}

function isLiteral(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return true;
    case 'DoubleQuoted':
      return part.parts.every(isLiteral);
    default:
      return false;
  }
}

/** Outside of quotes no character that is none to the eye, or that looks like one a shell knows (N3). */
function checkSeen(word: Word): void {
  const bare =
    word.parts === undefined
      ? word.text
      : word.parts.map((part) => (/Quoted$/.test(part.type) ? '' : part.text)).join('');
  for (const character of bare.match(/[^\u0000-\u007f]/gu) ?? []) {
    if (/[\p{C}\p{Z}]/u.test(character) || /[\u0000-\u007f]/.test(character.normalize('NFKC'))) {
      throw new Unclear(
        'holds, outside of quotes, a character that is not seen or looks like one of the shell',
      );
    }
  }
}

const dropped = (): Unclear => new Unclear('cannot be parsed: something in it is out of place');

/** The words, assignments and redirections of a command in the order of writing. */
function partsOf({
  prefix,
  name,
  suffix,
}: Command): readonly { readonly pos: number; readonly end: number }[] {
  return [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
}

/** Whether a stretch of the line holds nothing but blanks, continued lines, comments and, once, what joins there. */
function isGap(stretch: string, joined: ShellStep['joined']): boolean {
  const rest = stretch.replaceAll('\\\n', '').replace(/(^|[ \t\n;|&])#[^\n]*/g, '$1');
  if (joined === '') return /^[ \t]*$/.test(rest);
  if (joined === ';') return /^[ \t]*[;\n][ \t\n]*$/.test(rest);
  return rest.replace(/^[ \t]+|[ \t\n]+$/g, '') === joined;
}

/** The steps of a line that is a plain list (line.ts L2). */
function listOf(script: Script, source: string, commands: readonly ShellCommand[]): ShellLine['list'] {
  const steps: { readonly joined: ShellStep['joined']; readonly node: CommandNode }[] = [];
  for (const { command, background } of script.commands) {
    if (background === true) return undefined;
    const chain = command.type === 'AndOr' ? command.commands : [command];
    const joints = command.type === 'AndOr' ? command.operators : [];
    for (const [at, node] of chain.entries()) {
      const joined = at === 0 ? (steps.length === 0 ? '' : ';') : (joints[at - 1] ?? ';');
      if (!addPipeline(steps, joined, node)) return undefined;
    }
  }
  // All that runs stands in the list: nothing is left for a substitution.
  if (steps.length === 0 || steps.length !== commands.length) return undefined;
  const list: ShellStep[] = [];
  let end = 0;
  for (const [at, { joined, node }] of steps.entries()) {
    const command = commands[at];
    if (command === undefined || !isPlain(command) || node.type !== 'Command') return undefined;
    const parts = partsOf(node);
    const gap = source.slice(end, parts[0]?.pos);
    if (at === 0 ? gap.replace(/(^|\n)[ \t]*#[^\n]*/g, '').trim() !== '' : !isGap(gap, joined))
      throw dropped();
    end = parts.at(-1)?.end ?? end;
    list.push({ joined, command });
  }
  const tail = source.slice(end);
  if (!isGap(`${tail}\n`, ';')) throw dropped();
  return list;
}

function addPipeline(
  steps: { readonly joined: ShellStep['joined']; readonly node: CommandNode }[],
  joined: ShellStep['joined'],
  node: PipelineNode,
): boolean {
  if (node.type === 'Pipeline' && node.prefixes.length > 0) return false;
  const commands = node.type === 'Pipeline' ? node.commands : [node];
  for (const [at, command] of commands.entries()) {
    if (command.type !== 'Command') return false;
    steps.push({ joined: at === 0 ? joined : '|', node: command });
  }
  return true;
}

function isPlain({ words, assignments, redirections }: ShellCommand): boolean {
  return (
    words.length > 0 &&
    assignments.length === 0 &&
    words.every(({ kind }) => kind === 'known') &&
    redirections.every(
      (one) =>
        one.kind !== 'here-document' &&
        writesNoFile(one) &&
        (one.kind === 'duplicate' || one.target.kind === 'known'),
    )
  );
}
