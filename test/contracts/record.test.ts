import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileRecord } from '../../src/events/file-record.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import { systemClock } from '../../src/shared/clock.js';
import { tempDir } from '../helpers/temp-dir.js';
import { recordContract } from './record.js';

for (const writers of ['one', 'many'] as const) {
  recordContract(`memory, ${writers} writing`, async () => {
    const disk = new MemoryDisk();
    return {
      open: async () => {
        disk.free = Number.POSITIVE_INFINITY;
        return memoryRecord(disk, writers);
      },
      fail: async () => {
        disk.free = 0;
      },
      failCode: 'disk-full',
    };
  });
}

recordContract('file', async () => {
  const folder = join(await tempDir('record'), 'run-a');
  const begun = async (): Promise<boolean> =>
    stat(folder).then(
      () => true,
      () => false,
    );
  return {
    open: async () =>
      openFileRecord(folder, { clock: systemClock, mode: (await begun()) ? 'open' : 'create' }),
    // A second writer: the log is longer than this process left it.
    fail: () => appendFile(join(folder, 'log.jsonl'), 'half a li'),
    failCode: 'log-failed',
  };
});
