/**
 * What can be known of a script before it is played: a step too many, a step left over, a part that nobody
 * plays, a `{{name}}` that nothing sets. Each is an error: the run is refused before it starts.
 */

import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { parseScript } from './parse-script.js';
import { placeholdersIn } from './pattern.js';
import { BUILTIN_CAPTURES, type Part, type Script, type ScriptTurn, type Step } from './script.js';

/** A closed team asks nobody again, so this call may stand last in a turn. */
const CLOSING_TOOL = 'team_finish';

/** The team that a script is checked against. */
export interface ScriptTeam {
  /** Every role of the team. */
  readonly roles: readonly string[];
  /** The roles that are played from this script; absent: all of them. */
  readonly played?: readonly string[];
}

/**
 * Findings of a script's text: of its shape, or else of its sense. Errors refuse the run.
 * @param path the file as the user would type it
 */
export function checkScript(text: string, path: string, team: ScriptTeam): Finding[] {
  const parsed = parseScript(text, path);
  return parsed.kind === 'refused' ? [...parsed.findings] : checkParsed(parsed.script, team);
}

/** The same for a script that is parsed already. */
export function checkParsed(script: Script, team: ScriptTeam): Finding[] {
  const findings: Finding[] = [];
  const remark = (code: string, line: number, message: string, remedy: string): void => {
    findings.push({ code, severity: 'error', path: script.path, line, message, remedy });
  };
  checkRoles(script, team, remark);
  for (const part of script.parts.values()) {
    checkEnds(part, remark);
    checkNames(part, remark);
    checkCaptures(part, remark);
  }
  return findings;
}

type Remark = (code: string, line: number, message: string, remedy: string) => void;

function checkRoles(script: Script, team: ScriptTeam, remark: Remark): void {
  const known = new Set(team.roles.map(roleIdentity));
  const allowed = team.roles.join(', ');
  for (const [key, part] of script.parts) {
    if (known.has(key)) continue;
    const message = `roles.${part.role}: the team has no role "${part.role}"; its roles: ${allowed}`;
    remark('unknown-role', part.line, message, nameRemedy(part.role, team.roles));
  }
  const first = script.parts.values().next().value;
  for (const role of team.played ?? team.roles) {
    if (script.parts.has(roleIdentity(role))) continue;
    const parts = [...script.parts.values()].map((part) => part.role).join(', ');
    const message = `roles: no part for the role "${role}": its first call would be one too many; parts: ${parts}`;
    remark(
      'role-without-part',
      first?.line ?? 1,
      message,
      `add roles.${role}, or give the role another model`,
    );
  }
}

/** Where a turn ends and whether anything stands after an end. */
function checkEnds(part: Part, remark: Remark): void {
  let end: { readonly line: number; readonly why: string } | undefined;
  for (const turn of part.turns) {
    if (end !== undefined) {
      const message = `${turn.place}: never reached: ${end.why} on line ${end.line} is the last that is asked`;
      remark('step-left-over', turn.line, message, 'remove the turn, or move it before that');
      continue;
    }
    checkSteps(turn, remark);
    const last = turn.steps.at(-1);
    if (last !== undefined) end = endOf(last);
  }
}

function checkSteps(turn: ScriptTurn, remark: Remark): void {
  for (const [index, step] of turn.steps.entries()) {
    if (step.when.length === 0) continue;
    const inside = index > 0 && index < turn.steps.length - 1;
    if (inside && step.calls.length > 0) continue;
    const message =
      `${step.place}: "when" stands where the turn ${inside ? 'could end early' : 'begins or ends'}; allowed: on a ` +
      'step with calls that is neither the first nor the last of its turn';
    remark('misplaced-when', step.line, message, 'take "when" away, or put a step before and after it');
  }
  const closing = turn.steps.findIndex((step) => step.calls.length === 0);
  const left = closing === -1 ? undefined : turn.steps[closing + 1];
  if (left !== undefined) {
    const message = `${left.place}: left over: the step before it has no calls, so the turn ends there`;
    remark('step-left-over', left.line, message, 'give that step calls, or begin a new turn');
  }
  const last = turn.steps.at(-1);
  if (last === undefined || closing !== -1 || endOf(last) !== undefined) return;
  const message =
    `${last.place}: a step is missing after it: the results of its calls are answered, and the turn has no ` +
    `answer left; allowed at the end of a turn: a step without calls, or a call of ${CLOSING_TOOL}`;
  remark('step-missing', last.line, message, 'add a last step with a text only');
}

/** Set when nothing can follow this step, the last of its turn. */
function endOf(step: Step): { line: number; why: string } | undefined {
  if (step.failure !== null) return { line: step.line, why: 'the failure' };
  const finishes = step.calls.some((call) => call.tool === CLOSING_TOOL);
  return finishes ? { line: step.line, why: CLOSING_TOOL } : undefined;
}

function checkNames(part: Part, remark: Remark): void {
  const seen = new Map<string, number>();
  for (const { name, line, place } of part.turns) {
    if (name === null) continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, line);
    else {
      const message = `${place}: the name "${name}" is taken by the turn on line ${first}`;
      remark('duplicate-turn', line, message, 'give each turn of a role a name of its own');
    }
  }
}

function checkCaptures(part: Part, remark: Remark): void {
  const known = new Set(BUILTIN_CAPTURES);
  const check = (texts: readonly string[], line: number, place: string): void => {
    for (const name of new Set(texts.flatMap(placeholdersIn))) {
      if (known.has(name)) continue;
      const names = [...known];
      const message = `${place}: nothing before it captures {{${name}}}; captured: ${names.join(', ')}`;
      remark('unknown-capture', line, message, nameRemedy(name, names));
    }
  };
  check([part.idle ?? ''], part.line, `roles.${part.role}.idle`);
  for (const turn of part.turns) {
    check(
      turn.await.map(({ source }) => source),
      turn.line,
      `${turn.place}.await`,
    );
    for (const step of turn.steps) {
      check(
        step.when.map(({ source }) => source),
        step.line,
        `${step.place}.when`,
      );
      check(
        step.expect.map(({ source }) => source),
        step.line,
        `${step.place}.expect`,
      );
      for (const { name, pattern } of step.capture) {
        check([pattern.source], step.line, `${step.place}.capture.${name}`);
        known.add(name);
      }
      check([step.text, ...step.calls.flatMap(({ args }) => texts(args))], step.line, step.place);
    }
  }
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}
