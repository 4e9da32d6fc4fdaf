/** Members that ask: a worker whose calls leave effects that can be counted, and the checks that its asking was answered. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemCode } from '../../src/shared/errors.js';
import type { Mission, TestHouse, WatchedTeam } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { type Call, finish, shell, type Turn, when } from './play.js';

/** Leaves a line in a file of the workspace: an effect that can be counted. */
export const effect = (name: string): Call => shell(`sh effect.sh ${name}`);
export const FILES = { 'effect.sh': 'echo "$1" >> effects\necho "$1 took effect"\n' };

/** One worker with one task of these turns; the lead closes the team. */
export function oneWorker(turns: readonly Turn[], role: object = {}, recipe: object = {}): Mission {
  return {
    recipe: { ...recipe, tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write', ...role } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns },
    },
    files: FILES,
  };
}

/** Waits until a member waits for this request, and gives its name. */
export function parkedOn(team: WatchedTeam, request: string): Promise<string> {
  const waits = (): string | undefined =>
    [...team.live.state().members.values()].find(
      ({ life }) => life.kind === 'parked' && life.request === request,
    )?.name;
  return until(waits, { what: `a member waits for ${request}` });
}

/** The lines that effects have left, oldest first. */
export async function effects(at: TestHouse): Promise<string[]> {
  try {
    return (await readFile(join(at.workspace, 'effects'), 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Each decision of a person or the lead is the next thing in its asker's memory, and the model has gone on from it. */
export function expectAnswered(...teams: readonly WatchedTeam[]): void {
  const rows = teams.flatMap((team) => team.journal);
  const opened = new Map(
    rows.flatMap((row) =>
      row.kind === 'fact' && row.fact.type === 'request.opened'
        ? [[row.fact.request, row.fact] as const]
        : [],
    ),
  );
  for (const [index, row] of rows.entries()) {
    if (row.kind !== 'fact' || row.fact.type !== 'request.decided' || row.fact.by.kind === 'policy') continue;
    const request = opened.get(row.fact.request);
    const memory = rows
      .slice(index)
      .flatMap((later) =>
        later.kind === 'transcript' && later.member === request?.member && later.entry.kind !== 'opened'
          ? [later.entry]
          : [],
      );
    expect(memory[0]).toMatchObject({ kind: 'result', place: request?.place });
    expect(memory.some((entry) => entry.kind === 'reply')).toBe(true);
  }
}
