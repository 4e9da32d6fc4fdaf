import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseModels } from '../../src/models/choice/choose-model.js';
import { type OpenRequest, openModels } from '../../src/models/open-model.js';
import { NO_MODEL_SETTINGS } from '../../src/models/settings.js';
import { formatFinding } from '../../src/shared/findings.js';
import { NO_SECRETS } from '../../src/shared/secrets/redactor.js';
import { Conversation } from '../helpers/conversation.js';

const FIXTURES = new URL('../fixtures/scripts/', import.meta.url).pathname;

function choose(
  flags: readonly string[],
  roles: readonly string[],
  workingDirectory = FIXTURES,
): OpenRequest {
  const choices = chooseModels(
    {
      flags,
      roles: roles.map((name) => ({ name, path: `${name}.md`, model: null })),
      recipe: { path: 'team.md', model: null },
      config: { path: '~/.bnerd.yaml', model: null },
      recipeFolder: FIXTURES,
      workingDirectory,
    },
    NO_MODEL_SETTINGS,
  );
  expect(choices.findings).toEqual([]);
  return { ...choices, settings: NO_MODEL_SETTINGS, secrets: NO_SECRETS };
}

test('roles that chose one script speak with one model, and the script plays', async () => {
  const opened = await openModels(choose(['script/two-roles.yaml'], ['lead', 'reader']));
  if (opened.kind === 'refused') throw new Error(opened.findings.map(formatFinding).join('\n'));
  const [lead, reader] = [opened.byRole.get('lead'), opened.byRole.get('reader')];
  expect(lead).toBe(reader);
  if (lead === undefined || reader === undefined) throw new Error('a role has no model');
  expect(lead.id).toBe('script/two-roles.yaml');

  const leading = new Conversation(lead).tell('file: notes.md');
  expect((await leading.answer()).calls).toEqual([
    { tool: 'team_task_create', arguments: { subject: 'Read notes.md', role: 'reader' } },
  ]);
  await leading.results('#1').answer();
  const reading = new Conversation(reader, { role: 'reader' }).tell('task #1: Read notes.md');
  await reading.answer();
  expect((await reading.results('claimed', '1: a line\n2: another').answer()).calls[0]).toEqual({
    tool: 'team_send_message',
    arguments: { to: 'lead', text: 'line: a line' },
  });
  await reading.results().answer();
  expect((await leading.tell('mail from reader\nline: a line').answer()).calls).toEqual([
    { tool: 'team_finish', arguments: { outcome: 'done', result: 'a line' } },
  ]);
  expect([...leading.leftover(), ...reading.leftover()]).toEqual([]);
});

describe('a script that cannot come out right is refused before anything is made', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'open-model-'));
    await mkdir(join(folder, 'directory.yaml'));
    await writeFile(join(folder, 'binary.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    await writeFile(join(folder, 'large.yaml'), Buffer.alloc(1024 * 1024 + 1, 0x20));
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const rows: readonly (readonly [string, string])[] = [
    ['missing.yaml', 'the script cannot be read: there is no such file'],
    ['directory.yaml', 'the script cannot be read: it is not a regular file'],
    ['pipe.yaml', 'the script cannot be read: it is not a regular file'],
    ['binary.yaml', 'the script cannot be read: it is not UTF-8 text'],
    ['large.yaml', 'the script cannot be read: it has 1048577 bytes; at most 1048576 are read'],
  ];
  test.each(rows)('%s', async (file, message) => {
    const opened = await openModels(choose([`script/${file}`], ['lead'], folder));
    expect(opened).toMatchObject({
      kind: 'refused',
      findings: [
        {
          code: 'unreadable-file',
          severity: 'error',
          path: file,
          message,
          remedy: 'name a readable YAML file as script/<file>',
        },
      ],
    });
  });

  test('a step too many', async () => {
    const opened = await openModels(choose(['script/step-missing.yaml'], ['lead']));
    expect(opened).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'step-missing', path: 'step-missing.yaml', line: 6 }],
    });
  });

  test('a step left over', async () => {
    const opened = await openModels(choose(['script/step-left-over.yaml'], ['lead']));
    expect(opened).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'step-left-over', path: 'step-left-over.yaml', line: 7 }],
    });
  });

  test('one finding per script, and roles are held against the whole team', async () => {
    const flags = ['script/two-roles.yaml', 'writer=script/step-left-over.yaml'];
    const opened = await openModels(choose(flags, ['lead', 'reader', 'writer']));
    expect(opened.findings.map(({ code, path }) => [code, path])).toEqual([
      ['role-without-part', 'step-left-over.yaml'],
      ['step-left-over', 'step-left-over.yaml'],
    ]);
  });
});
