// Case Q1 through the program: the embedded engine dials nothing.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { does, finish, when } from '../cases/play.js';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { gate, waitAt } from '../helpers/gate.js';
import { RECORDER, trap } from '../helpers/trap.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

test('Q1 a run on the embedded engine while a server waits where Redis would be: 0 connections, no repeated error lines', async () => {
  const at = await trap();
  const place = await bnerdPlace();
  for (const name of ['one', 'two', 'three'])
    await writeFile(join(place.work, `${name}.md`), `# ${name}\nIt is.\n`);
  const run = await bnerd(['team', 'run', 'quickstart'], { place, ...at.options });
  expect(run.exit).toBe(0);
  expect(at.caught()).toBe(0);
  expect(await at.asked()).toEqual([]);
  expect(run.stderr.split('\n').filter((line) => /error|redis|refused|ECONN|retry/i.test(line))).toEqual([]);
});

test('Q1 commands to a running team ask for its control socket and for nothing else', async () => {
  const at = await trap();
  const team = await job(
    oneTask([does(waitAt('hold'))], {
      script: { boss: { idle: 'Waiting.', turns: [when(['Hello', 'has completed #1'], finish())] } },
    }),
  );
  const hold = await gate(team.workspace, 'hold');
  const program = await team.start(['--auto-approve', 'all'], at.options);
  await team.fact('tool.started');
  const id = await team.id();
  const said = await team.bnerd(['team', 'send', id, 'lead', 'Hello'], at.options);
  expect(said.exit).toBe(0);
  for (const words of [['status', id], ['ps'], ['requests', id], ['verify', id]]) {
    expect((await team.bnerd(['team', ...words], at.options)).exit).toBe(0);
  }
  await hold.open();
  const run = await program.ended;
  expect(run.exit).toBe(0);
  const resumed = await team.bnerd(['team', 'resume', id], at.options);
  expect(resumed.exit).toBe(0);
  expect(at.caught()).toBe(0);
  // The word, where it stands for `status`, `ps` and `requests`, and the state that `verify` compares with the record.
  const control = { path: expect.stringMatching(/\/bnerd-\w+\/control$/) };
  expect(await at.asked()).toEqual(Array(5).fill(control));
  expect(run.stderr.split('\n').filter((line) => /error|redis|refused|ECONN|retry/i.test(line))).toEqual([]);
});

test('Q1 the trap catches who does dial Redis, so that it can be believed', async () => {
  const at = await trap();
  const dial =
    "import { connect } from 'node:net'; connect(6379, 'localhost').on('close', () => process.exit(0));";
  const words = ['--import', RECORDER, '--input-type=module', '--eval', dial];
  await promisify(execFile)(process.execPath, words, { env: at.env });
  expect(at.caught()).toBe(1);
  expect(await at.asked()).toContainEqual({ host: 'localhost', port: 6379 });
});
