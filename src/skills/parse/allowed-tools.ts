/**
 * The value of `allowed-tools` as it is written in the field: a list in brackets or plain text, split at blanks
 * and commas that stand outside parentheses (spec/skills.md §1), so that `Bash(git diff, git log)` is one tool.
 */

/** The tools in the order written, or null when the parentheses do not balance. */
export function readAllowedTools(text: string): readonly string[] | null {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const tools: string[] = [];
  let depth = 0;
  let tool = '';
  for (const character of inner) {
    if (depth === 0 && /[\s,]/.test(character)) {
      if (tool !== '') tools.push(tool);
      tool = '';
      continue;
    }
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0) return null;
    tool += character;
  }
  if (tool !== '') tools.push(tool);
  return depth === 0 ? tools : null;
}
