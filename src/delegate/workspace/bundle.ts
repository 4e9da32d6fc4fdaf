/**
 * The commits of a brief as one file that the team's side can check and take in: a git bundle of `base..head`.
 *
 * Only from a quarantine that is as it was collected: a verification has the engineer's powers, and could write to it.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { bare, failed, fileFailure, type GitTools, gitFailure, ourGit } from './our-git.js';
import { removeTree } from './remove-tree.js';
import type { Bundled } from './workspace.js';

/** The longest bundle that travels (spec/runner.md §3 "Result"). */
export const BUNDLE_BYTES = 16 << 20;

export interface BundleOrder {
  /** Git directory of ours that has the branch. */
  readonly quarantine: string;
  readonly base: string;
  /** What was collected: the branch must stand on it. */
  readonly head: string;
  readonly branch: string;
  /** Where it is written; what is there goes. */
  readonly path: string;
  readonly maxBytes?: number;
}

/** Writes the bundle: one ref, the branch, and nothing that the base has. One that is too large is removed again. */
export async function bundle(order: BundleOrder, tools: GitTools): Promise<Bundled> {
  const { quarantine, base, head, branch, path, maxBytes = BUNDLE_BYTES } = order;
  const ref = `refs/heads/${branch}`;
  const what = `bundle of ${branch}`;
  try {
    const stands = await ourGit(tools, bare(quarantine), ['rev-parse', '--verify', '--quiet', ref]);
    if (stands.kind !== 'done' || stands.output.trim() !== head)
      return failed('workspace', `${what}: it does not stand on ${head} any more: ${quarantine} was changed`);
    await removeTree(path); // git would write through a link that was planted there
    const args = ['bundle', 'create', '--quiet', path, ref, `^${base}`];
    const outcome = await ourGit(tools, bare(quarantine), args);
    if (outcome.kind !== 'done') {
      await removeTree(path);
      return gitFailure(outcome, what, tools);
    }
    const { size } = await stat(path);
    if (size <= maxBytes)
      return { kind: 'bundled', path, bytes: size, sha256: await fileDigest(path, tools.signal) };
    await removeTree(path);
    return {
      kind: 'failed',
      cause: 'result_too_large',
      detail: `${what}: ${size} bytes; at most ${maxBytes} travel to the team: ask for less in one brief, or let the recipe push`,
    };
  } catch (error) {
    return fileFailure(error, what);
  }
}

async function fileDigest(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
