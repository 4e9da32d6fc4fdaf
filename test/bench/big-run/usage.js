/**
 * Loaded into a process of the program by `--import`: appends what the process has used to a file when it exits, since
 * nobody else can tell. Microseconds of CPU time, and KiB at the peak of its memory.
 */

import { appendFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const line = { cpuMicros: userCPUTime + systemCPUTime, maxRssKiB: maxRSS, pid: process.pid };
  appendFileSync(process.env.BIG_RUN_USAGE, `${JSON.stringify(line)}\n`);
});
