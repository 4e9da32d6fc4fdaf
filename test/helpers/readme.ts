/** What the README and the pages of the help show of the program: their code, and the command lines in it. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface Page {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly text: string;
  /** Lines of the blocks that are for a shell, without comments, in order. */
  readonly shellLines: readonly string[];
  /** What stands between single backticks. */
  readonly spans: readonly string[];
  /** Every command line of this program, from `bnerd` to the end of that command; `npx ` in front is left out. */
  readonly commands: readonly string[];
  /** Blocks of YAML, each with the file that its first line names. */
  readonly yaml: readonly { readonly file: string; readonly text: string }[];
}

/** Reads the file at the top of the repository. */
export function readme(): Promise<Page> {
  return readPage('README.md');
}

/** Every page of the help, in the order of their names. */
export async function helpPages(): Promise<Page[]> {
  const names = (await readdir(join(ROOT, 'docs'))).sort();
  return Promise.all(names.map((name) => readPage(`docs/${name}`)));
}

async function readPage(path: string): Promise<Page> {
  const text = await readFile(join(ROOT, path), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const bodies = (language: string): string[] =>
    blocks.filter(([, written]) => written === language).map(([, , body = '']) => body);
  const shellLines = bodies('sh')
    .flatMap((body) => body.split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const commands = [...shellLines, ...spans].flatMap(commandsIn);
  const yaml = bodies('yaml').map((body) => ({ file: /^# (.+)$/m.exec(body)?.[1] ?? '', text: body }));
  return { path, text, shellLines, spans, commands, yaml };
}

/** The parts of a shell line that call this program. */
function commandsIn(line: string): string[] {
  return line
    .split(/\s*(?:&&|\|\||;|\|)\s*/)
    .map((part) => part.replace(/^(?:[A-Z_]+=\S+\s+)+/, '').replace(/^npx /, ''))
    .map((part) => part.replace(/^node \S*dist\/cli\.js/, 'bnerd'))
    .filter((part) => /^bnerd( |$)/.test(part))
    .map((part) => part.replace(/\s+(?:[0-9]?>>?|<)\s.*$/, ''));
}

/** The words of a command line as a shell would give them, without the program's own name. */
export function wordsOf(command: string): string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
