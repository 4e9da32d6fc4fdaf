/** `*` in rules and patterns: any run of characters, everything else literal. Linear, whatever the pattern is. */

/** Whether the whole text matches. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [head = '', ...pieces] = pattern.split('*');
  const tail = pieces.pop();
  if (tail === undefined) return text === head;
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
