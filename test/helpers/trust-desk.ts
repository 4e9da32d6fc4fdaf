/** An operator at the trust desk, in this process: a repository of strangers, and the word on its files. */

import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { House } from '../../src/runtime/house.js';
import { placesOf } from '../../src/runtime/house.js';
import { loadEntries } from '../../src/runtime/load-entries.js';
import { approveFile, objections, revokeFile } from '../../src/runtime/trust/approve.js';
import { openTrustDesk, type TrustDesk } from '../../src/runtime/trust/trust-desk.js';
import type { TrustSubject } from '../../src/runtime/trust/trust-subjects.js';
import type { Entry } from '../../src/skills/entry.js';
import { commitAll, putFiles } from './repository.js';
import { writeMission } from './team.js';
import { tempDir } from './temp-dir.js';

export class OperatorsDesk {
  readonly house: House;
  /** Real path. */
  readonly repository: string;

  constructor(house: House, repository: string) {
    this.house = house;
    this.repository = repository;
  }

  /** As the program opens it for one command. */
  open(): Promise<TrustDesk> {
    return openTrustDesk(this.house, []);
  }

  async subject(name: string): Promise<TrustSubject> {
    const { subjects } = await (await this.open()).subjects();
    const found = subjects.find((subject) => subject.name === name);
    if (found === undefined) throw new Error(`nothing that needs a word is called ${name}`);
    return found;
  }

  /** Approves what stands there. */
  async approve(name: string, approver = 'ann@example.org'): Promise<void> {
    const subject = await this.subject(name);
    const against = await objections((await this.open()).trust, subject, false);
    if (against.length > 0 || subject.state.kind === 'unreadable') throw new Error(JSON.stringify(against));
    await approveFile(this.house, subject.state, approver);
  }

  async revoke(name: string, revoker = 'ann@example.org'): Promise<void> {
    await revokeFile(this.house, (await this.subject(name)).file, revoker);
  }

  write(path: string, text: string): Promise<void> {
    return writeFile(join(this.repository, path), text);
  }

  /** The entry as a command that starts now would use it; undefined: it is not used. */
  async used(name: string): Promise<Entry | undefined> {
    const { trust } = await this.open();
    const { byName } = await loadEntries(this.house, { ...placesOf(this.house), trust });
    return byName.get(name);
  }
}

/**
 * @param tier whose files these are: of the project around the working directory, or of a mission repository that was
 *   found there; they are committed in the name of Ada
 */
export async function operatorsDesk(
  files: Readonly<Record<string, string>>,
  tier: 'project' | 'mission' = 'project',
): Promise<OperatorsDesk> {
  const { house } = await writeMission({ roles: { lead: {} }, script: {} });
  const repository = await realpath(await tempDir('strangers'));
  await putFiles(repository, files);
  commitAll(repository, 'all of it');
  const project = tier === 'project' ? { root: repository, folders: [repository] } : null;
  const mission = tier === 'mission' ? { path: repository, named: false, commit: null } : null;
  return new OperatorsDesk({ ...house, workingDirectory: repository, project, mission }, repository);
}
