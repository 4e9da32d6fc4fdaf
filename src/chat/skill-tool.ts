/**
 * The tool `skill` as the model sees it (spec/skills.md §8): its schema can only name what is offered at this moment.
 * The only words of an entry in it are name and description, of entries with instruction trust.
 */

import type { ToolDefinition } from '../models/model.js';
import type { Entry } from '../skills/entry.js';
import { renderAvailable } from '../skills/render.js';
import { SKILL_TOOL } from '../tools/names/own-names.js';

/** The definition; undefined when nothing is offered, since an empty list of names is no schema. */
export function skillTool(offered: readonly Entry[]): ToolDefinition | undefined {
  if (offered.length === 0) return undefined;
  const lines = offered.map((entry) => `- ${renderAvailable(entry)}`);
  return {
    name: SKILL_TOOL,
    description:
      'Loads a skill by its exact name when the work at hand matches its description. The result is its full text; from your next reply on it stands under Active Skills, and tools it brings can be called.',
    parameters: {
      type: 'object',
      properties: {
        name: {
          type: 'string',
          enum: offered.map(({ name }) => name),
          description: `The skill to load:\n${lines.join('\n')}`,
        },
      },
      required: ['name'],
      additionalProperties: false,
    },
  };
}

/** What the model gave for the name, or what is wrong with it. */
export function skillNameOf(
  args: unknown,
): { readonly kind: 'name'; readonly name: string } | { readonly kind: 'refused'; readonly text: string } {
  const found = typeof args === 'object' && args !== null && 'name' in args ? args.name : undefined;
  if (typeof found === 'string' && found.trim() !== '') return { kind: 'name', name: found.trim() };
  const shown = found === undefined ? 'nothing' : JSON.stringify(found);
  return {
    kind: 'refused',
    text: `skill was not run, its arguments are wrong:\n- argument "name": found ${shown}; allowed: the exact name of one skill that is offered`,
  };
}
