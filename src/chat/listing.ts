/** What `/skills` prints: every entry with a mark, and what the marks mean. The words are a contract [RS]. */

import { oneLine } from '../shared/terminal-text.js';
import { inOrder } from '../skills/composition-order.js';
import type { Entry } from '../skills/entry.js';

/** `*` active, `+` offered to the model, blank everything else. */
export type Mark = '*' | '+' | ' ';

const LEGEND = [
  '* = active | + = skill this mode can self-load | (blank) = other mode, or an inactive rule',
  '/skill load <name> · /skill unload <name> — manual override, works on any entry',
  'The AI can also load an available (+) skill itself mid-conversation via the skill tool.',
];

/** Names take 20 columns, longer ones push the rest to the right. */
const NAME_WIDTH = 20;
const KIND_WIDTH = '[skill]'.length;

/** The listing, rules first, each kind in byte order of name; without a line break at its end. */
export function skillsListing(entries: readonly Entry[], markOf: (entry: Entry) => Mark): string {
  const lines = inOrder(entries).map((entry) => {
    const name = oneLine(entry.name).padEnd(NAME_WIDTH);
    const kind = `[${entry.kind}]`.padEnd(KIND_WIDTH);
    return `${markOf(entry)} ${name} ${kind} ${shown(entry.description)} (${entry.tier})`;
  });
  return [...lines, '', ...LEGEND].join('\n');
}

function shown(description: string): string {
  return oneLine(description.replaceAll(/\s+/gu, ' ').trim(), Number.MAX_SAFE_INTEGER);
}
