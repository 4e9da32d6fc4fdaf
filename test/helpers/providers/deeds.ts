/** The two things that a scripted far side mostly does, each with a usage to book. */

import type { Deed } from './far-side.js';

const USAGE = { input: 100, output: 10 };

/** Answers with a text. */
export const says = (text: string): Deed => ({ kind: 'reply', text, usage: USAGE });

/** Answers with one call and no text. */
export const calls = (tool: string, args: Record<string, unknown>): Deed => ({
  kind: 'reply',
  text: '',
  calls: [{ tool, arguments: args }],
  usage: USAGE,
});
