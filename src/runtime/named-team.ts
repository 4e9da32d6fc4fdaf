/**
 * A team that was given its name (`run --id <name>`, spec/team.md §7): whether there is one, and whether the order that
 * names it is the order it was started with. What a resume cannot change is compared, never passed over: a word of the
 * operator that would have no effect is refused.
 */

import type { FactOf } from '../events/event.js';
import { readModelFlags } from '../models/choice/model-flags.js';
import { UserError } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { roleIdentity } from '../shared/role-identity.js';
import { oneLine } from '../shared/terminal-text.js';
import { fold } from '../state/team-store.js';
import { isResumable } from '../team/end.js';
import { engineOf } from './engine/engine-of.js';
import type { House } from './house.js';
import { tightenLimits } from './plan/order-limits.js';
import { prepareRun, type RunOrder } from './plan/prepare-run.js';

/** The settings of an order that somebody wrote, by the name of their flag. */
export type Written = ReadonlySet<string>;

export type NamedTeam =
  /** Nothing is recorded under the name: the team can be made. */
  | { readonly kind: 'free' }
  | {
      readonly kind: 'there';
      readonly started: FactOf<'run.started'>;
      /** It has ended for good: nothing of an order can matter to it any more. */
      readonly finished: boolean;
    };

/** Looks under a name. Rejects for a record that cannot be read. */
export async function namedTeam(house: House, id: string): Promise<NamedTeam> {
  try {
    const engine = await engineOf(house);
    const { entries } = await engine.look(id, (look) => look.view('strict').log());
    const { run, phase } = fold(entries);
    if (run === null) return { kind: 'free' };
    const finished = phase.kind === 'ended' && !isResumable(phase.reason, phase.cause);
    return { kind: 'there', started: run, finished };
  } catch (error) {
    if (error instanceof UserError && error.code === 'no-team') return { kind: 'free' };
    throw error;
  }
}

export type Fits =
  | { readonly kind: 'fits'; readonly said: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Whether an order may go on with the team of this name; `said`: what of it has no effect and harms nobody. */
export async function fitsTeam(
  house: House,
  id: string,
  { started, finished }: Extract<NamedTeam, { kind: 'there' }>,
  order: RunOrder,
  written: Written,
): Promise<Fits> {
  const { slug } = started.recipe;
  if (slug !== order.slug) {
    const message = `${id} is a team of the recipe ${slug}, not of ${order.slug}`;
    const remedy = `take another name, or put it away with bnerd team cleanup ${id}`;
    return { kind: 'refused', findings: [finding('other-recipe', 'error', message, remedy)] };
  }
  const said =
    order.prompt.trim() === '' || order.prompt === started.prompt ? [] : [otherPrompt(id, finished)];
  if (finished) return { kind: 'fits', said };
  const differing = [
    ...settingsThatDiffer(started, order, written),
    ...limitsThatDiffer(started, order),
    ...(await modelsThatDiffer(house, started, order)),
  ];
  if (differing.length === 0) return { kind: 'fits', said };
  const remedy = `leave it out, or put the team away with bnerd team cleanup ${id}`;
  const findings = differing.map((text) =>
    finding('other-order', 'error', `${text}; ${id} was started otherwise and goes on as it was`, remedy),
  );
  return { kind: 'refused', findings };
}

function otherPrompt(id: string, finished: boolean): Finding {
  const message = `the team ${id} was started with another prompt, which stands; this one is not used`;
  const remedy = finished
    ? `it has ended: take another name, or put it away with bnerd team cleanup ${id}`
    : `tell the team with bnerd team send ${id} lead "…"`;
  return finding('other-prompt', 'warning', message, remedy);
}

function settingsThatDiffer(started: FactOf<'run.started'>, order: RunOrder, written: Written): string[] {
  const rows: readonly (readonly [flag: string, found: unknown, recorded: unknown])[] = [
    ['safety', order.safety, started.safety],
    ['auto-approve', order.autoApprove, started.auto_approve],
    ['auto-skip-questions', order.autoSkipQuestions, started.auto_skip_questions],
    ['request-timeout', order.requestTimeoutMs, started.request_timeout_ms],
    ['grace', order.graceMs, started.grace_ms],
    ['page', order.page, started.page],
  ];
  const differing = rows
    .filter(([flag, found, recorded]) => written.has(flag) && found !== recorded)
    .map(
      ([flag, found, recorded]) => `--${flag} is ${shown(found)} here and ${shown(recorded)} in the record`,
    );
  for (const [name, value] of order.variables) {
    const recorded = started.variables[name];
    if (recorded === value) continue;
    differing.push(`--var ${name} is ${shown(value)} here and ${shown(recorded ?? null)} in the record`);
  }
  return differing;
}

/** A limit that is the record's already tightens nothing. */
function limitsThatDiffer({ limits }: FactOf<'run.started'>, order: RunOrder): string[] {
  const { limits: tightened, findings } = tightenLimits(limits, order.limits);
  const differing = Object.entries(tightened).filter(
    ([name, value]) => value !== limits[name as keyof typeof limits],
  );
  return [
    ...findings.map(({ message }) => `--limit: ${message}`),
    ...differing.map(
      ([name, value]) =>
        `--limit ${name} is ${shown(value)} here and ${shown(limits[name as keyof typeof limits])} in the record`,
    ),
  ];
}

/** Names of models have aliases: what one means is what a start would make of it today. */
async function modelsThatDiffer(
  house: House,
  started: FactOf<'run.started'>,
  order: RunOrder,
): Promise<string[]> {
  if (order.models.length === 0) return [];
  const prepared = await prepareRun(house, order);
  if (prepared.kind === 'refused') return prepared.findings.map(({ message }) => `--model: ${message}`);
  const roles = started.seats.map(({ role }) => role);
  const { byRole, forAll } = readModelFlags(order.models, roles);
  const today = new Map(prepared.plan.started.seats.map(({ member, model }) => [member, model]));
  return started.seats.flatMap(({ member, role, model }) => {
    const meant = forAll !== undefined || byRole.has(roleIdentity(role));
    const found = today.get(member);
    if (!meant || found === undefined || found === model) return [];
    return [`--model of ${role} is ${shown(found)} here and ${shown(model)} in the record`];
  });
}

function shown(value: unknown): string {
  return value === null ? 'none' : oneLine(String(value), 80);
}

function finding(code: string, severity: Finding['severity'], message: string, remedy: string): Finding {
  return { code, severity, path: '--id', message, remedy };
}
