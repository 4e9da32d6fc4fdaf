/**
 * Lists of names as people write them: a YAML list, or comma text split outside parentheses, since a tool
 * pattern such as `Bash(git diff:*, git log:*)` holds commas of its own (spec/team.md §1).
 */

/** Splits a list or a comma text into trimmed, non-empty names; an open parenthesis holds to the end. */
export function splitNames(written: string | readonly string[]): string[] {
  const texts = typeof written === 'string' ? [written] : written;
  return texts.flatMap(splitOutsideParentheses);
}

function splitOutsideParentheses(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let start = 0;
  const take = (end: number): void => {
    const name = text.slice(start, end).trim();
    if (name !== '') names.push(name);
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === ',' && depth === 0) {
      take(at);
      start = at + 1;
    }
  }
  take(text.length);
  return names;
}
