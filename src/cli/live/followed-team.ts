/**
 * What a follower of a log tells people: the lines of progress, and each request that waits, in a block with the command
 * that answers it (spec/team.md §3, §7 `watch`). Pure but for what it keeps in mind of the team.
 *
 * Always true: a request of a kind that a newer version has is shown and can be answered by its id (case E108).
 */

import { type Fact, type FactOf, fact } from '../../events/event.js';
import { endedBy } from '../../runtime/ended.js';
import { closingLines } from './closing.js';
import type { StoredEntry, StoredFact } from './follow-log.js';
import { escapedInOneLine } from './marked-text.js';
import { progressLines } from './progress.js';
import { answerWords, requestBlock, type ShownRequest } from './prompt-blocks.js';

export interface FollowedPlace {
  readonly team: string;
  readonly workingDirectory: string;
}

export class FollowedTeam {
  readonly #place: FollowedPlace;
  readonly #subjects = new Map<string, string>();
  /** Open requests that no block was shown of. */
  readonly #untold = new Map<string, ShownRequest>();
  #lead = '';
  #workspace = '';
  #seats: FactOf<'run.started'>['seats'] = [];

  constructor(place: FollowedPlace) {
    this.#place = place;
  }

  /**
   * The lines of an entry.
   * @param from number of the first fact that is told; those before it are kept in mind
   */
  entry({ first, at, facts: stored }: StoredEntry, from: number): string[] {
    const lines: string[] = [];
    const known: Fact[] = [];
    for (const [place, one] of stored.entries()) {
      const parsed = fact.safeParse(one);
      if (parsed.success) this.#keep(parsed.data);
      this.#keepRequest(one, at);
      if (first + place < from) continue;
      if (parsed.success) known.push(parsed.data);
      else if (one.type !== 'request.opened')
        lines.push(`not known to this version: ${escapedInOneLine(one.type)}`);
    }
    const progress = progressLines(known, {
      team: this.#place.team,
      lead: this.#lead,
      operatorPresent: false,
      at,
      subject: (task) => this.#subjects.get(task) ?? null,
      workingDirectory: this.#place.workingDirectory,
    });
    const ends = known.flatMap((one) => (one.type === 'run.ended' ? this.#end(one) : []));
    return [...lines, ...progress.map(({ text }) => text), ...ends];
  }

  /** The blocks of requests that wait and were not shown in one. */
  blocks(): string[] {
    const shown = [...this.#untold.values()];
    this.#untold.clear();
    return shown.flatMap((request) => [
      ...requestBlock(request).lines,
      ...(request.principals.includes('lead') ? ['  the lead may decide it; so may you:'] : []),
      `  answer: bnerd team answer ${this.#place.team} ${request.id} ${answerWords(request)}`,
    ]);
  }

  #keep(one: Fact): void {
    if (one.type === 'run.started') {
      this.#lead = one.seats.find(({ lead }) => lead)?.member ?? '';
      this.#workspace = one.workspace.path;
      this.#seats = one.seats;
    } else if (one.type === 'task.created') {
      this.#subjects.set(one.task, one.spec.subject);
    } else if (one.type === 'task.updated' && one.subject !== null) {
      this.#subjects.set(one.task, one.subject);
    }
  }

  #keepRequest(one: StoredFact, at: number): void {
    const id = one['request'];
    if (typeof id !== 'string') return;
    if (one.type === 'request.opened') this.#untold.set(id, shownRequest(id, one, at));
    else if (one.type.startsWith('request.')) this.#untold.delete(id);
  }

  #end(end: FactOf<'run.ended'>): string[] {
    const stdout = { kind: 'not-asked' } as const;
    return closingLines({
      team: this.#place.team,
      workspace: this.#workspace,
      ended: endedBy(end, { seats: this.#seats }),
      stdout,
    });
  }
}

/** A request as the log has it; what a newer version writes otherwise is shown as the text it is. */
function shownRequest(id: string, opened: StoredFact, at: number): ShownRequest {
  const text = (name: string): string | null => {
    const value = opened[name];
    if (value === null || value === undefined) return null;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const principals: unknown = opened['principals'];
  const expires: unknown = opened['expires_ms'];
  return {
    id,
    kind: text('kind') ?? 'unknown',
    member: escapedInOneLine(text('member') ?? 'the team'),
    state: 'open',
    principals: Array.isArray(principals) ? principals.map(String) : [],
    tool: text('tool') ?? '',
    class: text('class'),
    summary: text('summary') ?? '',
    arguments: text('arguments') ?? '{}',
    context: text('context'),
    policy: text('policy') ?? '',
    digest: text('digest') ?? '',
    always: text('always'),
    task: text('task'),
    opened_ms: at,
    expires_ms: typeof expires === 'number' ? expires : null,
    left_ms: typeof expires === 'number' ? Math.max(0, expires - at) : null,
    decision: null,
    by: null,
  };
}
