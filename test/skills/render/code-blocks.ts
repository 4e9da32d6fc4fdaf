/** Where fenced code stands in a Markdown text, by a reading of its own. */

/** For each line, the fence of the code block it stands in or null; behind list marks and quote marks too. */
export function codeBlocks(text: string): (string | null)[] {
  let open: string | null = null;
  return text.split('\n').map((line) => {
    const bare = line.replace(/^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))*[ \t]*/u, '');
    const fence = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/su.exec(bare);
    const [, marks = '', rest = ''] = fence ?? [];
    if (open === null) open = fence === null ? null : marks;
    else if (marks.startsWith(open) && rest.trim() === '') open = null;
    return open;
  });
}
