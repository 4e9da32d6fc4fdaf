/**
 * The README on a runner on another machine, by its word: what stands there is typed into the shell of two machines, "here"
 * the one where teams are started, "there" the one of the runner. Each has a home and a work folder of its own; where the
 * system lets us, the runner has a user and a network of its own as well, so that nothing but the socket of the Redis and the
 * repository is common to both.
 */

import { execFileSync } from 'node:child_process';
import { mkdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { complete, does, says, when } from '../cases/play.js';
import { type BnerdPlace, bnerdPlace, CLI, type RunningBnerd, startBnerd } from '../helpers/bnerd.js';
import { readme } from '../helpers/readme.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { git } from '../helpers/repository.js';
import { commitsBeside } from './commits-engineer.js';
import { delegates, delegating, delegatingJob } from './delegation.js';
import { OnRedis } from './on-redis.js';

const OWN_NAMESPACES = 'unshare --user --map-root-user --net';

type Machine = 'here' | 'there';

/** The lines of the section, each with the machine that its comment names, or the one of the line before. */
async function linesToType(): Promise<readonly { readonly machine: Machine; readonly line: string }[]> {
  const { text } = await readme();
  const [, section = ''] = /^## A runner on another machine\n([\s\S]*?)^## /m.exec(text) ?? [];
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? [];
  let machine: Machine = 'here';
  return block
    .trim()
    .split('\n')
    .map((written) => {
      const [, line = written, where] = /^(.*?)\s*# (here|there)\b/.exec(written) ?? [];
      if (where === 'here' || where === 'there') machine = where;
      return { machine, line };
    });
}

/** What is said there of a line, for people. */
const withWords = (line: string, words: Readonly<Record<string, string>>): string =>
  line.replace(/<([a-z-]+)>/g, (whole, name: string) => words[name] ?? whole);

/** A folder of programs with this one in it, as `npm link` makes it. */
async function programs(place: BnerdPlace): Promise<string> {
  const bin = join(place.root, 'bin');
  await mkdir(bin);
  await symlink(CLI, join(bin, 'bnerd'));
  return `${bin}:${dirname(process.execPath)}:${process.env['PATH']}`;
}

function hasNamespaces(): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `${OWN_NAMESPACES} true`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describePrivateRedis('the README on a runner on another machine', () => {
  const apart = hasNamespaces();

  test(`typed word by word, with ${apart ? 'a user and a network' : 'a home'} of its own for the runner, it does the work of a team`, async () => {
    const server = await privateRedis();
    const job = await delegatingJob(
      delegating(
        [
          when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
          when('has ended: completed', does(complete('#1')), says('It is in.')),
        ],
        { recipe: { permissions: [{ tool: 'delegate_engineer', match: '*', decision: 'allow' }] } },
      ),
    );
    const redis = redisAt(server.url);
    const there = await bnerdPlace();
    const settings = { runner: { engineers: commitsBeside(job.workspace), 'min-free': 0 } };
    await writeFile(join(there.home, '.bnerd.yaml'), JSON.stringify(settings));
    const common = { BNERD_REDIS_PREFIX: redis.prefix };
    const machines = {
      here: {
        place: job.place,
        cwd: job.workspace,
        env: { ...common, PATH: await programs(job.place), BNERD_MISSION_REPO: job.mission },
      },
      there: { place: there, cwd: there.work, env: { ...common, PATH: await programs(there) } },
    };
    const type = (machine: Machine, line: string): Promise<RunningBnerd> =>
      startBnerd([], {
        ...machines[machine],
        sh: `exec ${machine === 'there' && apart ? `${OWN_NAMESPACES} ` : ''}${line}`,
      });

    const lines = await linesToType();
    expect(lines.map(({ machine, line }) => `${machine}: ${line.split(' ').slice(0, 3).join(' ')}`)).toEqual([
      'here: bnerd keys init',
      'there: bnerd keys accept',
      'there: bnerd runner --redis',
      'here: bnerd keys accept',
      'here: bnerd team run',
    ]);
    const words: Record<string, string> = { address: server.url, repository: job.workspace, recipe: 'job' };
    const team = new OnRedis(job, redis);
    let runner: RunningBnerd | undefined;
    for (const { machine, line } of lines) {
      const running = await type(machine, withWords(line, words));
      if (line.startsWith('bnerd runner')) {
        runner = running;
        await running.says(/takes briefs/);
        words['runner-key'] = keyIn(running.stderr());
        continue;
      }
      const { exit, stdout, stderr } = await running.ended;
      expect(exit, `${line}\n${stderr}`).toBe(0);
      if (line.includes('init')) words['team-key'] = keyIn(stdout);
      team.id = /bnerd team result (\S+)/.exec(stderr)?.[1] ?? '';
    }

    expect(await team.of('brief.ended')).toMatchObject([{ status: 'completed' }]);
    const [delivered] = await team.of('brief.delivered');
    expect(git(job.workspace, 'show', `${delivered?.branch}:greet.txt`)).toBe('hello');
    for (const kind of ['user', 'net']) {
      const own = await readlink(`/proc/${runner?.pid}/ns/${kind}`);
      expect(own !== (await readlink(`/proc/self/ns/${kind}`))).toBe(apart);
    }
    runner?.signal('SIGTERM');
    expect((await runner?.ended)?.exit).toBe(0);
  });
});

function keyIn(text: string): string {
  return /public key:? (\S+)/.exec(text)?.[1] ?? '';
}
