/**
 * How large a system prompt is against the window of the model that gets it (spec/skills.md §6): told when it is
 * large, warned of when it takes half, refused when it leaves too little to work in. The parts are named in prompt
 * order, so that the same files give the same words.
 */

import type { RosterMember } from '../../catalog/roster.js';
import { estimateTokens } from '../../models/estimate-tokens.js';
import type { PromptPart } from '../../models/model.js';
import type { ModelFacts } from '../../models/settings.js';
import type { Finding } from '../../shared/findings.js';
import { joinPrompt } from './compose-prompt.js';

/** From this size on the sizes of the parts are told even where the window is wide: someone pays for each call. */
const TOLD_BYTES = 32 * 1024;
const WARNED_SHARE = 0.5;
const REFUSED_SHARE = 0.9;

/** At most one finding about one member's prompt. */
export function promptSizeFindings(
  member: RosterMember,
  parts: readonly PromptPart[],
  model: { readonly id: string; readonly facts: ModelFacts },
): Finding[] {
  const prompt = joinPrompt(parts);
  const bytes = Buffer.byteLength(prompt);
  const tokens = estimateTokens(prompt);
  const window = model.facts.contextTokens;
  const share = window === null ? 0 : tokens / window;
  if (share < WARNED_SHARE && bytes < TOLD_BYTES) return [];
  const of = window === null ? '' : `, ${Math.floor(share * 100)} % of the ${window} tokens of ${model.id}`;
  const sizes = parts.map(({ name, text }) => `${name} ${Buffer.byteLength(text)}`).join(', ');
  const message = `the system prompt of ${member.name} has ${bytes} bytes, about ${tokens} tokens${of}; bytes by part: ${sizes}`;
  const place = { path: member.role.path, message };
  const shorten = 'take skills off the role or shorten them, or give it a model with a larger window';
  if (share > REFUSED_SHARE) {
    const remedy = `${shorten}; at most 90 % are allowed`;
    return [{ code: 'prompt-too-large', severity: 'error', ...place, remedy }];
  }
  if (share >= WARNED_SHARE) {
    return [{ code: 'prompt-large', severity: 'warning', ...place, remedy: shorten }];
  }
  return [
    { code: 'prompt-size', severity: 'info', ...place, remedy: 'nothing to do; each model call is sent it' },
  ];
}
