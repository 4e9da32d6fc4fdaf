// Logs through the program: JSON lines of a worker on stdout and of a team on stderr, with no words of anybody (spec/engine.md
// §3 "Logs"); that no secret is in them is shown in test/shared/log.test.ts.
import { describe, expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis } from './on-redis.js';

const mission = () =>
  oneTask([does(shell('echo the-words-of-a-tool > hello'))], { recipe: { safety: 'full' } });

/** The JSON lines of a stream. */
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

describe('a team in files', () => {
  test('says nothing of it unless asked; asked, its lines stand on stderr, and stdout is the result as before', async () => {
    const at = await job(mission());
    const words = ['--auto-approve', 'all'];
    const silent = await at.run(words);
    expect(linesOf(silent.stderr)).toEqual([]);
    const asked = await at.run([...words, '--log-level', 'info']);
    expect(asked.exit).toBe(0);
    expect(asked.stdout).toBe(silent.stdout);
    const said = linesOf(asked.stderr);
    const messages = said.map(({ msg }) => msg);
    expect(messages[0]).toBe('run.started');
    expect(messages).toContain('turn.ended');
    expect(messages.at(-1)).toBe('run.ended');
    for (const line of said)
      expect(line).toMatchObject({ time: expect.any(String), team: expect.any(String) });
    expect(JSON.stringify(said)).not.toContain('the-words-of-a-tool');
  });

  test('a level that there is not is refused with those that there are', async () => {
    const at = await job(mission());
    const refused = await at.run([], { env: { BNERD_LOG_LEVEL: 'loud' } });
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('silent, error, warn, info, debug');
  });
});

describeRedis('a worker', () => {
  const redis = redisForTests();

  test('tells on stdout what it does, a JSON object a line, and people on stderr what they should know', async () => {
    const at = new OnRedis(await job(mission()), redis());
    const worker = await at.worker();
    const run = await (await at.run(['--no-worker'])).ended;
    expect(run.exit).toBe(0);
    worker.signal('SIGTERM');
    const { exit, stdout, stderr } = await worker.ended;
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^bnerd worker: worker \S+ takes turns from \S+, 2 at once$/m);
    const said = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const messages = said.map(({ msg }) => msg);
    expect(messages[0]).toBe('worker.started');
    expect(messages.at(-1)).toBe('worker.stopped');
    expect(messages).toContain('turn.started');
    expect(said.find(({ msg }) => msg === 'turn.ended')).toMatchObject({
      level: 'info',
      team: 'one',
      member: expect.any(String),
      outcome: expect.any(String),
    });
    expect(stdout).not.toContain('the-words-of-a-tool');
  });

  test('silent: nothing is on stdout', async () => {
    const at = new OnRedis(await job(mission()), redis());
    const worker = await at.worker(['--log-level', 'silent']);
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ exit: 0, stdout: '' });
  });
});
