/**
 * A team among secrets: they stand in its role file, its recipe, its order, its files, what its tools print, what the
 * operator answers, and its model knows them and says them in every encoding. The far side computes what it does next
 * from what it was sent.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sendToTeam } from '../../src/runtime/operator.js';
import { NO_SECRETS, type Redactor } from '../../src/shared/secrets/redactor.js';
import { settingsOf } from '../helpers/model-settings.js';
import { farSide, providerTeam } from '../helpers/provider-team.js';
import type { Deed, FarSide, Respond, Seen } from '../helpers/providers/far-side.js';
import { ORDER, startJob, type TestHouse, type WatchedTeam, writeMission } from '../helpers/team.js';
import { encodings } from '../shared/secrets/encodings.js';

/** By variable. The first is the key with which the provider is asked. */
export const VALUES = {
  ANTHROPIC_API_KEY: 'sk-ant-4n7hQw9ZxT2mB8',
  DB_PASSWORD: 'p"a\\s/s%4 w+o=r?d&',
} as const;

export const SECRETS = Object.entries(VALUES).map(([name, value]) => ({ name, value }));

/** Everything that a value may look like, a line each. */
function everyForm(): string {
  return SECRETS.flatMap(({ value }) => Object.values(encodings(value))).join('\n');
}

export interface Played {
  readonly at: TestHouse;
  readonly team: WatchedTeam;
  readonly far: FarSide;
  /** What the operator was told of their word to the team. */
  readonly told: string;
}

/** Plays the team to its end in a house that knows these secrets. */
export async function playAmongSecrets(secrets: Redactor): Promise<Played> {
  const far = await farSide('anthropic', amongSecrets);
  const forms = everyForm();
  const written = await writeMission(
    providerTeam({
      recipe: {
        model: 'sonnet',
        tasks: [
          { id: 'look', subject: 'Look around', description: `Not ${VALUES.DB_PASSWORD}`, role: 'worker' },
        ],
      },
      contract: `Our key is ${VALUES.ANTHROPIC_API_KEY}.`,
      roles: {
        boss: {},
        worker: { base: 'write', prompt: `You are worker. Use ${VALUES.ANTHROPIC_API_KEY}.` },
      },
      files: { 'notes.txt': `${forms}\n`, 'key.txt': VALUES.DB_PASSWORD },
    }),
  );
  const models = settingsOf({
    variables: { ANTHROPIC_API_KEY: VALUES.ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL: far.url },
  });
  const at = { ...written, house: { ...written.house, secrets, models } };
  const team = await startJob(at, { ...ORDER, prompt: `Look. The password is ${VALUES.DB_PASSWORD}.` }, true);
  const { request } = await team.fact('request.opened', ({ kind }) => kind === 'question');
  const sent = await sendToTeam(at.house, team.live.id, 'lead', `Mind ${VALUES.DB_PASSWORD}`);
  await team.live.answer(request, { kind: 'text', text: `It is ${VALUES.DB_PASSWORD}` });
  await team.ended();
  return { at, team, far, told: sent.kind === 'done' ? sent.text : JSON.stringify(sent.findings) };
}

/** Plays the same with nobody who knows a secret: what then stands where. */
export function playInTheOpen(): Promise<Played> {
  return playAmongSecrets(NO_SECRETS);
}

const amongSecrets: Respond = (seen) => {
  const system = seen.system.join('\n');
  return system.includes('You are boss.') ? boss(seen) : worker(seen);
};

function boss(seen: Seen): Deed {
  const all = seen.messages.map(({ text }) => text).join('\n');
  if (!all.includes('has completed #1')) return { kind: 'reply', text: `I wait.\n${everyForm()}` };
  return calls('team_finish', { outcome: 'done', result: `All of it:\n${everyForm()}` });
}

/** What the worker does, one after the other; how far it is stands in the results it was sent. */
const STEPS: readonly [string, Record<string, unknown>][] = [
  ['team_task_claim', { task: '#1' }],
  ['fs_read_file', { path: 'notes.txt' }],
  ['fs_grep', { pattern: '.' }],
  ['shell_exec', { command: 'cat notes.txt' }],
  // Far more than is kept: what is left out begins and ends within the value.
  ['shell_exec', { command: 'yes "$(cat key.txt)" | head -c 200001 | tr -d "\\n"' }],
  ['shell_exec', { command: 'env' }],
  ['fs_write_file', { path: 'stolen.txt', content: VALUES.DB_PASSWORD }],
  ['shell_exec', { command: `echo ${Buffer.from(VALUES.DB_PASSWORD).toString('hex')} > stolen.hex` }],
  ['fs_read_file', { path: `${VALUES.ANTHROPIC_API_KEY}.txt` }],
  ['team_send_message', { to: 'lead', message: everyForm() }],
  [`team_${VALUES.ANTHROPIC_API_KEY}`, {}],
  ['ask_question', { question: `Is it ${VALUES.DB_PASSWORD}?` }],
  [
    'team_task_complete',
    { task: '#1', summary: everyForm(), evidence: [], artifacts: [`${VALUES.ANTHROPIC_API_KEY}.md`] },
  ],
  ['team_task_complete', { task: '#1', summary: everyForm() }],
];

function worker(seen: Seen): Deed {
  const results = seen.messages.filter(({ role }) => role === 'tool').length;
  const [tool, args] = STEPS[results] ?? [];
  const all = seen.messages.map(({ text }) => text).join('\n');
  if (tool === undefined || args === undefined || !all.includes('#1'))
    return { kind: 'reply', text: 'Done.' };
  return calls(tool, args);
}

function calls(tool: string, args: Record<string, unknown>): Deed {
  return { kind: 'reply', text: '', calls: [{ tool, arguments: args }] };
}

/** Every sink that a run leaves something in: by its name, all that went there. */
export async function sinksOf({ at, team, far, told }: Played): Promise<ReadonlyMap<string, string>> {
  const sinks = new Map<string, string>();
  const add = (name: string, text: string): void => {
    sinks.set(name, `${sinks.get(name) ?? ''}\n${text}`);
  };
  for (const { path, text } of await filesBelow(at.house.home)) {
    const [, , kind = ''] = path.split('/');
    add(kind === '' || !path.startsWith('runs/') ? 'other files' : kind, `${path}\n${text}`);
  }
  for (const piece of new Set(far.seen.flatMap(({ body }) => piecesOf(body)))) add('requests', piece);
  for (const row of team.journal) add('told', JSON.stringify(row));
  add('result', JSON.stringify(await team.ended()));
  add('operator', told);
  return sinks;
}

/** A body in parts: what was sent before stands in every later one. */
function piecesOf({ messages, ...rest }: Readonly<Record<string, unknown>>): string[] {
  return [...(Array.isArray(messages) ? messages : [messages]), rest].map(
    (piece) => JSON.stringify(piece) ?? '',
  );
}

async function filesBelow(root: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { path: path.slice(root.length + 1), text: await readFile(path, 'latin1') };
    }),
  );
}
