/** Steps of a script as an answer: texts and arguments with every `{{name}}` filled in. */

import type { ModelCall } from '../model.js';
import type { Played } from './next-answer.js';
import { type Captures, fill, unknownCaptures } from './pattern.js';

export type Rendered =
  | { readonly kind: 'rendered'; readonly text: string; readonly calls: readonly Omit<ModelCall, 'id'>[] }
  | { readonly kind: 'unknown'; readonly message: string };

/** The answer of one or more steps: their texts, a blank line between, and their calls in order. */
export function renderSteps(played: readonly Played[]): Rendered {
  const texts: string[] = [];
  const calls: Omit<ModelCall, 'id'>[] = [];
  for (const { step, captures } of played) {
    const missing = new Set<string>();
    if (step.text !== '') texts.push(fill(step.text, captures, missing));
    for (const call of step.calls) {
      calls.push({ tool: call.tool, arguments: fillDeep(call.args, captures, missing) });
    }
    if (missing.size > 0) {
      return { kind: 'unknown', message: `${step.place}: ${unknownCaptures(missing, captures)}` };
    }
  }
  return { kind: 'rendered', text: texts.join('\n\n'), calls };
}

function fillDeep(value: unknown, captures: Captures, missing: Set<string>): unknown {
  if (typeof value === 'string') return fill(value, captures, missing);
  if (Array.isArray(value)) return value.map((item: unknown) => fillDeep(item, captures, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillDeep(item, captures, missing)]),
  );
}
