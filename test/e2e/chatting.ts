/** A chat through the program: an operator with skills of their own, beside a repository of strangers. */

import { join } from 'node:path';
import { type BnerdOptions, type BnerdPlace, type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import type { Wire } from '../helpers/providers/far-side.js';
import { commitAll, putFiles } from '../helpers/repository.js';

export const KEY = 'planted-77aa10c4e9';

export class Chatting {
  readonly place: BnerdPlace;
  /** The working directory: a repository whose files nobody has approved. */
  readonly repository: string;

  constructor(place: BnerdPlace, repository: string) {
    this.place = place;
    this.repository = repository;
  }

  /** Each line is one of the person's, on a pipe. */
  async chat(
    lines: readonly string[],
    words: readonly string[] = [],
    options: BnerdOptions = {},
  ): Promise<BnerdRun> {
    const stdin = lines.map((line) => `${line}\n`).join('');
    return bnerd(['chat', ...words], { place: this.place, cwd: this.repository, stdin, ...options });
  }

  bnerd(words: readonly string[]): Promise<BnerdRun> {
    return bnerd(words, { place: this.place, cwd: this.repository });
  }
}

/** @param own files below the operator's folder; @param theirs files of the repository */
export async function chatting(
  own: Readonly<Record<string, string>> = {},
  theirs: Readonly<Record<string, string>> = {},
): Promise<Chatting> {
  const place = await bnerdPlace();
  const repository = join(place.root, 'repo');
  await putFiles(place.state, own);
  await putFiles(repository, { 'readme.txt': 'Nothing here.\n', ...theirs });
  commitAll(repository, 'all of it');
  return new Chatting(place, repository);
}

/** The text of an open file. */
export function skill(name: string, body: string, more: readonly string[] = []): string {
  return ['---', `name: ${name}`, `description: What ${name} is for`, ...more, '---', body, ''].join('\n');
}

/** The flags and variables that lead to a far side. */
export function wayTo(
  wire: 'anthropic' | 'openai-compatible',
  url: string,
): {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (wire === 'anthropic') {
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url.replace(/\/v1$/, '') };
    return { words: ['--model', 'anthropic/claude-sonnet-5-5'], env };
  }
  return {
    words: ['--model', 'openai-compatible/local'],
    env: { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: KEY },
  };
}

export const WIRES = ['anthropic', 'openai-compatible'] as const satisfies readonly Wire[];
