/** The end of a run that no process runs: stopped, and swept until that is recorded. */

import { ulid } from '../shared/ids.js';
import type { Outcome, TeamStore } from '../state/team-store.js';
import type { House } from './house.js';

/** Nobody runs it, so no turn is live whatever the record last said: the end can be written at once. */
export async function stopAlone(house: House, store: TeamStore): Promise<Outcome> {
  const id = (): string => `operator/${ulid(house.clock.wallMs())}`;
  const nothing: Outcome = { kind: 'accepted', facts: [], first: null };
  if (store.state.phase.kind === 'ended') return nothing;
  const stopped = await store.send(id(), { kind: 'run.stop', by: house.user, cause: 'stop' });
  if (stopped.kind === 'refused') return stopped;
  await store.send(id(), { kind: 'run.kill', by: house.user });
  for (;;) {
    // What is overdue is said first, one sweep a kind; the end comes with the last.
    const swept = await store.send(id(), {
      kind: 'run.sweep',
      operatorPresent: false,
      missingArtifacts: [], // It is being stopped: it does not end well.
    });
    if (swept.kind === 'refused' || swept.facts.length === 0) return swept;
    if (swept.facts.some((fact) => fact.type === 'run.ended')) return swept;
  }
}
