/** `fs_edit_file`: replaces a passage of a text file, named by the digest last read. */

import { z } from 'zod';
import type { Tool, ToolResult } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import type { Refusal } from './define-tool.js';
import { defineTool, refused } from './define-tool.js';
import { digestArgument } from './files/digest-argument.js';
import type { FileAccess } from './files/file-access.js';
import type { FileChanges } from './files/file-changes.js';
import { strictText, wholeFile } from './files/file-content.js';
import { CONTENT_BYTES, changeText } from './fs-write-file.js';

const args = toolArguments({
  path: z.string().describe('path of the file, relative to the workspace'),
  old: z.string().min(1).describe('the passage to replace, exactly as in the file, without line numbers'),
  new: z.string().describe('what stands there afterwards'),
  all: z.boolean().optional().describe('replace every occurrence; else the passage must occur exactly once'),
  digest: digestArgument
    .optional()
    .describe('digest of the file as last read; a change without it is refused'),
});

export function fsEditFile(
  files: Pick<FileAccess, 'file'>,
  changes: Pick<FileChanges, 'check' | 'write'>,
): Tool {
  return defineTool({
    name: 'fs_edit_file',
    description:
      'Replaces a passage of a text file in the workspace. Name the digest that fs_read_file, fs_write_file or ' +
      'the last edit gave: when the file has changed since, the edit is refused with its present digest.',
    class: 'write',
    arguments: args,
    prepare({ path, old, new: replacement }) {
      const writable = changes.check(path);
      if (writable.kind === 'refused') return writable;
      if (old === replacement)
        return refused('arguments "old" and "new" are the same text: nothing would change');
      return {
        kind: 'ready',
        summary: `edit ${writable.location.shown}`,
        subject: writable.location.shown,
        ...(writable.agents ? { operatorConfirms: true } : {}),
      };
    },
    async run(edit, signal): Promise<ToolResult> {
      const text = await presentText(files, edit.path, signal);
      if (typeof text !== 'string') return failed(text.text);
      const edited = replace(text, edit.old, edit.new, edit.all === true);
      if (typeof edited !== 'string') return failed(`${edit.path}: ${edited.text}`);
      // Without a digest the write refuses, and its refusal shows the present one.
      const change = await changes.write(edit.path, edited, edit.digest, signal);
      return change.kind === 'refused' ? failed(change.text) : ok(changeText(change));
    },
  });
}

async function presentText(
  files: Pick<FileAccess, 'file'>,
  path: string,
  signal: AbortSignal,
): Promise<string | Refusal> {
  const file = await files.file(path);
  if ('kind' in file) return file;
  const { shown, area } = file.location;
  try {
    if (area === 'reads') return refused(`${shown} lies in a read root, which is only read`);
    const content = await wholeFile(file.handle, CONTENT_BYTES, signal);
    if (content === undefined)
      return refused(`${shown} has more than ${CONTENT_BYTES} bytes, too many to edit`);
    return strictText(content.bytes) ?? refused(`${shown} is not UTF-8 text, an edit would damage it`);
  } finally {
    await file.handle.close();
  }
}

/** Replaces literally. In a file whose lines all end in CRLF, a passage written with LF means the same lines. */
function replace(text: string, old: string, replacement: string, all: boolean): string | Refusal {
  const crlf = /\r\n/.test(text) && !/(^|[^\r])\n/.test(text) && !old.includes('\r');
  const found = crlf ? old.replaceAll('\n', '\r\n') : old;
  const put = crlf ? replacement.replace(/\r?\n/g, '\r\n') : replacement;
  const parts = text.split(found);
  const count = parts.length - 1;
  if (count === 0)
    return refused('the passage "old" does not occur; read the file again and copy it exactly');
  if (count > 1 && !all) {
    return refused(`the passage "old" occurs ${count} times; add lines around it, or say all: true`);
  }
  return parts.join(put);
}
