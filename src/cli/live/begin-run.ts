/** From a command line to a live team, or to everything that is wrong with it; nothing is written before that. */

import { resolveConfig } from '../../config/config.js';
import { type RunConfig, resolveRunConfig } from '../../config/run-config.js';
import { NO_SETTINGS } from '../../config/settings.js';
import type { RunOrder } from '../../runtime/plan/prepare-run.js';
import { assertNever } from '../../shared/assert-never.js';
import type { Finding } from '../../shared/findings.js';
import { argument, type Call, wordsOf } from '../call.js';
import { operatedRun } from '../operations.js';
import { writeFindings } from '../refusal.js';
import { readAll } from '../terminal-input.js';
import type { Beginning, Begun } from './drive-team.js';

/** What is wished of a run, beside its recipe and its order. */
export type Wishes = Omit<RunOrder, 'slug' | 'prompt'>;

/**
 * Begins `team run`.
 * @param changed given by a command that runs a team otherwise: a new one each time, never one by its name
 */
export async function beginRun(
  call: Call,
  beginning: Beginning,
  changed?: (wishes: Wishes) => Wishes,
): Promise<Begun> {
  const { options, stopped, quiet, releases } = beginning;
  const { program, layers } = call;
  const { workingDirectory } = program;
  const config = await resolveConfig(layers, { needs: 'catalogue', workingDirectory });
  const settings = config.kind === 'resolved' ? config.value.settings : NO_SETTINGS;
  const run = resolveRunConfig(layers, settings, wordsOf(call, 'prompt'));
  if (config.kind === 'refused' || run.kind === 'refused') {
    const findings = [config, run].flatMap((one) => (one.kind === 'refused' ? one.findings : []));
    return { kind: 'refused', findings };
  }
  const { prompt: source, id, ...wishes } = run.value;
  const prompt = await promptOf(call, source, stopped);
  if (stopped.aborted) return { kind: 'cancelled' };
  if (typeof prompt !== 'string') return { kind: 'refused', findings: [prompt] };
  if (!quiet) writeFindings(program, settings.findings);
  // From here on each step loads what it needs: who is refused at one has not waited for those behind it.
  const { openHouse } = await import('../build-house.js');
  const asked = changed === undefined ? releases : null;
  const house = await operatedRun(call, await openHouse(call, config.value, 'run'), asked);
  if (house.kind === 'refused') return house;
  const order: RunOrder = { slug: argument(call, 'slug'), prompt, ...(changed?.(wishes) ?? wishes) };
  if (id !== null && changed === undefined) {
    const { beginNamed } = await import('./begin-named.js');
    return beginNamed(call, house.value, { ...beginning, id, order });
  }
  const { prepareRun } = await import('../../runtime/plan/prepare-run.js');
  const prepared = await prepareRun(house.value, order);
  if (prepared.kind === 'refused') return prepared;
  const { startTeam } = await import('../../runtime/start-team.js');
  if (stopped.aborted) return { kind: 'cancelled' };
  const team = await startTeam(house.value, prepared.plan, options);
  return { kind: 'live', house: house.value, team };
}

async function promptOf(
  { program }: Call,
  source: RunConfig['prompt'],
  stopped: AbortSignal,
): Promise<string | Finding> {
  if (source.kind === 'text') return source.text;
  const read = await readAll(program.input, stopped);
  switch (read.kind) {
    case 'text':
      if (read.text.trim() !== '') return read.text.trimEnd();
      return promptFinding('stdin is empty', 'write the prompt to stdin, or leave the flag out');
    case 'too-long':
      return promptFinding('stdin holds more than 1 MiB', 'shorten it, or name a file to read');
    case 'failed':
      return promptFinding(`stdin cannot be read: ${read.reason}`, 'write the prompt to stdin');
    case 'stopped':
      return promptFinding('stdin was not read to its end', 'start it again');
    default:
      return assertNever(read, 'what was read');
  }
}

function promptFinding(found: string, remedy: string): Finding {
  const message = `${found}; allowed: a text of at most 1 MiB`;
  return { code: 'bad-prompt', severity: 'error', path: '--prompt -', message, remedy };
}
