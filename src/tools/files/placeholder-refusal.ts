/**
 * Why a call with the placeholder of a secret in its arguments is not run (invariant 8): what it would write, run or ask
 * for is the placeholder, or it was the secret itself, which a model may not carry anywhere.
 */

import type { PreparedCall } from '../../agent/tool.js';
import { placeholderWithin } from '../../shared/secrets/placeholder.js';

/** Tools that do something with their words beyond reading files, whatever their class. */
const ALWAYS: ReadonlySet<string> = new Set(['shell_exec', 'web_fetch']);

/**
 * The text for the model; undefined for a call that only reads, or holds no placeholder.
 * It is looked at as the model wrote it.
 */
export function placeholderRefusal(
  { tool, arguments: written }: { readonly tool: string; readonly arguments: unknown },
  ready: Pick<Extract<PreparedCall, { kind: 'ready' }>, 'class' | 'runsProgram'>,
): string | undefined {
  const reads = ready.class === 'read' && ready.runsProgram !== true && !ALWAYS.has(tool);
  const found = reads ? undefined : placeholderWithin(written);
  if (found === undefined) return undefined;
  return (
    `${tool} was not run: its arguments hold ${found}, which stands for a value that is kept from you and was taken ` +
    'out of everything you read and write. Leave it out: have a program read the value where it runs, name the ' +
    'variable instead of its value, or ask the operator to put it there'
  );
}
