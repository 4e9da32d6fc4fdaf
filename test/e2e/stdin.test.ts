// spec/team.md §3 through the program: without a terminal stdin is not read, except for `--prompt -`.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import type { BnerdOptions } from '../helpers/bnerd.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const WRITES = oneTask([does(shell('echo written > made'))]);

const STDINS: readonly { readonly what: string; readonly options: BnerdOptions }[] = [
  { what: 'closed', options: { sh: 'exec "$@" <&-' } },
  { what: '/dev/null', options: {} },
  { what: 'a pipe that never ends', options: { keepStdin: true } },
  { what: 'a pipe full of answers', options: { stdin: 'y\nyes\n'.repeat(10_000) } },
  { what: 'a file of answers', options: { sh: 'exec "$@" < ../answers' } },
  { what: 'a directory', options: { sh: 'exec "$@" < .' } },
];

describe('stdin of a run without a terminal', () => {
  test.each(STDINS)(
    '$what: not read, the run is as ever; a confirmation that no policy answers ends it needs_human',
    async ({ options }) => {
      const at = await job(WRITES);
      await writeFile(join(at.workspace, '../answers'), 'y\n'.repeat(100));
      const run = await at.run([], options);
      expect(run).toMatchObject({ exit: 4, stdout: '' });
      expect(run.stderr).toMatch(
        /\[worker\] waits for r1, a confirmation: echo written > made \(bnerd team answer run-job-\S+ r1 yes\|no\|always\)/,
      );
      expect(run.stderr).toMatch(/^needs_human \(exit 4\)/m);
      expect(run.stderr).not.toContain('CONFIRM');
      expect(await at.file('made')).toBeUndefined();
      expect(await at.of('request.decided')).toEqual([]);
      // Nothing of stdin became a message.
      expect(
        (await at.of('mail.sent')).filter((fact) => fact.from !== 'runtime').map((fact) => fact.kind),
      ).toEqual(['prompt']);
    },
  );

  test('what was left open is answered from elsewhere and the resume runs it, once', async () => {
    const at = await job(WRITES);
    expect((await at.run()).exit).toBe(4);
    const id = await at.id();
    const vague = await at.bnerd(['team', 'answer', id, 'r1', 'perhaps']);
    expect(vague.exit).toBe(2);
    expect(vague.stderr).toContain('a confirmation is answered by yes, no or always; found "perhaps"');
    expect(await at.bnerd(['team', 'answer', id, 'r1', 'yes'])).toMatchObject({ exit: 0 });
    expect(await at.file('made')).toBeUndefined();
    const resumed = await at.bnerd(['team', 'resume', id], { keepStdin: true });
    expect(resumed).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    expect(await at.file('made')).toBe('written\n');
    expect(await at.of('tool.started')).toMatchObject([{ request: 'r1' }]);
    expect(await at.of('request.opened')).toHaveLength(1);
  });

  test('a no is a no: the member is told, and nothing is run', async () => {
    const at = await job(WRITES);
    expect((await at.run()).exit).toBe(4);
    const id = await at.id();
    expect(await at.bnerd(['team', 'answer', id, 'r1', 'no'])).toMatchObject({ exit: 0 });
    expect((await at.bnerd(['team', 'resume', id])).exit).toBe(0);
    expect(await at.file('made')).toBeUndefined();
    expect(await at.of('tool.started')).toEqual([]);
    const results = (await at.transcript('worker')).filter((entry) => entry.kind === 'result');
    expect(results.map((entry) => entry.kind === 'result' && entry.outcome)).toContain('denied');
  });
});

/** Whether a process has a handler for a signal. */
async function catches(pid: number, signal: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const caught = BigInt(`0x${/^SigCgt:\s*(\w+)$/m.exec(status)?.[1] ?? '0'}`);
  return ((caught >> BigInt(signal - 1)) & 1n) === 1n;
}

describe('--prompt -', () => {
  test('all of stdin is the prompt, in the record and in what the lead is told', async () => {
    const at = await job(oneTask([]));
    const prompt = 'Look at ü first.\n\n- then the rest\n';
    const run = await at.run(['--auto-approve', 'all', '--prompt', '-'], { stdin: prompt });
    expect(run.exit).toBe(0);
    expect((await at.of('mail.sent')).filter((fact) => fact.kind === 'prompt')).toMatchObject([
      { body: prompt.trimEnd() },
    ]);
    const inputs = (await at.transcript('boss')).flatMap((entry) =>
      entry.kind === 'input' ? [entry.text] : [],
    );
    expect(inputs[0]).toContain('- then the rest');
  });

  test.each([
    ['empty', { stdin: ' \n' }, 'stdin is empty'],
    ['closed', { sh: 'exec "$@" <&-' }, 'stdin is empty'],
    ['more than a prompt may be', { stdin: 'x'.repeat(1024 * 1024 + 1) }, 'stdin holds more than 1 MiB'],
    ['not open for reading', { sh: 'exec "$@" 0> ../answers' }, 'stdin cannot be read: EBADF'],
  ])('stdin that is %s is refused, exit 2', async (_, options, said) => {
    const at = await job(oneTask([]));
    const run = await at.run(['--prompt', '-'], options);
    expect(run).toMatchObject({ exit: 2, stdout: '' });
    expect(run.stderr).toMatch(/^--prompt -: error bad-prompt /);
    expect(run.stderr).toContain(said);
    expect(await readdir(at.place.root)).not.toContain('state');
  });

  test('a signal while it waits for stdin ends it: nothing was created', async () => {
    const at = await job(oneTask([]));
    const program = await at.start(['--prompt', '-'], { keepStdin: true });
    // Of the three signals it hears this is the one that Node does not catch by itself.
    await until(async () => catches(program.pid, 1), { what: 'it listens to signals' });
    program.signal('SIGTERM');
    const run = await program.ended;
    expect(run).toMatchObject({ exit: 143, stdout: '' });
    expect(run.stderr).toContain('a signal came before the team was started; nothing was created');
    expect(await readdir(at.place.root)).not.toContain('state');
  });
});
