/** `fs_read_file`: lines of a text file, numbered, with the digest that a later write has to name. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Tool, ToolResult } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import { defineTool } from './define-tool.js';
import { type CleanBytes, cleanBytes } from './files/clean-bytes.js';
import type { OpenFile } from './files/confinement.js';
import { atPlace, type FileAccess } from './files/file-access.js';
import { FILE_BYTES, looksBinary, pieces } from './files/file-content.js';
import type { WindowLine } from './files/line-window.js';
import { LineWindow } from './files/line-window.js';

const DEFAULT_LINES = 2_000;
const OUTPUT_BYTES = 48 * 1024;

const args = toolArguments({
  path: z.string().describe('path of the file, relative to the workspace; reads:1/… for the first read root'),
  offset: z.int().min(1).optional().describe('number of the first line to show, from 1'),
  limit: z.int().min(1).max(DEFAULT_LINES).optional().describe('how many lines to show; 2,000 unless given'),
});

export function fsReadFile(files: Pick<FileAccess, 'check' | 'file' | 'secrets'>): Tool {
  return defineTool({
    name: 'fs_read_file',
    description:
      'Reads a text file. The first line of the answer names the lines shown, the size and the digest of the ' +
      'whole file, which fs_write_file, fs_edit_file and fs_delete ask for; then each line stands after its ' +
      'number and a tab. Files with secrets are refused.',
    class: 'read',
    arguments: args,
    async prepare(args) {
      const place = await files.check(args.path);
      if (place.kind === 'refused') return place;
      const { shown } = place;
      return { kind: 'ready', summary: `read ${shown}`, subject: shown, arguments: atPlace(args, place) };
    },
    async run({ path, offset = 1, limit = DEFAULT_LINES }, signal) {
      const file = await files.file(path);
      if ('kind' in file) return failed(file.text);
      try {
        return await read(file, offset, limit, cleanBytes(files.secrets), signal);
      } finally {
        await file.handle.close();
      }
    },
  });
}

async function read(
  file: OpenFile,
  offset: number,
  limit: number,
  clean: CleanBytes,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { shown } = file.location;
  if (file.size > FILE_BYTES) {
    return failed(`${shown} has ${file.size} bytes; allowed are files up to ${FILE_BYTES} bytes`);
  }
  const hash = createHash('sha256');
  const window = new LineWindow(offset, limit, OUTPUT_BYTES);
  let bytes = 0;
  for await (const piece of pieces(file.handle, signal)) {
    if (bytes === 0 && looksBinary(piece)) {
      return failed(`${shown} is no text file (${file.size} bytes); allowed are text files`);
    }
    bytes += piece.length;
    hash.update(piece);
    window.push(clean.push(piece));
  }
  window.push(clean.end());
  const { lines, total, crlf } = window.end();
  const size = `${bytes} bytes${crlf ? ', lines end in CRLF' : ''}, digest ${hash.digest('hex')}`;
  if (total === 0) return ok(`${shown}: empty, ${size}`);
  const last = lines.at(-1)?.number;
  if (last === undefined) return failed(`${shown} has ${total} lines; offset ${offset} lies behind its end`);
  const head = `${shown}: lines ${offset}-${last} of ${total}, ${size}`;
  const rest = last < total ? [`(${total - last} more lines; go on with offset ${last + 1})`] : [];
  return ok([head, ...lines.map(lineText), ...rest].join('\n'));
}

function lineText(line: WindowLine): string {
  const cut = line.cutBytes > 0 ? `… (${line.cutBytes} more bytes of this line are not shown)` : '';
  return `${line.number}\t${line.text}${cut}`;
}
