/** `fs_glob`: paths of files by pattern. */

import picomatch from 'picomatch';
import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import { boundedMatcher, TOO_SLOW_TEXT } from '../shared/bounded-match.js';
import { toolArguments } from './arguments.js';
import { defineTool } from './define-tool.js';
import { atPlace, type FileAccess } from './files/file-access.js';
import { SKIPPED_TEXT, treeBounds, visit } from './files/folder-tree.js';
import { below } from './files/roots.js';

const MAX_FOUND = 500;
const MAX_ENTRIES = 50_000;
const OUTPUT_BYTES = 48 * 1024;
const LONGEST_PATTERN = 500;

const args = toolArguments({
  pattern: z
    .string()
    .min(1)
    .max(LONGEST_PATTERN)
    .describe('glob over the path below the directory, e.g. src/**/*.ts or **/*.{md,txt}'),
  path: z.string().optional().describe('directory to look in; the workspace itself unless given'),
});

export function fsGlob(files: Pick<FileAccess, 'checkFolder' | 'folder'>): Tool {
  return defineTool({
    name: 'fs_glob',
    description: `Finds regular files by a glob pattern; * stays within one directory, ** goes down. ${SKIPPED_TEXT}`,
    class: 'read',
    arguments: args,
    async prepare(args) {
      const place = await files.checkFolder(args.path ?? '.');
      if (place.kind === 'refused') return place;
      const { shown } = place;
      const summary = `find ${args.pattern} in ${shown}`;
      return { kind: 'ready', summary, subject: shown, arguments: atPlace(args, place) };
    },
    async run({ pattern, path = '.' }, signal) {
      const matching = boundedMatcher(globExpression(pattern));
      const folder = await files.folder(path);
      if ('kind' in folder) return failed(folder.text);
      const bounds = treeBounds(MAX_ENTRIES, patternLevels(pattern));
      const found: string[] = [];
      let bytes = 0;
      let more = false;
      try {
        for await (const { location, prefix, files: names } of visit(folder, bounds, signal)) {
          const matches = matching(names.map((name) => `${prefix}${name}`));
          if (matches === 'too-slow') return failed(`fs_glob: ${TOO_SLOW_TEXT}`);
          for (const at of matches) {
            const { shown } = below(location, [names[at] ?? '']);
            bytes += Buffer.byteLength(shown) + 1;
            more = found.length >= MAX_FOUND || bytes > OUTPUT_BYTES;
            if (more) break;
            found.push(shown);
          }
          if (more) break;
        }
      } finally {
        await folder.directory.close();
      }
      return ok([...found, ...remarks(found.length, more, bounds.cut)].join('\n'));
    },
  });
}

/** The expression of a glob; names with a leading dot match like others. */
export function globExpression(pattern: string): RegExp {
  return picomatch.makeRe(pattern.replace(/^(\.\/)+/, ''), { dot: true, nonegate: true });
}

/** How far below the start a pattern can match: without `**` no farther than it has slashes. */
export function patternLevels(pattern: string): number {
  const plain = pattern.replace(/^(\.\/)+/, '');
  // Braces and groups may hold slashes of their own; a backslash may hide what they mean.
  const unbounded = plain.includes('**') || /[{(\\]/.test(plain);
  return unbounded ? Number.POSITIVE_INFINITY : plain.split('/').length - 1;
}

function remarks(count: number, more: boolean, cut: boolean): string[] {
  if (more) return ['(there are more; narrow the pattern or the path)'];
  if (cut) return [`(${count} found; not everything was visited, the tree is too large: narrow the path)`];
  return [count === 0 ? '(no file matches)' : `(${count} found)`];
}
