/** A request with everything that a provider might stumble over. */

import type { ModelRequest } from '../../../src/models/model.js';

/** Three system parts, one of them blank; ids as places; texts that are empty; arguments that are no JSON. */
export const SAMPLE: ModelRequest = {
  member: 'reviewer',
  role: 'reviewer',
  system: [
    { name: 'preamble', text: 'One.' },
    { name: 'role', text: '  ' },
    { name: 'rule:careful', text: 'Two.' },
    { name: 'contract', text: 'Three.' },
  ],
  messages: [
    { role: 'user', text: 'go' },
    {
      role: 'assistant',
      text: 'reading',
      calls: [
        { id: '12-3.0', tool: 'fs_read_file', arguments: { path: 'a.md' } },
        { id: '12-3.1', tool: 'fs_list', arguments: {} },
      ],
    },
    { role: 'tool', call: '12-3.0', tool: 'fs_read_file', text: 'no such file', failed: true },
    { role: 'tool', call: '12-3.1', tool: 'fs_list', text: '', failed: false },
    { role: 'user', text: 'mail' },
    { role: 'assistant', text: '\n', calls: [] },
    { role: 'user', text: '' },
    {
      role: 'assistant',
      text: '',
      calls: [{ id: '13-0.0', tool: 'fs.list ', arguments: '{"path": ' }],
    },
    { role: 'tool', call: '13-0.0', tool: 'fs.list ', text: 'not run', failed: true },
  ],
  tools: [
    {
      name: 'fs_read_file',
      description: 'Reads a file.',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
        required: ['path'],
        additionalProperties: false,
      },
    },
    { name: 'fs_list', description: 'Lists.', parameters: { type: 'object', properties: {} } },
  ],
  maxOutputTokens: 1000,
};
