/** `fs_list`: what a directory holds, one entry a line. */

import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import { defineTool } from './define-tool.js';
import type { Directory } from './files/descriptor-walk.js';
import { atPlace, type FileAccess } from './files/file-access.js';
import type { FolderEntry } from './files/folder-entries.js';
import { folderEntries } from './files/folder-entries.js';
import { shownName } from './files/roots.js';

const MAX_ENTRIES = 1_000;

const args = toolArguments({
  path: z.string().optional().describe('path of the directory; the workspace itself unless given'),
});

export function fsList(files: Pick<FileAccess, 'checkFolder' | 'folder' | 'roots'>): Tool {
  return defineTool({
    name: 'fs_list',
    description:
      'Lists a directory, one entry a line: directories end in a slash, files show their size in bytes, links ' +
      'are named but never followed. Without a path: the workspace, and the names of the read roots.',
    class: 'read',
    arguments: args,
    async prepare(args) {
      const place = await files.checkFolder(args.path ?? '.');
      if (place.kind === 'refused') return place;
      const { shown } = place;
      return { kind: 'ready', summary: `list ${shown}`, subject: shown, arguments: atPlace(args, place) };
    },
    async run({ path = '.' }) {
      const folder = await files.folder(path);
      if ('kind' in folder) return failed(folder.text);
      const { location, directory } = folder;
      try {
        const { entries, cut } = await folderEntries(directory, MAX_ENTRIES);
        const lines = await Promise.all(entries.map((entry) => line(directory, entry)));
        const more = cut ? [`(more than ${MAX_ENTRIES} entries; use fs_glob)`] : [];
        const top = location.area === 'workspace' && location.segments.length === 0;
        const reads = top ? files.roots.reads.map((_, index) => `read root: reads:${index + 1}/`) : [];
        const head = `${location.shown}: ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`;
        return ok([head, ...lines, ...more, ...reads].join('\n'));
      } finally {
        await directory.close();
      }
    },
  });
}

async function line(directory: Directory, { name, kind }: FolderEntry): Promise<string> {
  const shown = shownName(name);
  if (kind === 'directory') return `${shown}/`;
  if (kind === 'link') return `${shown} (link, not followed)`;
  if (kind === 'special') return `${shown} (pipe, socket or device)`;
  const stats = await lstat(directory.entry(name)).catch(() => undefined); // deleted meanwhile
  return stats === undefined ? shown : `${shown} ${stats.size}`;
}
