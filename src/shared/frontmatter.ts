/**
 * Splits a Markdown file into frontmatter and body. Knows nothing of YAML: the fence is ours, the grammar of
 * what stands in it belongs to the caller.
 *
 * The fence opens only on the first line and closes only on a line that is exactly `---` (spec/skills.md §2);
 * one leading BOM is dropped and CRLF is read as LF.
 */

export type FrontmatterSplit =
  | {
      readonly kind: 'split';
      /** The lines between the fences, without them; the first of them is line 2 of the file. */
      readonly frontmatter: string;
      /** Everything after the closing line, not yet trimmed. */
      readonly body: string;
      /** 1-based line of the file on which `body` begins. */
      readonly bodyLine: number;
    }
  | { readonly kind: 'no-frontmatter' }
  | { readonly kind: 'unclosed' };

/** Splits the text of a file. Total: every text gives one of the three kinds. */
export function splitFrontmatter(text: string): FrontmatterSplit {
  const normal = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!normal.startsWith('---\n') && normal !== '---') return { kind: 'no-frontmatter' };
  const start = 4;
  let lineStart = start;
  let line = 2;
  while (lineStart <= normal.length) {
    const newline = normal.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? normal.length : newline;
    if (lineEnd - lineStart === 3 && normal.startsWith('---', lineStart)) {
      return {
        kind: 'split',
        frontmatter: normal.slice(start, lineStart),
        body: newline === -1 ? '' : normal.slice(newline + 1),
        bodyLine: line + 1,
      };
    }
    if (newline === -1) break;
    lineStart = newline + 1;
    line++;
  }
  return { kind: 'unclosed' };
}

/** A body as prompt text: one leading line break and all trailing white space removed (spec/skills.md §1). */
export function promptBody(body: string): string {
  return (body.startsWith('\n') ? body.slice(1) : body).trimEnd();
}
