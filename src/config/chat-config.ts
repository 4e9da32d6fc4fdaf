/** What one chat is given: flags and variables, resolved to values with every default set (spec/skills.md §8). */

import { AUTO_APPROVE, SAFETY_MODES } from './run-config.js';
import { readChoice, ValueReader } from './values.js';
import { type Layers, type Resolved, type Written, writtenValue, writtenValues } from './written.js';

export const CHAT_MODES = ['chat', 'code', 'pa'] as const;

export interface ChatConfig {
  readonly mode: (typeof CHAT_MODES)[number];
  readonly role: string | null;
  /** Null: the floor of the mode. */
  readonly safety: (typeof SAFETY_MODES)[number] | null;
  readonly autoApprove: (typeof AUTO_APPROVE)[number];
  /** As written, `<model>` or `<role>=<model>`. */
  readonly models: readonly string[];
}

/** Every refusal at once. Mode and role have no variable: one that stands would be a trap. */
export function resolveChatConfig(layers: Layers): Resolved<ChatConfig> {
  const reader = new ValueReader();
  const typed = (flag: string): Written | undefined => {
    const text = layers.flags.get(flag)?.at(-1);
    return text === undefined ? undefined : { text, place: `--${flag}` };
  };
  const value: ChatConfig = {
    mode: reader.valueOr<ChatConfig['mode']>(typed('mode'), 'chat', (written) =>
      readChoice(written, CHAT_MODES),
    ),
    role: typed('role')?.text.trim() ?? null,
    safety: reader.valueOr<ChatConfig['safety']>(writtenValue(layers, 'safety'), null, (written) =>
      readChoice(written, SAFETY_MODES),
    ),
    autoApprove: reader.valueOr<ChatConfig['autoApprove']>(
      writtenValue(layers, 'auto-approve'),
      'never',
      (written) => readChoice(written, AUTO_APPROVE),
    ),
    models: writtenValues(layers, 'model').map(({ text }) => text.trim()),
  };
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}
