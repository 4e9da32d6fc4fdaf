/**
 * What happens, for people: facts → lines of stderr (spec/team.md §8). Pure. The lead is called `lead`, as in mail.
 * Facts that a person has no use for give no line.
 */

import type { Fact, FactOf } from '../../events/event.js';
import { oneLine } from '../../shared/terminal-text.js';
import { REFERENCE_TEXT } from '../../skills/choose/resolve-name.js';
import { RECLAIMS } from '../../team/state.js';
import { secondsText } from '../../team/waits.js';
import { findingLines, isUnused } from '../texts/finding-text.js';
import { escapedInOneLine } from './marked-text.js';
import { answerWords } from './prompt-blocks.js';

export interface ProgressPlace {
  readonly team: string;
  /** Name of the lead's seat. */
  readonly lead: string;
  /** A person is asked at this terminal; otherwise a request is listed with the command that answers it. */
  readonly operatorPresent: boolean;
  /** Team time of the entry, milliseconds. */
  readonly at: number;
  /** Subject of a task, null when there is no such task. */
  readonly subject: (task: string) => string | null;
  /** Where the program was started: paths are told as they are typed there. */
  readonly workingDirectory: string;
}

export interface ProgressLine {
  /** The member it is about; null: the team. */
  readonly member: string | null;
  readonly text: string;
}

/** The lines of one log entry, in order. */
export function progressLines(facts: readonly Fact[], place: ProgressPlace): ProgressLine[] {
  const lines: ProgressLine[] = [];
  const spawned = facts.flatMap((fact) =>
    fact.type === 'member.spawned' && !fact.seat.lead ? [fact.seat.member] : [],
  );
  for (const fact of facts) {
    if (fact.type === 'member.spawned') {
      // The members of one entry were spawned together: one line for all of them, where the first stands.
      if (fact.seat.member === spawned[0]) {
        lines.push(about(place, place.lead, `spawning ${spawned.join(', ')}`));
      }
    } else if (!isToldByAnother(fact, facts)) {
      lines.push(...linesOf(fact, place));
    }
  }
  return lines;
}

/** Whether another fact of the entry says all that this one would: its answer, the failure it ended in, the end. */
function isToldByAnother(fact: Fact, facts: readonly Fact[]): boolean {
  switch (fact.type) {
    case 'request.opened':
      return facts.some((other) => other.type === 'request.decided' && other.request === fact.request);
    case 'turn.ended':
      return facts.some((other) => other.type === 'member.failed' && other.member === fact.member);
    case 'limit.reached':
      return facts.some((other) => other.type === 'run.ended');
    default:
      return false;
  }
}

/** `[member] text`, controls stripped; `lead` for the lead. */
export function memberLine(member: string, lead: string, text: string): string {
  return oneLine(`[${member === lead ? 'lead' : member}] ${text}`, 300);
}

function linesOf(fact: Fact, place: ProgressPlace): ProgressLine[] {
  const of = (member: string, text: string): ProgressLine[] => [about(place, member, text)];
  switch (fact.type) {
    case 'run.started':
      return aboutFiles(fact.findings.filter(isTold), place);
    case 'run.resumed':
      return [team(`resumed: ${place.team}`), ...aboutFiles(fact.findings, place)];
    case 'run.stopping':
      return [team('stopping: no new turns, running tools get their grace; once more to kill them')];
    case 'run.killing':
      return [team('killing: running tools are ended at once')];
    case 'run.nudged':
      return of(place.lead, `told that the run cannot go on as it is (${fact.about})`);
    case 'limit.reached':
      return [team(`limit reached: ${fact.limit} = ${fact.value}`)];
    case 'entry.rejected':
    case 'entry.omitted':
      return of(fact.member, `without the skill ${fact.entry} (${fact.reason}): ${fact.detail}`);
    case 'member.compacted': {
      const [before, after] = [fact.before_tokens, fact.after_tokens].map((n) => n.toLocaleString('en-US'));
      return of(fact.member, `memory compacted, ${before} → ${after} tokens`);
    }
    case 'member.failed':
      return of(fact.member, `errored: ${fact.error}`);
    case 'member.restarted':
      return of(fact.member, `restarted by ${fact.by}`);
    case 'member.stopping':
      return of(
        fact.member,
        fact.forced
          ? 'stopping: its tools are killed'
          : `to stop, by ${fact.by}: its turn is called off, its tools get their grace`,
      );
    case 'member.stopped':
      return of(fact.member, `stopped by ${fact.by}: ${fact.reason}`);
    case 'turn.lost':
      return of(fact.member, `turn ${fact.turn} was lost${onHost(fact)}: ${fact.detail}`);
    case 'turn.reclaim_deferred':
      return fact.count < RECLAIMS
        ? []
        : of(
            fact.member,
            `turn ${fact.turn} cannot be taken over: its old process on ${fact.host} is alive and does not end; end it there (${fact.detail})`,
          );
    case 'workspace.bound':
      return [team(`the workspace is on ${fact.host}${atCommit(fact)}`)];
    case 'workspace.lost':
      return [
        team(`the workspace on ${fact.host} is lost: ${fact.detail}; it starts again${atCommit(fact)}`),
      ];
    case 'turn.ended':
      if (fact.outcome !== 'finished') return unfinished(fact, place);
      // The lead waits between turns by nature; that is told of the others, who could be given work.
      return fact.member === place.lead ? [] : of(fact.member, 'idle');
    case 'task.claimed':
      return of(fact.member, `task ${fact.task}: ${place.subject(fact.task) ?? ''}`);
    case 'task.submitted':
      return of(fact.member, `task ${fact.task} handed in for review: ${firstLine(fact.summary)}`);
    case 'task.reviewed':
      return of(fact.member, `task ${fact.task}: ${verdictText(fact)}`);
    case 'task.completed':
      return of(fact.member, `task ${fact.task} completed: ${firstLine(fact.summary)}`);
    case 'task.failed':
      return [team(`task ${fact.task} failed (${fact.cause}): ${fact.detail}`)];
    case 'task.cancelled':
      return [team(`task ${fact.task} cancelled: ${fact.detail}`)];
    case 'task.blocked':
      return [team(`task ${fact.task} blocked (${fact.reason}): ${fact.detail}`)];
    case 'task.released':
      return of(fact.member, `task ${fact.task} released (${fact.reason})`);
    case 'request.opened':
      return place.operatorPresent && !fact.principals.includes('lead')
        ? []
        : of(
            fact.member,
            `waits for ${fact.request}, a ${fact.kind}: ${escapedInOneLine(fact.summary)}${wayOut(fact, place)}`,
          );
    case 'request.decided':
      return fact.by.kind === 'policy'
        ? []
        : [team(`${fact.request}: ${fact.decision} by ${fact.by.kind} (${fact.by.name})`)];
    case 'permission.granted':
      return of(
        fact.member,
        `may call ${fact.tool} ${escapedInOneLine(fact.match ?? '')} from here on (always, ${fact.request})`,
      );
    case 'request.expired':
      return [team(`${fact.request} has expired without an answer; it was not run`)];
    case 'request.withdrawn':
      return [team(`${fact.request} was withdrawn: ${fact.reason}`)];
    case 'brief.sent':
      return of(
        fact.member,
        `engineer ${fact.engineer.kind} sent for ${fact.task}: brief ${briefName(fact, place)}`,
      );
    case 'brief.accepted':
      return [team(`brief ${briefName(fact, place)} taken by ${fact.runner}`)];
    case 'brief.progress':
      return [team(`brief ${briefName(fact, place)}: ${fact.detail ?? fact.step}`)];
    case 'brief.cancel_requested':
      return [team(`brief ${briefName(fact, place)} called off by ${fact.by}: ${fact.reason}`)];
    case 'brief.delivered':
      return [team(`brief ${briefName(fact, place)} delivered: ${fact.commits} commits on ${fact.branch}`)];
    case 'brief.ended': {
      const cause = fact.cause === null ? '' : ` (${fact.cause})`;
      return [team(`brief ${briefName(fact, place)} ended: ${fact.status}${cause}`)];
    }
    default:
      return [];
  }
}

/** What tells a brief from the others of its team. */
function briefName({ brief }: { readonly brief: string }, { team: id }: ProgressPlace): string {
  return brief.startsWith(`${id}.`) ? brief.slice(id.length + 1) : brief;
}

/** Mere remarks are in the record; a run tells which files it does not use, and which it shows as reference text. */
function isTold(finding: FactOf<'run.started'>['findings'][number]): boolean {
  return finding.severity !== 'info' || isUnused(finding) || finding.code === REFERENCE_TEXT;
}

function verdictText({ verdict, findings }: FactOf<'task.reviewed'>): string {
  return verdict === 'approve' ? 'approved' : `changes requested: ${firstLine(findings)}`;
}

/** The first line that says something; the whole text is in the record. */
function firstLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 ? `${lines[0]} …` : (lines[0] ?? '');
}

/** Findings as the record keeps them: what is absent may be written out as undefined. */
function aboutFiles(
  findings: FactOf<'run.started'>['findings'],
  { workingDirectory }: ProgressPlace,
): ProgressLine[] {
  const whole = findings.map(({ line, detail, ...rest }) => ({
    ...rest,
    ...(line === undefined ? {} : { line }),
    ...(detail === undefined ? {} : { detail }),
  }));
  return findingLines(whole, workingDirectory).map((text) => ({ member: null, text }));
}

function unfinished(fact: FactOf<'turn.ended'>, place: ProgressPlace): ProgressLine[] {
  if (fact.wait !== null) {
    const { provider, why, until, detail } = fact.wait;
    if (why === 'budget')
      return [about(place, fact.member, 'waits for room in the budget, reserved by others')];
    const left = secondsText(until - place.at);
    const says =
      why === 'rate_limited'
        ? `asks to wait (rate limited), ${left}`
        : `is unavailable, asked again in ${left}: ${detail}`;
    return [about(place, fact.member, `${provider} ${says}`)];
  }
  // A parked member is told of where its request is.
  if (fact.outcome === 'parked') return [];
  const detail = fact.detail === null ? '' : `: ${fact.detail}`;
  return [about(place, fact.member, `turn ended (${fact.outcome})${detail}`)];
}

function wayOut(fact: FactOf<'request.opened'>, place: ProgressPlace): string {
  if (fact.principals.includes('lead')) return ' (the lead decides)';
  return ` (bnerd team answer ${place.team} ${fact.request} ${answerWords(fact)})`;
}

function about(place: ProgressPlace, member: string, text: string): ProgressLine {
  return { member, text: memberLine(member, place.lead, text) };
}

function onHost({ host }: { readonly host?: string | undefined }): string {
  return host === undefined ? '' : ` on ${host}`;
}

function atCommit({ commit }: { readonly commit: string | null }): string {
  return commit === null ? '' : ` at commit ${commit}`;
}

function team(text: string): ProgressLine {
  return { member: null, text: oneLine(text, 500) };
}
