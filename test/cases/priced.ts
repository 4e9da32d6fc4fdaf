/** A provider whose model has a price, and words for what it answers: for cases in which money or patience runs out. */

import { onTestFinished } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { settingsOf } from '../helpers/model-settings.js';
import type { Deed, FarSide, Respond, Seen } from '../helpers/providers/far-side.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { type Mission, type TestHouse, writeMission } from '../helpers/team.js';

/** A house whose `anthropic/claude-test` is a far side, at a dollar per thousand tokens. */
export async function behind(mission: Mission, respond: Respond): Promise<{ at: TestHouse; far: FarSide }> {
  const releases = new Releases();
  onTestFinished(() => releases.run());
  const far = await startFarSide('anthropic', respond, releases);
  const at = await writeMission({
    ...mission,
    recipe: { ...mission.recipe, model: 'anthropic/claude-test' },
  });
  const price = { input: 1_000, cachedInput: 100, cacheWrite: 1_000, output: 1_000 };
  const models = settingsOf({
    variables: { ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: far.url },
    declared: { 'anthropic/claude-test': { price, contextTokens: 200_000, maxOutputTokens: 2_000 } },
  });
  return { at: { ...at, house: { ...at.house, models } }, far };
}

/** What every answer counts. */
const USAGE = { input: 3_000, output: 500 };

export const call = (tool: string, args: Record<string, unknown>): Deed => ({
  kind: 'reply',
  text: 'so far',
  calls: [{ tool, arguments: args }],
  usage: USAGE,
});
export const say = (text: string): Deed => ({ kind: 'reply', text, usage: USAGE });

export const isBoss = (seen: Seen): boolean => seen.system.join('\n').includes('You are boss.');
export const heard = (seen: Seen): string => seen.messages.map(({ text }) => text).join('\n');
export const called = (seen: Seen, tool: string): boolean =>
  seen.messages.some(
    (message) => message.role === 'assistant' && message.calls.some((one) => one.tool === tool),
  );
