/**
 * Everything that is shown of a running team: progress and questions on stderr, events on stdout, the last lines.
 *
 * Always true: what goes wrong here is said and never reaches the team.
 */

import type { OutputConfig } from '../../config/output-config.js';
import type { FactOf } from '../../events/event.js';
import type { LogEntry } from '../../events/log-entry.js';
import type { TranscriptEntry } from '../../events/transcript-entry.js';
import type { Ended, LiveTeam } from '../../runtime/live-team.js';
import { sleep } from '../../shared/abort.js';
import { isoStamp } from '../../shared/clock.js';
import { errorText } from '../../shared/errors.js';
import { oneLine, stripControls } from '../../shared/terminal-text.js';
import { runTotals } from '../../team/end.js';
import type { Program } from '../call.js';
import { type Closing, closingLines } from './closing.js';
import { factLine } from './event-line.js';
import { EventStream } from './event-stream.js';
import { memberLine, progressLines } from './progress.js';
import { Screen } from './screen.js';
import { activityText, heardOf, listen, type Silence } from './silence.js';
import { TerminalSession } from './terminal-session.js';

/** How often it is looked at who has been silent. */
const LOOK_MS = 1_000;

/** Stands in front of a result that nobody thought of. */
const SIMULATED = 'SIMULATED';

/** What is looked on: a team that this process runs, or one that others run. */
export type WatchedTeam = Pick<
  LiveTeam,
  'id' | 'lines' | 'isShared' | 'workspace' | 'state' | 'activity' | 'answer' | 'send'
>;

export class TeamWatch {
  readonly #program: Program;
  readonly #config: OutputConfig;
  readonly #screen: Screen;
  readonly #over = new AbortController();
  /** The one that was told of last: a team whose server had lost of its record is taken up as another. */
  #team: WatchedTeam | undefined;
  #stream: EventStream | undefined;
  #session: TerminalSession | undefined;
  #listening: Promise<void> | undefined;
  #silence: Silence = new Map();

  constructor(program: Program, config: OutputConfig) {
    this.#program = program;
    this.#config = config;
    this.#screen = new Screen(program.output.notes);
  }

  /** Begins to look on at a team that others run: it may have been waiting for a person since before. */
  attached(team: WatchedTeam): void {
    this.#guarded(() => {
      this.#team = team;
      this.#listening ??= this.#listen();
      const { input } = this.#program;
      if (input.isTerminal) this.#session ??= new TerminalSession(team, this.#screen, input);
    });
  }

  /** Ends without an end of the run. */
  async over(said: string): Promise<void> {
    this.#over.abort();
    await this.#listening;
    this.#session?.end();
    this.#screen.print([oneLine(said, 2_000)]);
    await this.#program.output.notes.flushed();
  }

  /** A log entry is durable; the first one begins the watch. */
  entry(entry: LogEntry, team: WatchedTeam): void {
    this.#guarded(() => {
      const { id, lines } = team;
      if (this.#team !== undefined && this.#team !== team) {
        this.#stream?.anew(lines, entry.first);
        this.#session?.end();
        this.#session = undefined;
      }
      this.#team = team;
      if (this.#config.events !== 'text') {
        const sink = this.#program.output.results;
        this.#stream ??= new EventStream({ sink, team: id, lines, from: entry.first });
        if (team.isShared) this.#memoriesOf(entry);
        this.#stream.entry(entry);
      }
      if (!this.#config.quiet) this.#showProgress(entry, team);
      this.#listening ??= this.#listen();
      this.#askPerson(entry, team);
    });
  }

  /** A transcript entry of a turn that runs here is durable. */
  transcript(member: string, entry: TranscriptEntry): void {
    this.#guarded(() => this.#memory(member, entry.id));
  }

  /** What a turn that ran elsewhere has added to the memory of its member is there when its end is. */
  #memoriesOf({ facts }: LogEntry): void {
    for (const fact of facts) if (fact.type === 'turn.ended') this.#memory(fact.member, fact.upto);
  }

  #memory(member: string, upto: string): void {
    if (this.#config.events !== 'all') return;
    this.#stream?.transcript(member, upto, isoStamp(this.#program.clock.wallMs()));
  }

  /** Something that is no part of the record. */
  note(text: string): void {
    if (!this.#config.quiet) this.#guarded(() => this.#screen.print([oneLine(text, 2_000)]));
  }

  /** Shows the end, when everything before it has been shown. Resolves when both streams have taken it. */
  async end(team: WatchedTeam, ended: Ended): Promise<void> {
    this.#over.abort();
    await this.#listening;
    this.#session?.end();
    const stdout = await this.#endResults(team, ended);
    const { id, workspace } = team;
    this.#screen.print(closingLines({ team: id, workspace, ended, stdout }));
    await this.#program.output.notes.flushed();
  }

  #askPerson(entry: LogEntry, team: WatchedTeam): void {
    const { input } = this.#program;
    if (this.#session !== undefined) this.#session.entry(entry);
    else if (input.isTerminal) this.#session = new TerminalSession(team, this.#screen, input);
  }

  #showProgress(entry: LogEntry, team: WatchedTeam): void {
    const state = team.state();
    const started = entry.facts.find((fact) => fact.type === 'run.started');
    const lines = progressLines(entry.facts, {
      team: team.id,
      lead: started?.seats.find(({ lead }) => lead)?.member ?? state.lead,
      operatorPresent: this.#session?.isOpen ?? this.#program.input.isTerminal,
      at: entry.at,
      subject: (task) => state.tasks.get(task)?.spec.subject ?? null,
      workingDirectory: this.#program.workingDirectory,
    });
    const now = this.#program.clock.monotonicMs();
    for (const { member } of lines) {
      if (member !== null) this.#silence = heardOf(this.#silence, member, now);
    }
    this.#screen.print(lines.map(({ text }) => text));
  }

  async #listen(): Promise<void> {
    if (this.#config.quiet) return;
    try {
      for (;;) {
        await sleep(LOOK_MS, this.#over.signal);
        this.#guarded(() => {
          const team = this.#team;
          if (team === undefined) return;
          const heard = listen(this.#silence, team.activity(), this.#program.clock.monotonicMs());
          this.#silence = heard.silence;
          // While a person is asked, what they have to answer is not pushed away by lines that say nothing new.
          if (this.#screen.asking) return;
          const { lead } = team.state();
          this.#screen.print(heard.due.map((one) => memberLine(one.member, lead, activityText(one))));
        });
      }
    } catch {
      // The watch is over: the sleep was called off.
    }
  }

  async #endResults(team: WatchedTeam, ended: Ended): Promise<Closing['stdout']> {
    const { results } = this.#program.output;
    if (this.#config.events !== 'text') {
      if (!ended.recorded) {
        const at = isoStamp(this.#program.clock.wallMs());
        await this.#stream?.last((place) => factLine({ ...place, at }, null, unrecordedEnd(team, ended)));
      }
      await this.#stream?.end();
      const problem = this.#stream?.problem ?? null;
      if (problem !== null) this.#screen.print([`the event stream ended early: ${problem}`]);
      return { kind: 'not-asked' };
    }
    if (ended.result !== null) {
      if (team.state().run?.simulated === true && !ended.result.startsWith(SIMULATED))
        results.write(`${SIMULATED}: no model was asked\n\n`);
      results.write(`${stripControls(ended.result).trimEnd()}\n`);
    }
    await results.flushed();
    return results.failure === null ? { kind: 'written' } : { kind: 'failed', why: results.failure };
  }

  #guarded(show: () => void): void {
    try {
      show();
    } catch (error) {
      // A line that cannot be shown is no reason to disturb the team that it is about.
      this.#program.output.notes.write(`not shown: ${stripControls(errorText(error))}\n`);
    }
  }
}

/** The end of a run as its record would hold it, had it taken it. */
function unrecordedEnd(team: WatchedTeam, ended: Ended): FactOf<'run.ended'> {
  const state = team.state();
  return {
    type: 'run.ended',
    reason: ended.reason,
    exit: ended.exit,
    cause: ended.cause,
    detail: ended.detail,
    closed_by: 'runtime',
    result: ended.result,
    artifacts: [],
    open_requests: [...ended.openRequests],
    open_tasks: [...ended.openTasks],
    totals: runTotals(state, state.at),
  };
}
