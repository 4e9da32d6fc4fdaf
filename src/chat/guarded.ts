/**
 * The catalogue of a chat behind its guards: nothing is advertised or made active before the guards have seen it. What
 * they said of a text is kept as long as file and text are the same; a load asks them again.
 */

import type { GuardHit } from '../runtime/chat/chat-order.js';
import { inGroups } from '../shared/in-groups.js';
import type { Entry } from '../skills/entry.js';
import type { Registry } from '../skills/registry.js';
import { type ChatCatalogue, chatCatalogue, guardText } from './catalogue.js';
import type { ChatParts } from './parts.js';

export class GuardedCatalogue {
  readonly #parts: Pick<ChatParts, 'guard' | 'tell'>;
  /** What was said, by path. */
  #seen = new Map<string, { readonly digest: string; readonly hits: readonly GuardHit[] }>();

  constructor(parts: Pick<ChatParts, 'guard' | 'tell'>) {
    this.#parts = parts;
  }

  /** The catalogue of a registry; tells of each entry that a guard keeps out, once. Rejects when the signal fires. */
  async of(registry: Registry, signal: AbortSignal): Promise<ChatCatalogue> {
    const asked = registry.entries.filter(({ trust }) => trust === 'instruction');
    const judged = await inGroups(asked, (entry) => this.#judge(entry, signal), signal);
    this.#seen = new Map(judged.map(({ path, ...said }) => [path, said]));
    return chatCatalogue(registry, new Map(judged.map(({ path, hits }) => [path, hits])));
  }

  async #judge(
    entry: Entry,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly digest: string; readonly hits: readonly GuardHit[] }> {
    const { path, digest, name } = entry;
    const seen = this.#seen.get(path);
    if (seen?.digest === digest) return { path, ...seen };
    const hits = await this.#parts.guard(entry, signal);
    const [hit] = hits;
    if (hit !== undefined) this.#parts.tell({ kind: 'left-out', name, reason: guardText(hit) });
    return { path, digest, hits };
  }
}
