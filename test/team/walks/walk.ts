/**
 * A walk: a team that random commands are given to, with every promise checked after each (`invariants.ts`).
 * `moves.ts` says what may happen, `drive.ts` how a walk is brought to its end, `random-team.ts` who is in it.
 *
 * Beside the live state a second one is kept, folded from the entries as a disk would give them: the two are compared
 * after every command, so a decision that touches the state, or a fact that loses something on its way, is seen at once.
 */

import { logEntry } from '../../../src/events/log-entry.js';
import { appliedOf } from '../../../src/team/applied.js';
import type { Command } from '../../../src/team/command.js';
import { decide } from '../../../src/team/decide.js';
import type { Decision } from '../../../src/team/decision.js';
import { dueMembers } from '../../../src/team/due.js';
import { emptyState, type TeamState } from '../../../src/team/state.js';
import { sameState, type Team } from '../../helpers/build-state.js';
import { BriefWatch, brokenBriefs } from './brief-invariants.js';
import { brokenIn, Watch } from './invariants.js';
import { Judges } from './judges.js';
import { ProcessWatch } from './process-invariants.js';
import { QuietWatch } from './quiet-watch.js';
import type { Tally } from './tally.js';
import { Twins } from './twins.js';

/** How many commands a failure shows. */
const SHOWN = 25;

/** Commands between two looks at all mail and all of the state: what has ended long ago changes no more. */
const WHOLE_EVERY = 50;

export interface Given {
  readonly id: string;
  readonly command: Command;
  readonly decision: Decision;
}

export class Walk {
  readonly team: Team;
  readonly watch = new Watch();
  readonly judges = new Judges();
  readonly briefs = new BriefWatch();
  readonly processes = new ProcessWatch();
  readonly quiet = new QuietWatch();
  readonly given: Given[] = [];
  readonly #tally: Tally | undefined;
  /** The entries folded as they would be read. */
  readonly #shadow = emptyState();
  readonly #twins = new Twins();
  #seen = 0;
  #checked = 0;

  /** @param tally where what happens is counted; without one nobody counts */
  constructor(team: Team, tally?: Tally) {
    this.team = team;
    this.#tally = tally;
    this.#see();
  }

  /** Gives one command to the team and checks everything. */
  do(command: Command, id: string = this.team.commandId(command)): Decision {
    const known = appliedOf(this.team.state, id) !== undefined;
    const before = this.team.state.next;
    const decision = this.team.do(command, id);
    this.given.push({ id, command, decision });
    this.#tally?.given(command.kind, decision);
    if (!known) {
      this.judges.heard(command, decision);
      this.briefs.heard(command, decision);
      this.processes.heard(command, decision, this.team.state);
    }
    if (known && this.team.state.next !== before) this.fail([`the repeated ${id} has changed the team`]);
    if (decision.kind === 'refused' && decision.message.length < 8)
      this.fail(['a refusal without a sentence']);
    this.#see();
    return decision;
  }

  /**
   * Loses the process: the state is folded again from the record, then the next process takes it up.
   * @param kept turns that others hold
   */
  crash(kept?: readonly number[]): void {
    this.team.state = this.refold();
    this.#tally?.crashed();
    const held = kept === undefined ? {} : { kept };
    this.do({ kind: 'run.resume', host: 'host', ...held, disabled: [], findings: [] });
  }

  /** Invariants 3 and 7, and that every entry is what the published schema says; gives the fold. */
  refold(): TeamState {
    const folded = this.team.refold();
    if (!sameState(folded, this.team.state)) this.fail(['7: the fold differs from the live state']);
    const lost = this.watch.mailbox(this.team.state);
    if (lost.length > 0) this.fail(lost);
    for (const entry of this.team.entries.slice(this.#checked)) {
      const parsed = logEntry.safeParse(entry);
      if (!parsed.success) this.fail([`no valid entry: ${JSON.stringify(parsed.error.issues)}`]);
    }
    this.#checked = this.team.entries.length;
    return folded;
  }

  /** Invariant 9: with nothing due no turn can be started, by nobody. */
  nothingDue(): void {
    const { state, now } = this.team;
    if (dueMembers(state, now).length > 0) return;
    for (const member of state.members.keys()) {
      const decision = decide(state, 'probe', { kind: 'turn.start', member, cause: 1 }, now);
      if (decision.kind === 'accepted') this.fail([`9: ${member} is not due and may start a turn`]);
    }
    const swept = decide(
      state,
      'probe',
      { kind: 'run.sweep', operatorPresent: true, missingArtifacts: [] },
      now,
    );
    if (swept.kind === 'accepted' && swept.facts.some((fact) => fact.type === 'turn.started'))
      this.fail(['9: a sweep has made a turn']);
  }

  fail(broken: readonly string[]): never {
    const last = this.given.slice(-SHOWN).map(({ id, command, decision }) => {
      const answer =
        decision.kind === 'refused' ? decision.code : decision.facts.map((fact) => fact.type).join(' ');
      return `${id} ${JSON.stringify(command)} → ${answer}`;
    });
    throw new Error(`${broken.join('\n')}\nafter:\n${last.join('\n')}`);
  }

  #see(): void {
    for (const entry of this.team.kept(this.#seen)) {
      for (const fact of entry.facts) {
        this.#tally?.made(fact.type);
        this.judges.see(fact, entry.at);
      }
      this.watch.see(entry.facts);
      this.briefs.see(entry.facts);
      this.processes.see(entry.facts, entry.at);
      this.quiet.see(this.#shadow, entry, this.team.now);
      this.#seen++;
    }
    const { state, now } = this.team;
    const broken = [
      ...this.watch.broken,
      ...this.judges.broken,
      ...this.briefs.broken,
      ...this.processes.broken,
      ...this.quiet.broken,
      ...this.briefs.money(state),
      ...brokenBriefs(state),
      ...brokenIn(state, now),
    ];
    const whole = this.given.length % WHOLE_EVERY === 0;
    if (whole) broken.push(...this.watch.mailbox(state));
    if (!(whole ? sameState(state, this.#shadow) : this.#twins.agree(state, this.#shadow)))
      broken.push('7: the live state is not what its entries say');
    if (broken.length > 0) this.fail(broken);
    this.nothingDue();
  }
}
