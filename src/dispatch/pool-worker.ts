/**
 * A worker of BullMQ for one pool that tells when it made progress: it got an answer from the queue, a job or the word
 * that there is none. An idle one asks every few seconds, so whoever is silent for longer is stuck, however well its
 * connection answers (case Q31).
 */

import { type JobJson, type Job as QueuedJob, Worker } from 'bullmq';

export class PoolWorker extends Worker {
  /** Set after construction, which already begins to work. */
  onProgress: () => void = () => {};

  protected override async nextJobFromJobData(
    jobData?: JobJson,
    jobId?: string,
    token?: string,
  ): Promise<QueuedJob> {
    this.onProgress();
    return super.nextJobFromJobData(jobData, jobId, token);
  }
}
