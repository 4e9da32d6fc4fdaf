/** `fs_delete`: deletes one regular file, named by the digest last read. */

import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import { defineTool } from './define-tool.js';
import { digestArgument } from './files/digest-argument.js';
import type { FileChanges } from './files/file-changes.js';

const args = toolArguments({
  path: z.string().describe('path of the file, relative to the workspace'),
  digest: digestArgument.describe('digest of the file as last read'),
});

export function fsDelete(changes: Pick<FileChanges, 'check' | 'remove'>): Tool {
  return defineTool({
    name: 'fs_delete',
    description: 'Deletes one regular file in the workspace. Name the digest that fs_read_file gave.',
    class: 'destructive',
    arguments: args,
    prepare({ path }) {
      const writable = changes.check(path);
      if (writable.kind === 'refused') return writable;
      return {
        kind: 'ready',
        summary: `delete ${writable.location.shown}`,
        subject: writable.location.shown,
        ...(writable.agents ? { operatorConfirms: true } : {}),
      };
    },
    async run({ path, digest }, signal) {
      const change = await changes.remove(path, digest, signal);
      return change.kind === 'refused' ? failed(change.text) : ok(`${change.shown} deleted`);
    },
  });
}
