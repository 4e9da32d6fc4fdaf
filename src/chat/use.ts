/** Which entries are meant for a chat (spec/skills.md §1 `applies_to`). */

import type { ChatUse } from '../runtime/chat/chat-order.js';
import { roleIdentity } from '../shared/role-identity.js';
import type { Entry } from '../skills/entry.js';

/**
 * Whether an entry is meant for a chat of this mode and role. Decides what is offered, what a
 * keyword wakes and what is always on; never what a role lists or the operator loads.
 */
export function appliesTo({ appliesTo: names }: Entry, { mode, role }: ChatUse): boolean {
  if (names === null) return true;
  return names.some((name) => name === mode || (role !== null && roleIdentity(name) === roleIdentity(role)));
}
