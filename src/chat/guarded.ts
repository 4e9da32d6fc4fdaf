/**
 * The catalogue of a chat behind its guards: nothing is advertised or made active before the guards have seen it. What
 * they said of a text is kept as long as file and text are the same; a load asks them again.
 */

import { cancelled } from '../shared/abort.js';
import { inGroups } from '../shared/in-groups.js';
import type { Entry } from '../skills/entry.js';
import { type GuardHit, hitText } from '../skills/guards/guard-entry.js';
import type { Registry } from '../skills/registry.js';
import { type ChatCatalogue, chatCatalogue } from './catalogue.js';
import type { ChatParts } from './parts.js';

interface Judged {
  readonly path: string;
  readonly digest: string;
  readonly name: string;
  readonly hits: readonly GuardHit[];
}

export class GuardedCatalogue {
  readonly #parts: Pick<ChatParts, 'guard' | 'tell'>;
  /** What was said, by path. */
  #seen: ReadonlyMap<string, Judged> = new Map();

  constructor(parts: Pick<ChatParts, 'guard' | 'tell'>) {
    this.#parts = parts;
  }

  /** The catalogue of a registry; tells of each entry that a guard keeps out, once. Rejects when the signal fires. */
  async of(registry: Registry, signal: AbortSignal): Promise<ChatCatalogue> {
    const asked = registry.entries.filter(
      ({ trust, name }) => trust === 'instruction' && !registry.disabled.has(name),
    );
    const judged = await inGroups(asked, (entry) => this.#judge(entry, signal), signal);
    // A guard that was called off says so as a hit; that is no word on the entry.
    if (signal.aborted) throw cancelled(signal);
    for (const { path, digest, name, hits } of judged) {
      const [hit] = hits;
      const isNews = this.#seen.get(path)?.digest !== digest;
      if (hit !== undefined && isNews)
        this.#parts.tell({ kind: 'left-out', name, reason: `guard ${hitText(hit)}` });
    }
    this.#seen = new Map(judged.map((said) => [said.path, said]));
    return chatCatalogue(registry, new Map(judged.map(({ path, hits }) => [path, hits])));
  }

  async #judge(entry: Entry, signal: AbortSignal): Promise<Judged> {
    const { path, digest, name } = entry;
    const seen = this.#seen.get(path);
    const hits = seen?.digest === digest ? seen.hits : await this.#parts.guard(entry, signal);
    return { path, digest, name, hits };
  }
}
