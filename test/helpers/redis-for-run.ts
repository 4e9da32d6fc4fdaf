/** One Redis for all files of a project: the one that was named, else a server that ends with the run. */

import type { TestProject } from 'vitest/node';
import { RedisServer } from './redis-server.js';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const named = process.env['BNERD_TEST_REDIS_URL'];
  if (named !== undefined) {
    project.provide('redis', named);
    return async () => {};
  }
  const server = await RedisServer.start();
  project.provide('redis', server.url);
  return () => server.remove();
}
