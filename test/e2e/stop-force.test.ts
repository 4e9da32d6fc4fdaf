// spec/team.md §7 "stop --force", case B26, through the program: a team always ends, whatever its process does.
import { describe, expect, test } from 'vitest';
import { does } from '../cases/play.js';
import { noneRunning, running } from '../helpers/running.js';
import { job } from './job.js';
import { FAMILY_FILES, familyCall, oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all', '--grace', '10m'];

/** A process that works on nothing but itself from its next SIGUSR2 on. */
const BLOCKS = 'data:text/javascript,process.on("SIGUSR2",()=>{for(;;);})';

describe('B26 a team whose process does not answer', () => {
  test.each([
    ['is stopped by a signal', 'SIGSTOP'],
    ['has a blocked event loop', 'SIGUSR2'],
  ] as const)(
    'B26 that %s: --force from another terminal ends it, 0 processes are left, and it can be resumed',
    async (_, signal) => {
      const at = await job(oneTask([does(familyCall('trap "" TERM'))], { recipe: { safety: 'full' } }));
      const program = await at.start(RUN, { node: ['--import', BLOCKS] });
      const pids = (await at.files(...FAMILY_FILES)).map(Number);
      const id = await at.id();
      program.signal(signal);
      const stop = await at.bnerd(['team', 'stop', id, '--force']);
      expect(stop).toMatchObject({ exit: 0, stdout: '' });
      expect(stop.stderr).toContain(`its process (pid ${program.pid}) did not let go and was killed`);
      expect(stop.stderr).toContain(`bnerd team resume ${id}`);
      expect((await program.ended).exit).toBe(137);
      await noneRunning({ pids: [program.pid, ...pids], groups: pids.slice(-1), marker: `BNERD_TEAM=${id}` });
      expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
      expect((await at.here(['team', 'verify', id])).exit).toBe(0);
      expect((await at.bnerd(['team', 'ps'])).stdout).not.toContain(' live ');
      // Once more is fine, and changes nothing.
      expect(await at.bnerd(['team', 'stop', id, '--force'])).toMatchObject({ exit: 0 });
      expect(await at.of('run.ended')).toHaveLength(1);
    },
  );

  test('B26 without --force it is left alone, and the way is said', async () => {
    const at = await job(oneTask([does(familyCall())], { recipe: { safety: 'full' } }));
    const program = await at.start(RUN);
    await at.files(...FAMILY_FILES);
    const id = await at.id();
    program.signal('SIGSTOP');
    const stop = await at.bnerd(['team', 'stop', id]);
    expect(stop.exit).toBe(2);
    expect(stop.stderr).toContain(`bnerd team stop ${id} --force ends that process`);
    expect(await running({ pids: [program.pid] })).toHaveLength(1);
    program.signal('SIGCONT');
    expect((await program.ended).exit).toBe(130);
  });
});
