/** `fs_grep`: lines of text files that match a regular expression. */

import { z } from 'zod';
import type { Tool, ToolResult } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import type { MatchOutcome } from '../shared/bounded-match.js';
import { boundedMatcher, TOO_SLOW_TEXT } from '../shared/bounded-match.js';
import { errorText } from '../shared/errors.js';
import type { Redactor } from '../shared/secrets/redactor.js';
import { toolArguments } from './arguments.js';
import { defineTool, refused } from './define-tool.js';
import type { OpenFolder } from './files/confinement.js';
import { openEntry } from './files/confinement.js';
import { atPlace, type FileAccess } from './files/file-access.js';
import { looksBinary, wholeFile } from './files/file-content.js';
import type { TreeFolder } from './files/folder-tree.js';
import { SKIPPED_TEXT, treeBounds, visit } from './files/folder-tree.js';
import type { Location } from './files/roots.js';
import { below } from './files/roots.js';
import { secretVerdict } from './files/secret-paths.js';
import { globExpression } from './fs-glob.js';

const DEFAULT_FOUND = 200;
const MAX_FOUND = 1_000;
const MAX_ENTRIES = 50_000;
const FILE_BYTES = 2 * 1024 * 1024;
const OUTPUT_BYTES = 48 * 1024;

/** Only so much of a line is matched, and so much of it shown. */
const MATCHED_LENGTH = 2_000;
const SHOWN_LENGTH = 300;

const DEADLINE_MS = 30_000;

const args = toolArguments({
  pattern: z.string().min(1).max(1_000).describe('JavaScript regular expression, matched line by line'),
  path: z.string().optional().describe('file or directory to search; the workspace itself unless given'),
  glob: z.string().min(1).max(500).optional().describe('only files whose path below the directory matches'),
  ignore_case: z.boolean().optional().describe('match without regard to case'),
  max: z.int().min(1).max(MAX_FOUND).optional().describe('most lines to show; 200 unless given'),
});

export function fsGrep(
  files: Pick<FileAccess, 'check' | 'checkFolder' | 'file' | 'folder' | 'secrets'>,
): Tool {
  return defineTool({
    name: 'fs_grep',
    description:
      'Searches text files for a regular expression and shows path:line: text of each line that matches. ' +
      `Files with secrets, binary files and files over 2 MiB are left out and counted. ${SKIPPED_TEXT}`,
    class: 'read',
    arguments: args,
    deadlineMs: DEADLINE_MS,
    async prepare(args) {
      const { pattern, ignore_case } = args;
      const place = await files.checkFolder(args.path ?? '.');
      if (place.kind === 'refused') return place;
      const wrong = expressionProblem(pattern, ignore_case);
      if (wrong !== undefined) {
        const found = JSON.stringify(pattern);
        return refused(
          `argument "pattern": found ${found}, ${wrong}; allowed: a JavaScript regular expression`,
        );
      }
      const { shown } = place;
      const summary = `search ${shown} for ${pattern}`;
      return { kind: 'ready', summary, subject: shown, arguments: atPlace(args, place) };
    },
    async run({ pattern, path = '.', glob, ignore_case, max = DEFAULT_FOUND }, signal) {
      const wrong = expressionProblem(pattern, ignore_case);
      if (wrong !== undefined) return failed(`argument "pattern": ${wrong}`);
      const search = new Search(expression(pattern, ignore_case), glob, max, files.secrets);
      const folder = await files.folder(path);
      if (!('kind' in folder)) return search.folder(folder, signal);
      const file = await files.file(path);
      if ('kind' in file) return failed(file.text);
      try {
        const stopped = await search.file(file, signal);
        return search.result(stopped, false);
      } finally {
        await file.handle.close();
      }
    },
  });
}

function expression(pattern: string, ignoreCase: boolean | undefined): RegExp {
  return new RegExp(pattern, ignoreCase === true ? 'i' : '');
}

function expressionProblem(pattern: string, ignoreCase: boolean | undefined): string | undefined {
  try {
    expression(pattern, ignoreCase);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

type Stop = 'too-slow' | 'enough' | undefined;

/** One search: what it found so far, and what it left out. */
class Search {
  readonly #matching: (texts: readonly string[]) => MatchOutcome;
  readonly #globMatching: ((texts: readonly string[]) => MatchOutcome) | undefined;
  readonly #max: number;
  readonly #secrets: Redactor;
  readonly #lines: string[] = [];
  readonly #leftOut = { secret: 0, binary: 0, large: 0 };
  #bytes = 0;

  constructor(pattern: RegExp, glob: string | undefined, max: number, secrets: Redactor) {
    this.#secrets = secrets;
    this.#matching = boundedMatcher(pattern);
    this.#globMatching = glob === undefined ? undefined : boundedMatcher(globExpression(glob));
    this.#max = max;
  }

  async folder(start: OpenFolder, signal: AbortSignal): Promise<ToolResult> {
    const bounds = treeBounds(MAX_ENTRIES);
    let stopped: Stop;
    try {
      for await (const part of visit(start, bounds, signal)) {
        stopped = await this.#part(part, signal);
        if (stopped !== undefined) break;
      }
    } finally {
      await start.directory.close();
    }
    return this.result(stopped, bounds.cut);
  }

  async file(
    { location, handle, size }: { location: Location; handle: OpenHandle; size: number },
    signal: AbortSignal,
  ): Promise<Stop> {
    const content = size > FILE_BYTES ? undefined : await wholeFile(handle, FILE_BYTES, signal);
    if (content === undefined) {
      this.#leftOut.large++;
      return undefined;
    }
    if (looksBinary(content.bytes)) {
      this.#leftOut.binary++;
      return undefined;
    }
    const lines = this.#secrets.text(content.bytes.toString('utf8')).split('\n');
    const matches = this.#matching(lines.map((line) => line.slice(0, MATCHED_LENGTH)));
    if (matches === 'too-slow') return 'too-slow';
    for (const at of matches) {
      if (!this.#show(`${location.shown}:${at + 1}: ${shownLine(lines[at] ?? '')}`)) return 'enough';
    }
    return undefined;
  }

  result(stopped: Stop, cut: boolean): ToolResult {
    if (stopped === 'too-slow') return failed(`fs_grep: ${TOO_SLOW_TEXT}`);
    const { secret, binary, large } = this.#leftOut;
    const left = [
      ...(secret > 0 ? [`${secret} with secrets`] : []),
      ...(binary > 0 ? [`${binary} binary`] : []),
      ...(large > 0 ? [`${large} over 2 MiB`] : []),
    ];
    const remarks = [
      this.#lines.length === 0 ? '(no line matches)' : `(${this.#lines.length} lines)`,
      ...(stopped === 'enough' ? ['(there may be more; narrow the pattern, the path or the glob)'] : []),
      ...(cut ? ['(not everything was visited, the tree is too large: narrow the path)'] : []),
      ...(left.length > 0 ? [`(files left out: ${left.join(', ')})`] : []),
    ];
    return ok([...this.#lines, ...remarks].join('\n'));
  }

  async #part({ location, directory, prefix, files }: TreeFolder, signal: AbortSignal): Promise<Stop> {
    const chosen = this.#globMatching?.(files.map((name) => `${prefix}${name}`)) ?? files.keys();
    if (chosen === 'too-slow') return 'too-slow';
    for (const at of chosen) {
      const name = files[at] ?? '';
      const place = below(location, [name]);
      const secret = secretVerdict(place.segments).kind === 'secret';
      const file = secret ? undefined : await openEntry(place, directory, name).catch(() => undefined);
      // Refused for its content, unreadable, or gone meanwhile: left out like one refused for its name.
      if (file === undefined || 'kind' in file) {
        this.#leftOut.secret += secret || file !== undefined ? 1 : 0;
        continue;
      }
      try {
        const stopped = await this.file(file, signal);
        if (stopped !== undefined) return stopped;
      } finally {
        await file.handle.close();
      }
    }
    return undefined;
  }

  #show(line: string): boolean {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#lines.length >= this.#max || this.#bytes + bytes > OUTPUT_BYTES) return false;
    this.#bytes += bytes;
    this.#lines.push(line);
    return true;
  }
}

type OpenHandle = Parameters<typeof wholeFile>[0];

function shownLine(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
}
