/**
 * Whether a commit that was named by its id is part of the repository (spec/skills.md §9). Hosts that keep forks in one
 * store hand out the commits of every fork under the address of the original: an id alone pins bytes, and says nothing
 * of who agreed to them. What a branch or tag reaches, somebody with write access has put there.
 */

import { FETCH, type FetchOrder } from './fetch-file.js';
import { type FetchTools, ScratchRepository } from './scratch-repository.js';

/** `unknown`: the history could not be had within the bounds. */
export type Reached = 'reached' | 'not-reached' | 'unknown';

/** Looks at commits alone, where the server can give them alone. */
export async function isReached(
  { address }: Pick<FetchOrder, 'address'>,
  commit: string,
  tools: FetchTools,
): Promise<Reached> {
  const scratch = await ScratchRepository.open(tools);
  try {
    const tips = await scratch.speak(address, ['ls-remote', '--quiet', '--heads', '--tags'], []);
    if (tips.kind !== 'done' || tips.cut) return 'unknown';
    if (tips.output.split('\n').some((line) => line.startsWith(`${commit}\t`))) return 'reached';
    const made = await scratch.init(commit.length === 64 ? 'sha256' : 'sha1');
    if (made.kind !== 'done') return 'unknown';
    const all = ['+refs/heads/*:refs/bnerd/heads/*', '+refs/tags/*:refs/bnerd/tags/*'];
    const brought = await scratch.speak(address, [...FETCH, '--filter=tree:0'], all);
    if (brought.kind !== 'done') return 'unknown';
    const options = ['--count=1', '--format=%(refname)', `--contains=${commit}`, 'refs/bnerd'];
    const holders = await scratch.read(['for-each-ref', ...options]);
    return holders.kind === 'done' && holders.output.trim() !== '' ? 'reached' : 'not-reached';
  } finally {
    await scratch.close();
  }
}
