/**
 * The embedded engine: a folder a team, a lock that one process holds, and the socket that process listens on
 * (spec/engine.md §1 "File log"). Nothing but Node and a disk.
 */

import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LineFollower } from '../../events/line-follower.js';
import { describeHolder } from '../../events/lock.js';
import { recordFolder } from '../../events/record-folder.js';
import { readFileRecord } from '../../events/record-view.js';
import { sleep } from '../../shared/abort.js';
import { systemCode } from '../../shared/errors.js';
import { isTeamId, ulid } from '../../shared/ids.js';
import { fold } from '../../state/team-store.js';
import { wallsOf } from '../../state/walls.js';
import { askLiveTeam } from '../control/control-client.js';
import type { ControlReply, ControlRequest } from '../control/control-protocol.js';
import { endHolder, letGo } from '../end-holder.js';
import { type House, runsFolder } from '../house.js';
import { heldFinding, type OpenedTeam, type OpenTeam, openTeam } from '../open-team.js';
import { isHeld, lockOf } from '../team-holder.js';
import type { Engine, Holding, Operated, PutAway, TeamLook, Word } from './engine.js';
import { putAwayFiles } from './put-away-files.js';
import { orRefused, recordedText, refusedWord } from './recorded-word.js';

/** How often a file is looked at while nothing comes. */
const LOOK_MS = 200;

/** How long a process is asked to end a team by force before it is killed, in milliseconds. */
const FORCE_DEADLINE_MS = 3_000;

/** How long one that has taken the word may need to let the team go, in milliseconds. */
const LET_GO_MS = 10_000;

/** The teams of one home. */
export class FileEngine implements Engine {
  readonly #house: House;

  constructor(house: House) {
    this.#house = house;
  }

  async ids(): Promise<readonly string[]> {
    try {
      const entries = await readdir(runsFolder(this.#house), { withFileTypes: true });
      return entries
        .filter((entry) => entry.isDirectory() && isTeamId(entry.name))
        .map((entry) => entry.name)
        .sort();
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Nothing is mirrored: the record is here. */
  async mirrored(): Promise<readonly []> {
    return [];
  }

  async clear(): Promise<void> {}

  folder(id: string): string {
    return join(runsFolder(this.#house), id);
  }

  open(id: string, mode: 'create' | 'open', takeOver = false): Promise<OpenedTeam> {
    return openTeam(this.#house, id, this.folder(id), mode, takeOver);
  }

  look<Value>(id: string, look: (team: TeamLook) => Promise<Value>): Promise<Value> {
    const folder = this.folder(id);
    return look({
      view: (reading) => readFileRecord(folder, reading),
      folded: async () => {
        const { entries } = await readFileRecord(folder, 'strict').log();
        return { state: fold(entries), walls: wallsOf(entries) };
      },
      lines: () => new LineFollower(recordFolder(folder).log),
      holding: () => holdingOf(folder),
      ask: (request, deadlineMs) => askHolder(folder, request, deadlineMs),
      processes: async () => ({}), // One serves it: its lock says who.
      next: (signal) => sleep(LOOK_MS, signal),
    });
  }

  say(id: string, word: Word): Promise<Operated> {
    return this.#tell(id, word);
  }

  async sayByForce(id: string, word: Word): Promise<Operated> {
    const operated = await this.#tell(id, word, FORCE_DEADLINE_MS);
    const unheard =
      operated.kind === 'refused' && operated.findings.some(({ code }) => code === 'unreachable');
    if (operated.kind === 'refused' ? !unheard : !operated.live) return operated;
    if (!(await this.ids()).includes(id)) return operated; // It was put away meanwhile.
    const folder = this.folder(id);
    const holder = unheard ? await letGo(folder, 0) : await letGo(folder, LET_GO_MS);
    if (holder === undefined) return unheard ? this.#alone(id, word) : operated;
    const left = await endHolder(folder);
    if (left !== undefined)
      return { kind: 'refused', findings: [heldFinding(id, describeHolder(left), 'alive')] };
    const ended = await this.#alone(id, word);
    if (ended.kind === 'refused') return ended;
    return { ...ended, text: `its process (pid ${holder.pid}) did not let go and was killed; ${ended.text}` };
  }

  /**
   * It leaves its place in one step and while its lock is held: whoever starts a team of the same name meanwhile finds
   * either a held one or none.
   */
  async takeBack(team: OpenTeam): Promise<void> {
    const aside = join(runsFolder(this.#house), `.gone-${ulid(this.#house.clock.wallMs())}`);
    try {
      await rename(team.folder, aside);
      await team.releases.run();
    } catch {
      // The lock has gone with the folder; why the team could not be begun is what the caller tells.
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  putAway(id: string, how: { readonly purge: boolean }): Promise<PutAway> {
    return putAwayFiles(this.#house, id, this.folder(id), how);
  }

  /** To the process that runs it, through its socket; where nobody does, into the record under the lock. */
  async #tell(id: string, word: Word, deadlineMs?: number): Promise<Operated> {
    const folder = this.folder(id);
    const lock = await lockOf(folder);
    if (isHeld(lock)) {
      const { holder, verdict } = lock;
      if (verdict === 'alive' && holder.socket === undefined && deadlineMs !== undefined) {
        return refusedWord(id, { code: 'unreachable', message: 'it does not listen yet' });
      }
      if (verdict === 'unknown' || holder.socket === undefined) {
        return { kind: 'refused', findings: [heldFinding(id, describeHolder(holder), verdict)] };
      }
      const reply = await askLiveTeam(holder.socket, word.request, deadlineMs);
      if (reply.kind === 'accepted') return { kind: 'done', text: reply.text, live: true };
      // A team that ended between the look at its lock and the call is one that nobody runs.
      if (reply.kind !== 'refused')
        return refusedWord(id, { code: 'failed', message: 'it answered another question' });
      if (reply.code !== 'unreachable' || isHeld(await lockOf(folder))) return refusedWord(id, reply);
    }
    return this.#alone(id, word);
  }

  #alone(id: string, { alone }: Word): Promise<Operated> {
    return orRefused(id, async () => {
      const opened = await this.open(id, 'open');
      if (opened.kind === 'held') return { kind: 'refused', findings: [opened.finding] };
      const { team } = opened;
      try {
        const outcome = await alone(team);
        if (outcome.kind === 'refused') return refusedWord(id, outcome);
        return { kind: 'done', text: recordedText(id, outcome, team.store.state), live: false };
      } finally {
        await team.releases.run();
      }
    });
  }
}

async function holdingOf(folder: string): Promise<Holding> {
  const lock = await lockOf(folder);
  if (!isHeld(lock)) return { kind: 'free' };
  return { kind: 'held', verdict: lock.verdict, text: describeHolder(lock.holder) };
}

async function askHolder(
  folder: string,
  request: ControlRequest,
  deadlineMs?: number,
): Promise<ControlReply | undefined> {
  const lock = await lockOf(folder);
  if (lock.kind !== 'held' || lock.verdict !== 'alive' || lock.holder.socket === undefined) return undefined;
  return askLiveTeam(lock.holder.socket, request, deadlineMs);
}
