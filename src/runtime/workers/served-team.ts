/**
 * A team as a worker serves it: opened from its record alone, beside whoever else serves it. It runs the turns that the
 * queue hands out here, sees to it that the next ones are asked for, and, where nobody coordinates the run, to its end.
 *
 * Always true: what a worker knows of a team it has from the record; nothing is read of a catalogue on its machine
 * (spec/engine.md §3).
 */

import type { BullMqQueue } from '../../dispatch/bullmq-queue.js';
import type { TurnJob } from '../../dispatch/job.js';
import { runHolder } from '../../dispatch/leases.js';
import { keepLive } from '../../dispatch/presence.js';
import { CancelledError, FatalError } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import { gentleLadder } from '../../shared/process-ending.js';
import type { Command } from '../../team/command.js';
import { notAccepted } from '../accepted-team.js';
import type { BriefDesk } from '../briefs/brief-desk.js';
import { openDesk } from '../briefs/open-desk.js';
import { Coordinator } from '../coordinator.js';
import type { RedisLink } from '../engine/redis-link.js';
import { joinRedisTeam, type RedisTeam } from '../engine/redis-open.js';
import type { House } from '../house.js';
import { type KeyRing, readKeyRing } from '../key-ring.js';
import { recordedSeats } from '../recorded-seats.js';
import { wrapAtResume } from '../shell-wrap.js';
import { runTrust } from '../standing/run-trust.js';
import { Standing } from '../standing/standing.js';
import { SLACK_MS } from '../turns/stopping-members.js';
import { TeamTurns } from '../turns/team-turns.js';
import { turnSeats } from '../turns/turn-seats.js';
import { missingArtifacts, workspaceFiles } from '../workspace-files.js';
import { deniesHere, outOfBounds, unfit, type WorkerBounds } from './fit.js';
import { Follower } from './follower.js';
import { type LocalWorkspace, localWorkspace } from './local-workspace.js';
import { SharedTurns } from './shared-turns.js';
import { leaseTurn } from './turn-lease.js';
import { WorkedPlace, type WorkedTeam } from './worked-team.js';

const isNobody = (holder: unknown): boolean => holder === undefined;
/** The server did not say: the next beat asks again. */
const notNow = (): boolean => false;

export interface ServedParts {
  readonly house: House;
  readonly link: RedisLink;
  readonly queue: BullMqQueue;
  /** Of the team, on this machine. */
  readonly folder: string;
  readonly bounds: WorkerBounds;
  /** Whether this process has the trust files that the run goes by. */
  readonly asksTrust: boolean;
  /** The team can be served here no more. */
  failed(error: unknown): void;
  /** Hears one line for people; must not throw. */
  trouble(text: string): void;
}

export class ServedTeam implements WorkedTeam {
  readonly id: string;
  readonly place: WorkedPlace;
  readonly #parts: ServedParts;
  readonly #team: RedisTeam;
  readonly #turns: TeamTurns;
  readonly #briefs: BriefDesk | null;
  readonly #shared: SharedTurns;
  readonly #coordinator: Coordinator;
  readonly #follower: Follower;
  #running = 0;
  #closed = false;

  /** Opens a team that has started. Rejects with `unfit` where this process cannot serve it and another may. */
  static async open(id: string, parts: ServedParts): Promise<ServedTeam> {
    const { house, link, folder, bounds } = parts;
    const team = await joinRedisTeam(house, link, id, folder, 'worker');
    try {
      const live = await keepLive(link, id, 'there');
      team.releases.add('sign of life', () => live.drop());
      const { run, tasks } = team.store.state;
      if (run === null) throw new FatalError('not-started', `nothing is recorded of ${id} yet`);
      const stranger = notAccepted(run, await readKeyRing(house), link.place.signed);
      if (stranger !== undefined) throw unfit(stranger);
      const { workspace } = team.store.state;
      const files = localWorkspace(house, id, run, workspace, bounds.workspaceRoots[0]);
      const path = files?.path ?? run.workspace.path;
      const here = { ...run, workspace: { ...run.workspace, path } };
      const outside = await outOfBounds(here, bounds);
      if (outside !== undefined) throw unfit(outside);
      const wrap = await wrapAtResume(house, here);
      const [unwrapped] = wrap.findings.filter(({ severity }) => severity === 'error');
      if (unwrapped !== undefined) throw unfit(unwrapped.message);
      const seats = await recordedSeats(house, team, run, [...tasks.values()]);
      if (seats.kind === 'refused') {
        const [first] = seats.findings;
        throw unfit(first?.message ?? 'it cannot be served here');
      }
      const { inputTexts, broken } = seats;
      const briefs = await openDesk(house, team, here, 'real', undefined, link);
      const ready = await turnSeats(house, team, here, seats, briefs);
      const fileBytes = workspaceFiles(path, briefs?.git ?? null);
      return new ServedTeam(parts, team, files, briefs, {
        id,
        workspace: path,
        clock: link.clock,
        secrets: house.secrets,
        gates: house.gates,
        store: team.store,
        record: team.record,
        groups: team.groups,
        seats: ready,
        inputTexts,
        // Whoever coordinates the run has the operator's trust files: it asks for all each beat, and for its own turns before
        // each model call.
        standing: new Standing({
          store: team.store,
          trust: parts.asksTrust ? runTrust(house, run) : null,
          today: house.trust,
          broken,
        }),
        fileBytes,
        briefs,
        lease: (turn: number) => leaseTurn(link, id, turn, parts.trouble),
        runBy: { host: link.holder.host, worker: link.holder.id },
        denies: deniesHere(house, link.holder.host),
      });
    } catch (error) {
      await team.releases.run();
      throw error;
    }
  }

  private constructor(
    parts: ServedParts,
    team: RedisTeam,
    files: LocalWorkspace | null,
    briefs: BriefDesk | null,
    turns: ConstructorParameters<typeof TeamTurns>[0],
  ) {
    this.id = team.id;
    this.#parts = parts;
    this.#team = team;
    this.place = new WorkedPlace(team.store, files);
    this.#briefs = briefs;
    const { store } = team;
    const failed = (error: unknown): void => this.#fail(error);
    this.#turns = new TeamTurns(turns, {
      onTranscript: () => {},
      onFragment: undefined,
      send: (command) => this.#send(command),
      failed,
      trouble: (text) => parts.trouble(text),
    });
    store.onEntry((entry) => {
      for (const fact of entry.facts) {
        this.#briefs?.react(fact);
        this.#turns.react(fact);
      }
    }, failed);
    this.#shared = new SharedTurns({
      ...parts,
      team: team.id,
      store,
      failed,
      beat: async () => {
        store.rest(); // Also beside a turn that thinks for long.
        this.#coordinator.look(); // The end of the run may be this process's to see to by now.
      },
    });
    this.#coordinator = new Coordinator({
      team: team.id,
      store,
      ask: (jobs) => this.#shared.ask(jobs),
      // Who coordinates the run knows whether somebody is there to answer, and sees to its end.
      maySweep: () => runHolder(parts.link, team.id).then(isNobody, notNow),
      operatorPresent: () => true, // From any process that reaches the server.
      leftover: () => this.#turns.leftover(),
      missingArtifacts: () => missingArtifacts(store.state, turns.fileBytes, parts.link.holder.host),
      onFailure: failed,
    });
    this.#follower = new Follower(store, failed);
    this.#turns.go();
    this.#briefs?.go({ failed, trouble: (text) => parts.trouble(`${team.id}: ${text}`) });
    this.#coordinator.go();
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  strange(ring: KeyRing): string | undefined {
    const { run } = this.#team.store.state;
    return run === null ? undefined : notAccepted(run, ring, this.#parts.link.place.signed);
  }

  async run(job: TurnJob, signal: AbortSignal): Promise<void> {
    this.#running++;
    this.#follower.on(); // A word to stop reaches what runs here.
    let ran = true;
    try {
      await this.#team.store.catchUp();
      const binding = this.place.binding(job.member, this.#parts.link.holder.host);
      if (binding !== undefined) await this.#send(binding);
      ran = await this.#turns.run(job, signal);
    } finally {
      this.#running--;
      if (this.#running === 0) {
        this.#follower.off();
        this.#team.store.rest();
      }
      this.#coordinator.jobEnded(job, ran);
    }
  }

  look(): Promise<void> {
    return this.#shared.look();
  }

  callOff(): void {
    this.#turns.callOff(new CancelledError('stopped', 'this worker stops'));
  }

  kill(): void {
    this.#turns.kill();
  }

  async close(graceMs: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#follower.off();
    this.#coordinator.close();
    this.#turns.close();
    this.callOff();
    await this.#shared.close(graceMs + SLACK_MS);
    await this.#briefs?.close(graceMs);
    await this.#team.groups.endAll(gentleLadder(graceMs));
    await this.#team.releases.run();
  }

  #send(command: Command): Promise<unknown> {
    return this.#team.store.send(`worker/${ulid(this.#parts.link.clock.wallMs())}`, command);
  }

  #fail(error: unknown): void {
    if (!this.#closed) this.#parts.failed(error);
  }
}
