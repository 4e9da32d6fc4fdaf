/**
 * In whose name an approval is given: `--as`, else the e-mail of the operator's own git configuration, else the user
 * of the machine (spec/skills.md §4). Self-declared: it is recorded and shown, and grants nothing.
 */

import type { Finding } from '../../shared/findings.js';
import { runGit } from '../../shared/git.js';
import { isInside } from '../../shared/inner-path.js';
import { programPath } from '../../shared/program-path.js';
import type { House } from '../house.js';

export type Approver =
  | { readonly kind: 'known'; readonly name: string }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Names that a trust file takes: one line, nothing that a terminal obeys or nobody sees. */
const NAME = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u;

/** @param given the value of `--as`; null when it was not given */
export async function approverOf(
  house: Pick<House, 'toolEnvironment' | 'user' | 'workingDirectory' | 'project' | 'mission'>,
  given: string | null,
): Promise<Approver> {
  if (given !== null) {
    const name = given.trim();
    if (NAME.test(name)) return { kind: 'known', name };
    const message = 'the name is empty, longer than 200 characters or holds characters that nobody sees';
    const remedy = 'write for example --as ann@example.com';
    return {
      kind: 'refused',
      findings: [{ code: 'bad-value', severity: 'error', path: '--as', message, remedy }],
    };
  }
  const email = await ownEmail(house);
  return { kind: 'known', name: email !== null && NAME.test(email) ? email : house.user };
}

/** From the operator's own configuration and no other: that of a repository is somebody else's text. */
async function ownEmail({
  toolEnvironment,
  workingDirectory,
  project,
  mission,
}: Pick<House, 'toolEnvironment' | 'workingDirectory' | 'project' | 'mission'>): Promise<string | null> {
  const { PATH = '', HOME = '' } = toolEnvironment;
  const trees = [workingDirectory, project?.root, mission?.path].flatMap((tree) => tree ?? []);
  const path = await programPath(PATH, (folder) => trees.some((tree) => isInside(folder, tree)));
  const outcome = await runGit(
    {
      argv: ['config', '--global', '--no-includes', '--get', 'user.email'],
      env: { PATH: path, HOME, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' },
      cwd: '/', // no repository is met on the way to the file
    },
    { signal: new AbortController().signal, timeoutMs: 5_000, maxBytes: 4_096 },
  );
  return outcome.kind === 'done' && !outcome.cut ? outcome.output.trim() : null;
}
