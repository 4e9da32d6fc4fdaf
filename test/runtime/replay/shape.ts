/** What two runs that are the same have in common. */
import type { Fact } from '../../../src/events/event.js';
import type { WatchedTeam } from '../../helpers/team.js';

/** Facts without times, ids of teams, paths, and what the models are called and cost. */
export function shape(team: WatchedTeam): unknown[] {
  const { id, workspace, folder } = team.live;
  return team.facts.map((fact) => {
    const text = JSON.stringify(withoutTimes(fact))
      .replaceAll(workspace, '<workspace>')
      .replaceAll(folder, '<folder>')
      .replaceAll(id, '<team>')
      .replaceAll(/"(record|replay)\/[^"]*"/g, '"<model>"');
    return JSON.parse(text) as unknown;
  });
}

function withoutTimes(fact: Fact): unknown {
  const timed = new Set(['waited_ms', 'elapsed_ms', 'cost_usd', 'model_file', 'expires_ms']);
  return JSON.parse(
    JSON.stringify(fact, (key, value: unknown) => {
      if (timed.has(key)) return undefined;
      // Over the path of a workspace that is made for each run.
      if (key === 'digest' && 'request' in fact) return undefined;
      return value;
    }),
  );
}
