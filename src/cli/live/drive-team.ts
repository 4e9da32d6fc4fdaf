/**
 * The life of a run as this process sees it, the same for `run` and `resume`: begin, watch, obey signals, tell the
 * end, give its exit code.
 */

import { resolveOutputConfig } from '../../config/output-config.js';
import type { FactOf } from '../../events/event.js';
import type { House } from '../../runtime/house.js';
import type { Ended, LiveTeam, TeamOptions } from '../../runtime/live-team.js';
import { seenToItsEnd } from '../../runtime/seen-to-its-end.js';
import type { AttachedOptions, AttachedTeam } from '../../runtime/workers/attached-team.js';
import { isoStamp } from '../../shared/clock.js';
import { CodedError, errorText, UserError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { jsonLine } from '../../shared/jsonl.js';
import { Releases } from '../../shared/releases.js';
import { plainJson, stripControls } from '../../shared/terminal-text.js';
import { exitCode } from '../../team/end.js';
import type { Call, Program, StopCause } from '../call.js';
import { REFUSED, refuse } from '../refusal.js';
import { systemFinding } from '../system-finding.js';
import { factLine } from './event-line.js';
import { TeamWatch } from './team-watch.js';

export type Begun =
  | { readonly kind: 'live'; readonly team: LiveTeam; readonly house: House }
  /** Another process runs it. */
  | { readonly kind: 'attached'; readonly team: AttachedTeam }
  /** It had ended before: its exit code again, no work. */
  | {
      readonly kind: 'finished';
      readonly id: string;
      readonly n: number;
      readonly at: string;
      readonly end: FactOf<'run.ended'>;
    }
  /** A signal came first; nothing was created. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** What the one who begins a run is given. */
export interface Beginning {
  readonly options: TeamOptions;
  /** Fires when a signal has come: nothing may be created any more, and nothing waited for. */
  readonly stopped: AbortSignal;
  readonly quiet: boolean;
  /** How a team that another process runs is looked on; null: it is refused. */
  readonly attach: AttachedOptions | null;
  /** Run when the command is over. */
  readonly releases: Releases;
}

/** Runs a team to its end. */
export async function driveTeam(
  call: Call,
  begin: (beginning: Beginning) => Promise<Begun>,
): Promise<number> {
  const { program } = call;
  const config = resolveOutputConfig(call.layers);
  if (config.kind === 'refused') return refuse(program, config.findings);
  const watch = new TeamWatch(program, config.value);
  const signals = new RunSignals(program);
  const options: TeamOptions = {
    operatorPresent: program.input.isTerminal,
    onEntry: (entry, team) => {
      signals.began(team);
      watch.entry(entry, team);
    },
    onTranscript: (member, entry) => watch.transcript(member, entry),
    onNote: (text) => watch.note(text),
    // Lines about members that are silent say how far their answers are; what they hold is not shown.
    ...(config.value.quiet ? {} : { onFragment: () => {} }),
  };
  const attach: AttachedOptions | null = config.value.attach
    ? { onEntry: (entry, team) => watch.entry(entry, team), answers: program.input.isTerminal }
    : null;
  const releases = new Releases();
  const form = config.value.events === 'text' ? 'text' : 'events';
  try {
    const begun = await refusedWhenThrown(
      begin({ options, stopped: signals.stopped, quiet: config.value.quiet, attach, releases }),
    );
    switch (begun.kind) {
      case 'refused':
        return refuse(program, begun.findings, form, begun.exit);
      case 'cancelled':
        return refuse(program, [CANCELLED], form, exitCode('cancelled', signals.cause));
      case 'finished':
        return await tellAgain(program, begun, form);
      case 'attached':
        return await lookOn(program, begun.team, watch, signals);
      case 'live': {
        const { team, ended } = await seenToItsEnd(begun.house, begun.team, options);
        signals.ended();
        await watch.end(team, ended);
        return ended.exit;
      }
    }
  } finally {
    signals.release();
    await releases.run();
  }
}

const CANCELLED: Finding = {
  code: 'cancelled',
  severity: 'error',
  path: 'bnerd team',
  message: 'a signal came before the team was started; nothing was created',
  remedy: 'start it again',
};

/** Looks on to the end of the run, or of the looking on: that of a signal ends nothing else. */
async function lookOn(
  { output }: Program,
  team: AttachedTeam,
  watch: TeamWatch,
  signals: RunSignals,
): Promise<number> {
  signals.began({ stop: () => team.detach(), kill: () => team.detach() });
  watch.attached(team);
  watch.note(`looking on at ${team.id}, which another process runs; Ctrl-C ends the looking on alone`);
  const end = await team.over;
  signals.ended();
  if (end.kind === 'ended') {
    await watch.end(team, end.ended);
    return end.ended.exit;
  }
  const again = `bnerd team resume ${team.id}`;
  const said = {
    detached: `looking on has ended; the team goes on: ${again} --attach`,
    left: `no process runs ${team.id}, and it has not ended; go on with: ${again}`,
    failed: `${team.id} cannot be looked on any more: ${end.kind === 'failed' ? errorText(end.error) : ''}`,
  }[end.kind];
  await watch.over(said);
  await output.results.flushed();
  return end.kind === 'detached' ? exitCode('cancelled', signals.cause) : 1;
}

/** What a signal is passed on to. */
interface Stopped {
  stop(cause: StopCause): unknown;
  kill(): void;
}

/** Signals of a run: the first word stops, the second kills, a later one gives up the readers of our streams. */
class RunSignals {
  readonly #program: Program;
  readonly #stopped = new AbortController();
  readonly release: () => void;
  #team: Stopped | undefined;
  #over = false;
  #cause: StopCause | undefined;

  constructor(program: Program) {
    this.#program = program;
    this.release = program.onStop((cause, word) => this.#said(cause, word));
  }

  /** Fires with the first signal. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /** The first signal's, undefined while none has come. */
  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** The team is there, for the first time or once more; a word that came before is passed on. */
  began(team: Stopped): void {
    if (this.#team === team) return;
    this.#team = team;
    if (this.#cause !== undefined) void team.stop(this.#cause);
  }

  /** The team has ended: what is left is telling it. */
  ended(): void {
    this.#over = true;
  }

  #said(cause: StopCause, word: number): void {
    this.#cause ??= cause;
    this.#stopped.abort();
    if (this.#over) {
      this.#program.output.results.abandon();
      this.#program.output.notes.abandon();
    } else if (word === 1) {
      void this.#team?.stop(cause);
    } else {
      this.#team?.kill();
    }
  }
}

/** Errors of the way in are told like refusals: the exit code says whether the person can mend them. */
async function refusedWhenThrown(
  beginning: Promise<Begun>,
): Promise<
  Exclude<Begun, { kind: 'refused' }> | { kind: 'refused'; findings: readonly Finding[]; exit: number }
> {
  try {
    const begun = await beginning;
    return begun.kind === 'refused' ? { ...begun, exit: REFUSED } : begun;
  } catch (error) {
    const told = findingOf(error);
    if (told === undefined) throw error;
    const said = error instanceof UserError ? error.findings : [];
    return {
      kind: 'refused',
      findings: said.length > 0 ? said : [told],
      exit: error instanceof UserError ? REFUSED : 1,
    };
  }
}

/** What went wrong on the way in: an error of ours, or what the system did not allow. Undefined for a bug. */
function findingOf(error: unknown): Finding | undefined {
  const path = 'bnerd team';
  if (!(error instanceof CodedError)) return systemFinding(error, path);
  const { code } = error;
  const remedy = code === 'disk-full' ? 'make room and try again' : 'mend it and try again';
  return { code, severity: 'error', path, message: errorText(error), remedy };
}

/** The end of a team that had ended before, in the form asked for. */
async function tellAgain(
  { output }: Program,
  { id, n, at, end }: Extract<Begun, { kind: 'finished' }>,
  form: 'text' | 'events',
): Promise<Ended['exit']> {
  if (form === 'events')
    output.results.write(plainJson(jsonLine(factLine({ seq: 1, at, team: id }, n, end))));
  else if (end.result !== null) output.results.write(`${stripControls(end.result).trimEnd()}\n`);
  output.notes.write(
    `${end.reason} (exit ${end.exit}): ${id} had ended on ${isoStamp(Date.parse(at))}; nothing was run\n`,
  );
  await output.results.flushed();
  return end.exit;
}
