/**
 * What other programs replace in a body before a model sees it, and we never do: arguments, variables and inline
 * commands stay as they are written and nothing is run (spec/skills.md §1).
 */

import type { Remarks } from '../remark.js';
import type { EntryParts } from './parsed-entry.js';

const FORMS: readonly { readonly shown: string; readonly pattern: RegExp }[] = [
  { shown: '$ARGUMENTS', pattern: /\$ARGUMENTS\b/ },
  { shown: `\${…}`, pattern: /\$\{[^{}\n]*\}/ },
  { shown: '!`…`', pattern: /!(?<=(?:^|\s)!)`[^`\n]+`/ },
];

/** One remark a file, at the first such line. */
export function remarkOnLiterals({ body, textLine }: EntryParts, remarks: Remarks): void {
  const found = FORMS.map(({ shown, pattern }) => ({ shown, at: pattern.exec(body)?.index ?? -1 })).filter(
    ({ at }) => at >= 0,
  );
  if (found.length === 0) return;
  const first = Math.min(...found.map(({ at }) => at));
  const names = found.map(({ shown }) => shown).join(', ');
  remarks.add(
    'info',
    'not-substituted',
    textLine + body.slice(0, first).split('\n').length - 1,
    `the body holds ${names}; nothing is put in its place and nothing is run`,
    'write the text so that it reads well as it stands',
  );
}
