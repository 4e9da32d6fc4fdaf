/**
 * A team on Redis that other processes run, as somebody sees it who looks on and answers (spec/engine.md §3 "--attach"). It
 * takes nothing: its words go into the record like those of any operator, and its end is that of the looking on.
 */

import { runHolder } from '../../dispatch/leases.js';
import { isLive, keepAttended } from '../../dispatch/presence.js';
import type { GrowingRecord } from '../../events/growing-record.js';
import type { LogEntry } from '../../events/log-entry.js';
import { errorText, FatalError } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import { redactionNote } from '../../shared/secrets/redactor.js';
import type { Command } from '../../team/command.js';
import { sentText } from '../../team/decide/mail.js';
import type { TeamState } from '../../team/show/view.js';
import { type Ended, endedBy } from '../ended.js';
import { RedisGrowth } from '../engine/redis-growth.js';
import { openLink, type RedisPlace, redisFolder } from '../engine/redis-link.js';
import { joinRedisTeam, type RedisTeam } from '../engine/redis-open.js';
import type { House } from '../house.js';
import { missingOfRequest } from '../missing-of-request.js';
import { type Answer, type Answered, answerCommand } from '../operator-words.js';
import type { MemberActivity } from '../turns/activity.js';
import { Follower } from './follower.js';

/** How it is over: the run has ended; we were told to look no longer; nobody serves the team any more; it cannot be read. */
export type AttachedEnd =
  | { readonly kind: 'ended'; readonly ended: Ended }
  | { readonly kind: 'detached' }
  | { readonly kind: 'left' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface AttachedOptions {
  /** Every entry that is recorded from now on; must not throw. */
  readonly onEntry: (entry: LogEntry, team: AttachedTeam) => void;
  /** Somebody is there to answer: the run waits for him where it would end for want of an answer. */
  readonly answers: boolean;
}

export class AttachedTeam {
  readonly id: string;
  readonly lines: GrowingRecord;
  readonly isShared = true;
  readonly workspace: string;
  readonly over: Promise<AttachedEnd>;
  readonly #house: House;
  readonly #team: RedisTeam;
  readonly #follower: Follower;
  #settle: (end: AttachedEnd) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Looks on from now. Rejects as `openLink` does, and with what keeps the record from being read. */
  static async open(
    house: House,
    place: RedisPlace,
    id: string,
    options: AttachedOptions,
  ): Promise<AttachedTeam> {
    const link = await openLink(house, place);
    try {
      const team = await joinRedisTeam(house, link, id, redisFolder(house, place, id));
      team.releases.add('connection', () => link.close());
      if (options.answers) {
        const attended = await keepAttended(link, id);
        team.releases.add('attendance', async () => attended.drop());
      }
      return new AttachedTeam(house, team, options);
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  private constructor(house: House, team: RedisTeam, { onEntry }: AttachedOptions) {
    const { store } = team;
    this.#house = house;
    this.#team = team;
    this.id = team.id;
    this.lines = new RedisGrowth(team.link.place, team.id);
    this.workspace = store.state.run?.workspace.path ?? team.folder;
    const over = new Promise<AttachedEnd>((resolve) => {
      this.#settle = resolve;
    });
    this.over = over.then((end) => this.#close(end));
    const failed = (error: unknown): void => this.#settle({ kind: 'failed', error });
    store.onEntry((entry) => {
      onEntry(entry, this);
      for (const fact of entry.facts) {
        if (fact.type !== 'run.ended') continue;
        this.#settle({ kind: 'ended', ended: endedBy(fact, store.state.run ?? { seats: [] }) });
      }
    }, failed);
    this.#follower = new Follower(store, failed);
    this.#follower.on();
    this.#lookWhoServes(0);
  }

  state(): TeamState {
    return this.#team.store.state;
  }

  /** What members do is known where they do it. */
  activity(): readonly MemberActivity[] {
    return [];
  }

  /** The operator's word on a request. */
  async answer(request: string, answer: Answer): Promise<Answered> {
    const missing = await missingOfRequest(this.#house, this.#team, request);
    const command = answerCommand(this.state(), request, answer, this.#house.user, missing);
    if (command.kind === 'refused') return command;
    return this.#say(command.command, () => `${request}: ${command.word}`);
  }

  /** A message of the operator to a member or the lead. */
  send(to: string, text: string): Promise<Answered> {
    const by = { kind: 'operator' as const, name: this.#house.user };
    const command: Command = { kind: 'mail.send', by, to, body: text, task: null };
    return this.#say(command, (facts) => sentText(this.state(), facts));
  }

  /** Looks on no longer. The team does not know of it. */
  detach(): void {
    this.#settle({ kind: 'detached' });
  }

  async #say(command: Command, text: (facts: LogEntry['facts']) => string): Promise<Answered> {
    const { store, link } = this.#team;
    if (this.#closed) return { kind: 'refused', code: 'ended', message: 'nobody looks on any more' };
    try {
      const outcome = await store.send(`operator/${ulid(link.clock.wallMs())}`, command);
      if (outcome.kind === 'refused') return outcome;
      return {
        kind: 'accepted',
        text: `${text(outcome.facts)}${redactionNote(this.#house.secrets, command)}`,
      };
    } catch (error) {
      const code = error instanceof FatalError ? error.code : 'failed';
      return { kind: 'refused', code, message: errorText(error) };
    }
  }

  /** Looks each beat whether somebody serves the team. @param absent how often nobody did */
  #lookWhoServes(absent: number): void {
    const { link } = this.#team;
    this.#timer = setTimeout(() => {
      this.#isServed().then(
        (served) => {
          if (this.#closed) return;
          // Once more: a coordinator may have gone and another not come yet.
          if (!served && absent > 0) this.#settle({ kind: 'left' });
          else this.#lookWhoServes(served ? 0 : absent + 1);
        },
        () => {
          if (!this.#closed) this.#lookWhoServes(absent); // The server is away: the record says so in time.
        },
      );
    }, link.place.timing.beatMs);
  }

  async #isServed(): Promise<boolean> {
    const { link } = this.#team;
    return (await runHolder(link, this.id)) !== undefined || (await isLive(link, this.id));
  }

  async #close(end: AttachedEnd): Promise<AttachedEnd> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#follower.off();
    await this.#team.releases.run();
    return end;
  }
}
