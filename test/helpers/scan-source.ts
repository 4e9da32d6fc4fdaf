/**
 * Reads TypeScript just closely enough for the rules of the house: where comments, strings and code stand, and
 * what a file imports. The compiler's own API is not used: TypeScript 7 has none for JavaScript.
 *
 * A view has the length and the line breaks of the file, so that an offset means the same place in each.
 */

export interface Scan {
  /** The code alone: comments and the inside of strings, templates and regular expressions are blanks. */
  readonly code: string;
  /** Every string and every fixed piece of a template, with where its content begins. */
  readonly strings: readonly SourceString[];
  readonly imports: readonly SourceImport[];
}

export interface SourceString {
  readonly text: string;
  readonly offset: number;
}

export interface SourceImport {
  /** As written: `./jsonl.js`, `node:fs`, `zod`. Undefined for an `import(…)` of something computed. */
  readonly specifier: string | undefined;
  readonly offset: number;
}

/** 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Scans one file. Total: a file with an open string or comment is read to its end. */
export function scanSource(text: string): Scan {
  const code = text.split('');
  const strings: SourceString[] = [];
  // One entry per template whose `${` is open: how many braces are open inside it.
  const templates: number[] = [];
  let at = 0;

  const blank = (from: number, to: number): void => {
    for (let i = from; i < to; i++) if (code[i] !== '\n') code[i] = ' ';
  };
  const skipTo = (end: number): void => {
    blank(at, end);
    at = end;
  };
  const found = (index: number): number => (index === -1 ? text.length : index);

  /** Reads a piece of a template from `at`, behind the backtick or the closing brace, to its end. */
  const templatePiece = (): void => {
    const start = at;
    let end = at;
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end))
      end += text[end] === '\\' ? 2 : 1;
    strings.push({ text: text.slice(start, end), offset: start });
    skipTo(Math.min(end, text.length));
    if (text[at] === '`') at += 1;
    else if (at < text.length) {
      templates.push(0);
      at += 2;
    }
  };

  while (at < text.length) {
    const char = text[at];
    const open = templates.length - 1;
    if (text.startsWith('//', at) || (at === 0 && text.startsWith('#!')))
      skipTo(found(text.indexOf('\n', at)));
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      skipTo(end === -1 ? text.length : end + 2);
    } else if (char === "'" || char === '"') {
      const end = endOfQuoted(text, at + 1, char);
      strings.push({ text: text.slice(at + 1, end), offset: at + 1 });
      blank(at + 1, end);
      at = end + 1;
    } else if (char === '`') {
      at += 1;
      templatePiece();
    } else if (char === '{' && open >= 0) {
      templates[open] = (templates[open] ?? 0) + 1;
      at += 1;
    } else if (char === '}' && open >= 0) {
      at += 1;
      if (templates[open] === 0) {
        templates.pop();
        templatePiece();
      } else templates[open] = (templates[open] ?? 0) - 1;
    } else if (char === '/' && beginsRegex(code, at)) {
      const end = endOfRegex(text, at + 1);
      blank(at + 1, end);
      at = end + 1;
    } else at += 1;
  }
  const joined = code.join('');
  return { code: joined, strings, imports: importsOf(joined, strings) };
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let end = from;
  while (end < text.length && text[end] !== quote && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return Math.min(end, text.length);
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  let end = from;
  while (end < text.length && text[end] !== '\n' && (inClass || text[end] !== '/')) {
    if (text[end] === '[') inClass = true;
    if (text[end] === ']') inClass = false;
    end += text[end] === '\\' ? 2 : 1;
  }
  return Math.min(end, text.length);
}

/** A slash begins a regular expression where a value may begin, and divides where one has just ended. */
function beginsRegex(code: readonly string[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && /\s/.test(code[before] ?? '')) before--;
  const last = code[before] ?? '';
  if (last === '' || /[(,=:[!&|?{};+\-*%<>~^]/.test(last)) return true;
  let start = before;
  while (start > 0 && /[\w$]/.test(code[start - 1] ?? '')) start--;
  return /^(return|typeof|case|in|of|do|else|void|await|yield|throw|delete|instanceof|new)$/.test(
    code.slice(start, before + 1).join(''),
  );
}

const BEFORE_SPECIFIER = /(?:\bfrom\s*|\bimport\s*|\bimport\s*\(\s*|\brequire\s*\(\s*)$/;

function importsOf(code: string, strings: readonly SourceString[]): SourceImport[] {
  const literal = strings
    .filter(({ offset }) => BEFORE_SPECIFIER.test(code.slice(Math.max(0, offset - 41), offset - 1)))
    .map(({ text, offset }) => ({ specifier: text, offset }));
  const computed = [...code.matchAll(/(?<![.\w$])import\s*\(\s*(?!['"`\s])/g)].map((match) => ({
    specifier: undefined,
    offset: match.index,
  }));
  return [...literal, ...computed];
}
