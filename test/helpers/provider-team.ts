/**
 * A team of two that speaks with a provider, and its far side: which keeps nothing and computes every answer from the
 * request alone. The worker looks at the environment of its tools; what the lead reports stands in what the worker
 * said, and that in what the tool has printed.
 */

import { onTestFinished } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import type { Deed, FarSide, Respond, Seen, Wire } from './providers/far-side.js';
import { startFarSide } from './providers/start-far-side.js';
import type { Mission } from './team.js';
import { deadEnd } from './trap.js';

/** A boss and a worker; without a `model:` anywhere unless the test says one. */
export function providerTeam(more: Partial<Mission> = {}): Mission {
  return {
    script: {},
    ...more,
    recipe: {
      model: undefined,
      safety: 'full',
      tasks: [{ id: 'look', subject: 'Look around', role: 'worker' }],
      ...more.recipe,
    },
    roles: { boss: {}, worker: { base: 'write' }, ...more.roles },
  };
}

/** What every answer of the far side counts. */
export const USAGE = { input: 1_000, cached: 400, cacheWrite: 100, output: 50 } as const;

/** Plays both members. */
export const twoAtWork: Respond = (seen) => {
  const system = seen.system.join('\n');
  if (system.includes('You are boss.')) return boss(seen);
  if (system.includes('You are worker.')) return worker(seen);
  throw new Error(`nobody of this team is asked: ${system.slice(0, 200)}`);
};

function boss(seen: Seen): Deed {
  const done = /has completed #1/.test(everything(seen));
  const word = /home is (\S+)/.exec(everything(seen))?.[1] ?? 'nowhere';
  if (!done) return says('I wait.');
  return calls('team_finish', { outcome: 'done', result: `The home of tools is ${word}` });
}

function worker(seen: Seen): Deed {
  const all = everything(seen);
  if (!all.includes('Task #1 is ready')) return says('Ready.');
  if (!all.includes('is yours, attempt')) return calls('team_task_claim', { task: '#1' });
  const home = /^HOME=(\S+)$/m.exec(all)?.[1];
  if (home === undefined) return calls('shell_exec', { command: 'env' });
  const said = seen.messages.some(
    (message) =>
      message.role === 'assistant' && message.calls.some(({ tool }) => tool === 'team_task_complete'),
  );
  if (said) return says('Done.');
  return calls('team_task_complete', { task: '#1', summary: `home is ${home}` });
}

function everything(seen: Seen): string {
  return seen.messages.map((message) => message.text).join('\n');
}

function says(text: string): Deed {
  return { kind: 'reply', text, usage: USAGE };
}

function calls(tool: string, args: Record<string, unknown>): Deed {
  return { kind: 'reply', text: '', calls: [{ tool, arguments: args }], usage: USAGE };
}

/** A far side that is closed with the test. */
export async function farSide(wire: Wire, respond: Respond): Promise<FarSide> {
  const releases = new Releases();
  onTestFinished(() => releases.run());
  return startFarSide(wire, respond, releases);
}

export interface Trap {
  readonly url: string;
  /** How many connections have come in. */
  readonly caught: () => number;
}

/** A server at which nothing may arrive. */
export async function trap(): Promise<Trap> {
  const { port, caught } = await deadEnd();
  return { url: `http://127.0.0.1:${port}`, caught };
}
