/** Trust files for tests: a real repository, real files, the operator's own file beside them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { openTrust } from '../../../src/catalog/trust/open-trust.js';
import type { TrustSources } from '../../../src/catalog/trust/read-trust-files.js';
import type { TrustQuestion } from '../../../src/catalog/trust.js';
import { commitAll, git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

const PATH = process.env['PATH'] ?? '';

export const DIGEST = `1:${'a'.repeat(64)}`;
export const OTHER_DIGEST = `1:${'b'.repeat(64)}`;
export const BY = { approver: 'ann@example.com', at: '2026-01-01T00:00:00.000Z' };
export const REVOKED_BY = { revoker: 'eve@example.com', at: '2026-01-02T00:00:00.000Z' };

/** An operator with an own trust file to be, and a project with one commit. */
export class Operator {
  /** Real paths. */
  readonly home: string;
  readonly project: string;
  readonly mission: string;
  /** The parentless commit of the project. */
  readonly commit: string;

  constructor(root: string) {
    this.home = join(root, 'home');
    this.project = join(root, 'project');
    this.mission = join(root, 'mission');
    this.commit = git(this.project, 'rev-parse', 'HEAD');
  }

  get own(): string {
    return join(this.home, 'trust.yaml');
  }

  /** The question about the file `.bnerd/roles/a.md` of the project. */
  question(more: Partial<TrustQuestion> = {}): TrustQuestion {
    const path = '.bnerd/roles/a.md';
    return { kind: 'role', tier: 'project', root: this.project, path, digest: DIGEST, ...more };
  }

  /** An approval of that file, as the operator's own file has it. */
  approval(more: Record<string, unknown> = {}): Record<string, unknown> {
    const { kind, tier, path, root, digest } = this.question();
    return { kind, tier, path, root, root_commit: this.commit, digest, ...BY, ...more };
  }

  /** Writes the operator's own file: a text, or what it says beside its version. */
  async write(content: string | Record<string, unknown>, path = this.own): Promise<string> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const text = typeof content === 'string' ? content : stringify({ version: 1, ...content });
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  sources(more: Partial<TrustSources> = {}): TrustSources {
    return { own: this.own, extra: [], mission: null, askedTrees: [this.project], gitPath: PATH, ...more };
  }

  trust(more: Partial<TrustSources> = {}): ReturnType<typeof openTrust> {
    return openTrust(this.sources(more));
  }
}

/** A fresh operator; the project has one commit, the mission repository is an empty folder. */
export async function operator(): Promise<Operator> {
  const root = await tempDir('trust');
  for (const name of ['home', 'project', 'mission']) await mkdir(join(root, name), { mode: 0o700 });
  commitAll(join(root, 'project'), 'a project');
  return new Operator(root);
}
