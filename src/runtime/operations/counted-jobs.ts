/** What a process does with its jobs, counted for operators: done, given back, failed. */

import type { BullMqWorkersOptions } from '../../dispatch/bullmq-workers.js';
import type { Job } from '../../dispatch/job.js';
import type { Operations } from './operations.js';

type JobHooks<One extends Job> = Required<
  Pick<BullMqWorkersOptions<One>, 'mismatch' | 'handler' | 'onError'>
>;

/** The same hooks, and who counts hears of each; the hooks themselves where nobody does. */
export function countedJobs<One extends Job>(
  operations: Operations | undefined,
  hooks: JobHooks<One>,
): JobHooks<One> {
  if (operations === undefined) return hooks;
  return {
    mismatch: async (job, signal) => {
      const why = await hooks.mismatch(job, signal);
      if (why !== undefined) operations.job('given_back');
      return why;
    },
    handler: async (job, signal) => {
      await hooks.handler(job, signal);
      operations.job('done');
    },
    onError: (job, error) => {
      operations.job('failed');
      hooks.onError(job, error);
    },
  };
}
