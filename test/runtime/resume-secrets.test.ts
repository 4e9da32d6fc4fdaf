// Invariant 8 where a team is taken up in another environment: what is secret now and stands in the record verbatim, and
// what was secret then and is known to nobody now.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { NO_SECRETS, type Redactor, redactorOf } from '../../src/shared/secrets/redactor.js';
import { settingsOf } from '../helpers/model-settings.js';
import { farSide } from '../helpers/provider-team.js';
import type { Deed, FarSide, Seen } from '../helpers/providers/far-side.js';
import { resumeJob, startJob, type TestHouse, writeMission } from '../helpers/team.js';

const VALUE = 'kestrel-7Qm9Zt2LbWq';
const MODEL = 'openai-compatible/any';
const KNOWN = redactorOf([{ name: 'LATE_TOKEN', value: VALUE }]);

/** The worker reads a file, asks the operator, writes what it was told of the file, and is done. Both say what they know. */
function respond(seen: Seen): Deed {
  const all = seen.messages.map(({ text }) => text).join('\n');
  const known = `${seen.system.join('\n')}\n${all}`.includes(VALUE) ? VALUE : 'nothing';
  const call = (tool: string, args: Record<string, unknown>): Deed => ({
    kind: 'reply',
    text: `It is ${known}.`,
    calls: [{ tool, arguments: args }],
  });
  if (seen.system.join('\n').includes('You are boss.')) {
    return all.includes('completed #1')
      ? call('team_finish', { outcome: 'done', result: 'All of it.' })
      : { kind: 'reply', text: 'I wait.' };
  }
  if (!all.includes('Task #1')) return { kind: 'reply', text: 'Ready.' };
  const word = /word: (\S+)/.exec(all)?.[1] ?? known;
  const steps: Deed[] = [
    call('team_task_claim', { task: '#1' }),
    call('fs_read_file', { path: 'note.txt' }),
    call('ask_question', { question: `May I use ${known}?` }),
    call('fs_write_file', { path: 'copy.txt', content: word }),
    call('team_task_complete', { task: '#1', summary: `It was ${known}.` }),
  ];
  const results = seen.messages.filter(({ role }) => role === 'tool').length;
  return steps[results] ?? { kind: 'reply', text: 'Done.' };
}

async function stopped(
  secrets: Redactor,
): Promise<{ at: TestHouse; far: FarSide; id: string; folder: string }> {
  const far = await farSide('openai-compatible', respond);
  const written = await writeMission({
    script: {},
    recipe: {
      model: MODEL,
      tasks: [{ id: 'one', subject: 'Look', description: `Not ${VALUE}`, role: 'worker-of-parts' }],
    },
    contract: `The word is ${VALUE}.`,
    roles: {
      boss: {},
      'worker-of-parts': { base: 'write', prompt: `You are worker. Use ${VALUE}.` },
    },
    files: { 'note.txt': `word: ${VALUE}\n` },
  });
  const models = settingsOf({ variables: { OPENAI_COMPATIBLE_BASE_URL: far.url } });
  const at = { ...written, house: { ...written.house, secrets, models } };
  const team = await startJob(at, { prompt: `Look at ${VALUE}.` }, true);
  await team.fact('request.opened', ({ kind }) => kind === 'question');
  await team.live.stop('stop');
  await team.ended();
  return { at, far, id: team.live.id, folder: team.live.folder };
}

function knowing(at: TestHouse, secrets: Redactor): TestHouse {
  return { ...at, house: { ...at.house, secrets } };
}

async function below(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')))).join(
    '\n',
  );
}

test('a secret that is new at a resume goes into no model and no new fact, and the operator is told where it stands', async () => {
  const { at, far, id } = await stopped(NO_SECRETS);
  const before = far.seen.length;
  expect(JSON.stringify(far.seen.map(({ body }) => body))).toContain(VALUE);
  const team = await resumeJob(knowing(at, KNOWN), id, true);
  await team.live.answer('r1', { kind: 'text', text: `Yes, ${VALUE}` });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const sent = far.seen.slice(before).map(({ body }) => JSON.stringify(body));
  expect(sent.length).toBeGreaterThan(2);
  for (const body of sent) expect(body).not.toContain(VALUE);
  expect(JSON.stringify(team.journal)).not.toContain(VALUE);
  expect(team.of('run.resumed')[0]?.findings).toContainEqual(
    expect.objectContaining({ code: 'secret-in-record', severity: 'warning' }),
  );
});

test('a secret that is new at a resume and is a name of the run refuses it, and nothing is written', async () => {
  const { at, id, folder } = await stopped(NO_SECRETS);
  const before = await below(join(folder, 'transcripts'));
  const options = { operatorPresent: false, takeOver: false, onEntry: () => {} };
  const house = { ...at.house, secrets: redactorOf([{ name: 'ODD_TOKEN', value: 'worker-of-parts' }]) };
  expect(await resumeTeam(house, id, options)).toMatchObject({
    kind: 'refused',
    findings: [expect.objectContaining({ code: 'secret-in-name' })],
  });
  expect(await below(join(folder, 'transcripts'))).toBe(before);
  const resumed = await resumeJob(at, id, true);
  await resumed.live.answer('r1', { kind: 'text', text: 'Yes' });
  expect(await resumed.ended()).toMatchObject({ reason: 'done' });
});

test('a secret that nobody knows any more at a resume stays out of what was kept, and its placeholder is still refused', async () => {
  const { at, far, id, folder } = await stopped(KNOWN);
  expect(await below(folder)).not.toContain(VALUE);
  const before = far.seen.length;
  const team = await resumeJob(knowing(at, NO_SECRETS), id, true);
  await team.live.answer('r1', { kind: 'text', text: 'Yes' });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const inputs = far.seen
    .slice(before)
    .flatMap(({ system, messages }) => [
      ...system,
      ...messages.filter(({ role }) => role !== 'assistant').map(({ text }) => text),
    ]);
  expect(inputs.join('\n')).toContain('[secret:LATE_TOKEN]');
  expect(inputs.join('\n')).not.toContain(VALUE);
  expect(team.results('worker-of-parts').join('\n')).toContain(
    'was not run: its arguments hold [secret:LATE_TOKEN]',
  );
});
