/**
 * The branch of a brief pushed to its repository, where the recipe says so instead of a bundle: from the quarantine, by a
 * git of ours, with the variables that the operator gave to it. The engineer has neither them nor a remote.
 *
 * Always true: one branch is made, or it is there with the same head; nothing that is there is ever moved.
 */

import { LOCAL_FETCH_OPTIONS, LOCAL_PUSH_OPTIONS, TRANSPORT_OPTIONS } from '../../shared/git-transport.js';
import { withoutUserInfo } from '../../shared/secret-text.js';
import { oneLine } from '../../shared/terminal-text.js';
import { adviceFor, type MirrorSettings } from './mirror.js';
import { bare, failed, type GitTools, gitFailure, ourGit, type WorkspaceFailure } from './our-git.js';
import { readRepositoryAddress } from './repository-address.js';

export interface PushOrder {
  readonly quarantine: string;
  readonly repo: string;
  readonly branch: string;
  readonly head: string;
}

export type Pushed = { readonly kind: 'pushed' } | WorkspaceFailure;

export async function push(
  { quarantine, repo, branch, head }: PushOrder,
  settings: Pick<MirrorSettings, 'protocols' | 'env'>,
  tools: GitTools,
): Promise<Pushed> {
  const read = readRepositoryAddress(repo, settings.protocols);
  if (read.kind === 'refused') return failed('workspace', read.detail);
  const { url, protocol, path } = read.address;
  const ref = `refs/heads/${branch}`;
  const options = {
    protocols: [protocol],
    env: { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes', ...settings.env },
  };
  const what = `pushing ${branch} to "${oneLine(withoutUserInfo(url), 200)}"`;
  const local = path === null ? [] : LOCAL_PUSH_OPTIONS;
  const args = [
    ...[...TRANSPORT_OPTIONS, 'push', '--quiet', '--porcelain', '--no-verify', '--no-follow-tags'],
    // Empty: only where there is no such branch yet.
    ...[`--force-with-lease=${ref}:`, '--recurse-submodules=no', ...local],
    ...['--end-of-options', url, `${head}:${ref}`],
  ];
  const outcome = await ourGit(tools, bare(quarantine), args, options);
  if (outcome.kind === 'done') return { kind: 'pushed' };
  const listing = ['ls-remote', '--heads', ...(path === null ? [] : LOCAL_FETCH_OPTIONS)];
  const there = await ourGit(
    tools,
    bare(quarantine),
    [...TRANSPORT_OPTIONS, ...listing, '--end-of-options', url, ref],
    options,
  );
  const found = there.kind === 'done' ? /^([0-9a-f]+)\t/.exec(there.output)?.[1] : undefined;
  if (found === head) return { kind: 'pushed' };
  if (found !== undefined)
    return failed('workspace', `${what}: the branch is there already, at ${found}; it is not moved`);
  const failure = gitFailure(outcome, what, tools);
  const advice = outcome.kind === 'failed' ? adviceFor(outcome.message) : null;
  return advice === null ? failure : { ...failure, detail: `${failure.detail}; ${advice}` };
}
