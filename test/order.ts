/**
 * How the test files share processes, and in which order they start: the longest first and the small ones last, so that no
 * core waits for the other at the end. The tool itself orders by what it remembers of the last run, and CI remembers
 * nothing.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that need the built program or end processes. */
export const WHOLE = ['test/e2e/**/*.test.ts', 'test/faults/**/*.test.ts', 'test/cases/**/*.test.ts'];

/** What changes a whole process, its environment or its clock, for the files that would come after in it. */
const CHANGES =
  /process\.env\[[^\]]+\] (\?\?)?= |delete process\.env|stubEnv|stubGlobal|useFakeTimers|vi\.(do)?[mM]ock|process\.(chdir|umask)\(|process\.on\('|globalThis\.\w+ = /;

/** Files that change their whole process: each has one of its own. */
export const ALONE = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => CHANGES.test(readFileSync(join(import.meta.dirname, path), 'utf8')))
  .map((path) => `test/${path}`);

/**
 * Ten seconds and more on a machine of two cores, the longest first; in front those that install a program of others when it
 * is not there yet, so that what they wait for is waited for beside the work of others.
 */
export const LONG = [
  'test/faults/kill-with-entries.test.ts',
  'test/faults/kill-with-briefs.test.ts',
  'test/faults/kill-at-every-entry.test.ts',
  'test/e2e/delegation-real.test.ts',
  'test/delegate/engineers/gemini.test.ts',
  'test/faults/import-kill.test.ts',
  'test/faults/kill-at-redis-writes.test.ts',
  'test/e2e/delegation-adoption.test.ts',
  'test/e2e/readme.test.ts',
  'test/e2e/named.test.ts',
  'test/e2e/output.test.ts',
  'test/e2e/exit-codes.test.ts',
  'test/faults/brief-run.test.ts',
  'test/faults/planted-faults.test.ts',
  'test/faults/runner-kill.test.ts',
  'test/cases/skills-import.test.ts',
  'test/e2e/delegation.test.ts',
  'test/e2e/trust.test.ts',
  'test/e2e/commands-stopped.test.ts',
  'test/e2e/quickstart.test.ts',
  'test/e2e/terminal.test.ts',
  'test/e2e/chat-wire.test.ts',
  'test/cases/queue-outage.test.ts',
  'test/delegate/engineers/acp-real.test.ts',
  'test/faults/redis-loss.test.ts',
  'test/faults/shared-server-trouble.test.ts',
  'test/faults/shared-frozen-worker.test.ts',
  'test/faults/redis-jobs-and-clocks.test.ts',
  'test/faults/shared-stop.test.ts',
  'test/e2e/workers-machines.test.ts',
  'test/faults/any-order.test.ts',
  'test/faults/start-kill.test.ts',
  'test/faults/chaos.test.ts',
  'test/faults/lost-turns.test.ts',
  'test/faults/many-teams.test.ts',
  'test/faults/big-run.test.ts',
  'test/e2e/holder.test.ts',
  'test/e2e/bad-input.test.ts',
  'test/e2e/trust-places.test.ts',
  'test/e2e/commands-live.test.ts',
  'test/e2e/workers-bounds.test.ts',
  'test/e2e/workers.test.ts',
  'test/e2e/attach.test.ts',
  'test/e2e/runner-leftovers.test.ts',
  'test/e2e/delegation-stop.test.ts',
  'test/e2e/models.test.ts',
  'test/e2e/hostile-tree.test.ts',
  'test/e2e/pr-review.test.ts',
  'test/e2e/secrets.test.ts',
  'test/e2e/interrupt.test.ts',
  'test/e2e/stop-force.test.ts',
  'test/e2e/leftovers.test.ts',
  'test/cases/resume.test.ts',
  'test/e2e/feature.test.ts',
  'test/e2e/waits.test.ts',
  'test/e2e/stdin.test.ts',
  'test/delegate/engineers/codex.test.ts',
  'test/delegate/engineers/acp.test.ts',
  'test/delegate/engineers/claude-code.test.ts',
];

/** The projects in the order in which they run: files of one that follow each other keep their processes. */
const PROJECTS = ['redis', 'whole', 'alone', 'fast'];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const long = LONG.findIndex((path) => moduleId.endsWith(path));
      return long === -1 ? LONG.length + PROJECTS.indexOf(project.name) : long;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
