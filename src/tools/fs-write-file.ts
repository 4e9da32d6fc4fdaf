/** `fs_write_file`: writes a whole text file, new or named by the digest it replaces. */

import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import { defineTool, refused } from './define-tool.js';
import { digestArgument } from './files/digest-argument.js';
import type { FileChange, FileChanges } from './files/file-changes.js';

/** What a model writes in one call is far below; more than this is a mistake. */
export const CONTENT_BYTES = 4 * 1024 * 1024;

const args = toolArguments({
  path: z.string().describe('path of the file, relative to the workspace'),
  content: z.string().describe('the whole new content'),
  digest: digestArgument
    .optional()
    .describe('digest of the file as last read; needed when the file exists, left out when it is new'),
});

export function fsWriteFile(changes: Pick<FileChanges, 'check' | 'write'>): Tool {
  return defineTool({
    name: 'fs_write_file',
    description:
      'Writes a whole text file in the workspace and makes missing directories. To replace a file, name the ' +
      'digest that fs_read_file gave: when the file has changed since, the write is refused with its present digest.',
    class: 'write',
    arguments: args,
    prepare({ path, content }) {
      const writable = changes.check(path);
      if (writable.kind === 'refused') return writable;
      const bytes = Buffer.byteLength(content);
      if (bytes > CONTENT_BYTES) {
        return refused(`argument "content": found ${bytes} bytes; allowed: up to ${CONTENT_BYTES} bytes`);
      }
      return {
        kind: 'ready',
        summary: `write ${writable.location.shown} (${bytes} bytes)`,
        subject: writable.location.shown,
        ...(writable.agents ? { operatorConfirms: true } : {}),
      };
    },
    async run({ path, content, digest }, signal) {
      const change = await changes.write(path, content, digest, signal);
      return change.kind === 'refused' ? failed(change.text) : ok(changeText(change));
    },
  });
}

/** The sentence about a file that was written. */
export function changeText(change: FileChange): string {
  const verb = change.created ? 'created' : 'replaced';
  return `${change.shown} ${verb}: ${change.bytes} bytes, digest ${change.digest}`;
}
