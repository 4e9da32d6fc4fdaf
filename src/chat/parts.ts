/** What a chat is made of, and what it tells of itself: the basis that `runtime/chat` assembles, and the person's side. */

import type { ChatBasis } from '../runtime/chat/chat-order.js';
import type { RequestView } from '../team/show/status.js';
import type { Why } from './session.js';

export interface ChatParts extends ChatBasis {
  /** Asks the person there; null where nobody is. Resolves to `deny` when the signal fires. */
  readonly confirm: ((request: RequestView, signal: AbortSignal) => Promise<'approve' | 'deny'>) | null;
  /** Waits; rejects with `CancelledError` when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  tell(note: ChatNote): void;
}

/** What happens in a chat, for whoever shows it. */
export type ChatNote =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'calling'; readonly tool: string; readonly summary: string }
  | {
      readonly kind: 'became-active';
      readonly name: string;
      readonly why: Why;
      /** The keyword, where one woke it. */
      readonly detail: string | null;
    }
  /** An entry that would be active is not, or is it no more. */
  | { readonly kind: 'left-out'; readonly name: string; readonly reason: string }
  /** Tools of an entry that becomes active, of classes that the safety mode does not admit. */
  | { readonly kind: 'withheld'; readonly name: string; readonly tools: readonly string[] }
  | { readonly kind: 'dropped'; readonly turns: number }
  | { readonly kind: 'too-large'; readonly tokens: number; readonly window: number }
  | {
      readonly kind: 'waiting';
      readonly why: 'rate_limited' | 'unavailable';
      readonly waitMs: number;
      readonly detail: string;
    };
