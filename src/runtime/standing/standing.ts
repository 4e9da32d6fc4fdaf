/**
 * Whether a member may go on with what it was given (spec/skills.md §4): asked before each of its model calls, for an
 * approval can be taken back, in another terminal too, and a stored text can be changed behind the record.
 *
 *  W1 nothing is asked of a model in the name of a member whose text has no approval any more, or is not whole: the member
 *     stops, naming it, and the lead is told; with the lead the run ends;
 *  W2 while it cannot be known what is approved nobody goes on: the run ends and can be taken up again, since what is
 *     wrong with a trust file can be mended;
 *  W3 an approval that is given while the run lives changes nothing for it.
 */

import type { StandingTrust } from '../../catalog/trust/standing-trust.js';
import type { Trust, TrustVerdict } from '../../catalog/trust.js';
import type { Finding } from '../../shared/findings.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { TeamStore } from '../../state/team-store.js';
import type { Command } from '../../team/command.js';
import { type AskedAgain, approvalsOf, approvalsOfRun, riderTexts, seatTexts } from './member-texts.js';

export interface StandingParts {
  readonly store: TeamStore;
  /** Null: what is approved is asked by another process, which has the files that say so. */
  readonly trust: StandingTrust | null;
  /** What this process was told of trust when it began: a revocation in it counts as well. */
  readonly today: Pick<Trust, 'verdict'>;
  /** Why stored texts cannot be used, by SHA-256; those of a run that has just started are whole. */
  readonly broken: ReadonlyMap<string, string>;
}

type Withdrawal = Extract<Command, { kind: 'member.withdraw' | 'run.fail' }>;

export class Standing {
  readonly #parts: StandingParts;

  constructor(parts: StandingParts) {
    this.#parts = parts;
  }

  /** What is wrong with the trust files that the run goes by, where it rests on any approval: then nobody may begin. */
  async unknown(): Promise<readonly Finding[]> {
    const { store, trust } = this.#parts;
    const members = store.state.run?.seats.map(({ member }) => member) ?? [];
    const asked = [
      approvalsOfRun(store.state),
      ...members.map((member) => approvalsOf(store.state, member)),
    ].flat();
    if (asked.length === 0 || trust === null) return [];
    const answer = await trust.verdicts([]);
    return answer.kind === 'unknown' ? answer.findings : [];
  }

  /** Whether the member may go on. When not, that is recorded before the answer. */
  async holds(member: string): Promise<boolean> {
    const { store } = this.#parts;
    const withdrawal = this.#brokenText(member) ?? (await this.#takenBack(member));
    if (withdrawal === undefined) return true;
    await store.send(`withdraw/${member}/${store.state.next}`, withdrawal);
    return false;
  }

  #brokenText(member: string): Withdrawal | undefined {
    const { store, broken } = this.#parts;
    if (broken.size === 0) return undefined;
    const seat = store.state.run?.seats.find((each) => each.member === member);
    const texts = seat === undefined ? [] : [...seatTexts(seat), ...riderTexts(store.state, member)];
    for (const { sha256, what, entry } of texts) {
      const why = broken.get(sha256);
      if (why === undefined) continue;
      const omitted = entry === null ? null : { entry, reason: 'integrity' as const };
      const reason = `the stored text of ${what} ${why}`;
      return { kind: 'member.withdraw', member, cause: 'error', omitted, reason };
    }
    return undefined;
  }

  async #takenBack(member: string): Promise<Withdrawal | undefined> {
    const { store, trust } = this.#parts;
    const ofRun = approvalsOfRun(store.state);
    const asked = [...ofRun, ...approvalsOf(store.state, member)];
    if (asked.length === 0 || trust === null) return undefined;
    const answer = await trust.verdicts(asked.map(({ question }) => question));
    if (answer.kind === 'unknown') {
      const [first] = answer.findings;
      const detail = `it cannot be known what is still approved: ${first?.path}: ${first?.message} (${first?.remedy})`;
      return { kind: 'run.fail', cause: 'error', detail };
    }
    for (const [at, each] of asked.entries()) {
      const reason = await this.#whyNot(each, answer.verdicts[at]);
      if (reason === undefined) continue;
      if (at < ofRun.length) return { kind: 'run.fail', cause: 'approval_revoked', detail: reason };
      const omitted = each.entry === null ? null : { entry: each.entry, reason: 'trust' as const };
      return { kind: 'member.withdraw', member, cause: 'approval_revoked', omitted, reason };
    }
    return undefined;
  }

  async #whyNot(
    { what, question }: AskedAgain,
    verdict: TrustVerdict | undefined,
  ): Promise<string | undefined> {
    if (verdict?.kind === 'revoked') return revoked(what, verdict.by);
    if (verdict?.kind !== 'trusted') return `${what} is not approved any more`;
    const today = await this.#parts.today.verdict(question);
    return today.kind === 'revoked' ? revoked(what, today.by) : undefined;
  }
}

function revoked(what: string, by: string): string {
  return `the approval of ${what} was revoked by ${oneLine(by)}`;
}
