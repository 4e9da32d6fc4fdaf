/**
 * The tools that an open entry provides (spec/skills.md §1 `tools`): definitions of programs that are run without a
 * shell. They are part of the digest, so an approval covers them.
 */

import { z } from 'zod';
import { shapeOf } from '../../catalog/files/shape.js';
import type { ToolDefinition } from '../entry.js';
import type { Remarks } from '../remark.js';
import type { OpenFields } from './open-values.js';
import { toolSchema } from './tool-schema.js';

/** One of them, as it is written. */
export const toolDefinition = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'letters, digits, "_" and "-", at most 64 characters' }),
  description: z.string().min(1),
  parameters: z.record(z.string(), z.json()).default({ type: 'object', properties: {} }),
  run: z
    .array(z.string().regex(/^[^\u0000]*$/, { error: 'text without NUL' }))
    .min(1)
    .refine(([program = '']) => /^[^-\s]/.test(program), { error: 'begins with the name of a program' }),
  class: z.enum(['read', 'write', 'destructive']).default('write'),
});

const withTools = z.object({ tools: z.array(toolDefinition) });

const CHECKED =
  'write a JSON Schema of draft 2020-12 of one object, with nothing in it that arguments cannot be checked against';

/** All definitions of a file, or none of them when one does not fit: half a set of tools is no set. */
export function readToolDefinitions(fields: OpenFields, remarks: Remarks): readonly ToolDefinition[] {
  if (fields.get('tools') === undefined) return [];
  const shaped = shapeOf(withTools, fields.mapping, '');
  if (shaped.kind === 'does-not-fit') {
    for (const { line, message } of shaped.findings) {
      const kept = `${message}; the entry provides no tools`;
      remarks.add(
        'warning',
        'tools-not-read',
        line ?? null,
        kept,
        'write tools: [{name, description, parameters, run: [program, argument]}]',
      );
    }
    return [];
  }
  const { tools } = shaped.value;
  for (const { name, parameters } of tools) {
    const schema = toolSchema(parameters);
    if (schema.kind === 'usable') continue;
    const message = `parameters of ${name}: ${schema.why}; the entry provides no tools`;
    remarks.add('warning', 'tools-not-read', fields.line('tools'), message, CHECKED);
    return [];
  }
  return tools;
}
