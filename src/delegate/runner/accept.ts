/**
 * Whether a runner takes a brief (spec/runner.md §3 "Accept"). Pure: the brief is held against this runner's own limits,
 * which nothing in it can widen. A refusal names what was found, what is allowed here, and whose word that is.
 */

import { withoutUserInfo } from '../../shared/secret-text.js';
import { type AcceptedKey, checkSignature } from '../../shared/signature.js';
import { matchesWildcard } from '../../shared/wildcard.js';
import { type Brief, isLooser, type SafetyMode } from '../brief/brief.js';
import { readBrief } from '../brief/read.js';
import type { EngineerSettings } from '../engineers/engineer.js';
import { LEADS_UP, leadsUp } from '../workspace/repository-address.js';

/** What a runner allows. */
export interface RunnerLimits {
  /** Null: it serves briefs that name no pool, and no other. */
  readonly pool: string | null;
  readonly labels: readonly string[];
  readonly maxSafety: SafetyMode;
  /** Addresses with `*`; empty: none. */
  readonly repos: readonly string[];
  /** The kinds that it can start. */
  readonly engineers: ReadonlyMap<string, EngineerSettings>;
}

export type Acceptance =
  | {
      readonly kind: 'accepted';
      readonly brief: Brief;
      readonly by: AcceptedKey;
      readonly engineer: EngineerSettings;
    }
  | ({ readonly kind: 'refused'; readonly brief: Brief } & Refusal)
  /** It cannot be read, or is not signed by anybody who may give one: it is nobody's. */
  | ({ readonly kind: 'refused'; readonly brief: null } & Refusal);

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
}

export type RefusalCode =
  | Extract<ReturnType<typeof readBrief>, { kind: 'refused' }>['code']
  | Extract<ReturnType<typeof checkSignature>, { kind: 'refused' }>['code']
  | 'expired'
  | 'wrong_pool'
  | 'missing_labels'
  | 'safety'
  | 'repository'
  | 'no_engineer'
  /** The engineer cannot be held to what the brief denies it. */
  | 'rules'
  /** The disk is too full; a skill is not what the brief says. */
  | 'no_room'
  | 'skills';

/**
 * @param text the brief as it arrived
 * @param keys public keys that are accepted here
 * @param now wall clock, milliseconds since the epoch
 */
export function acceptBrief(
  text: string,
  limits: RunnerLimits,
  keys: readonly AcceptedKey[],
  now: number,
): Acceptance {
  const read = readBrief(text);
  if (read.kind === 'refused') return { ...read, brief: null };
  const brief = read.value;
  const refused = (code: RefusalCode, message: string): Acceptance => ({
    kind: 'refused',
    brief,
    code,
    message,
  });
  const signature = checkSignature('brief', brief, keys);
  if (signature.kind === 'refused') return { ...signature, brief: null };
  if (Date.parse(brief.deadline) <= now)
    return refused(
      'expired',
      `the brief was to be begun by ${brief.deadline}; it is ${new Date(now).toISOString()}`,
    );
  if (brief.pool !== limits.pool)
    return refused(
      'wrong_pool',
      `the brief is for ${poolText(brief.pool)}; this runner serves ${poolText(limits.pool)}`,
    );
  const missing = brief.labels.filter((label) => !limits.labels.includes(label));
  if (missing.length > 0)
    return refused(
      'missing_labels',
      `the brief asks for ${missing.join(', ')}; this runner has ${limits.labels.join(', ') || 'no labels'}`,
    );
  if (isLooser(brief.safety, limits.maxSafety))
    return refused(
      'safety',
      `the brief asks for ${brief.safety}; this runner allows at most ${limits.maxSafety} (max-safety)`,
    );
  const { repo } = brief.workspace;
  const shown = withoutUserInfo(repo);
  if (leadsUp(repo)) return refused('repository', `the brief is about ${shown}: ${LEADS_UP}`);
  if (!limits.repos.some((pattern) => matchesWildcard(pattern, repo)))
    return refused(
      'repository',
      `the brief is about ${shown}; this runner works on ${limits.repos.join(', ') || 'no repository'} (repos)`,
    );
  const engineer = limits.engineers.get(brief.engineer.kind);
  if (engineer === undefined) {
    const known = [...limits.engineers.keys()].join(', ') || 'none';
    return refused(
      'no_engineer',
      `the brief asks for the engineer ${brief.engineer.kind}; this runner has ${known} (engineers)`,
    );
  }
  if (brief.safety === 'full' && !engineer.mayBeFull)
    return refused(
      'safety',
      `${brief.engineer.kind} may not work under full here (engineers.${brief.engineer.kind})`,
    );
  return { kind: 'accepted', brief, by: signature.by, engineer };
}

function poolText(pool: string | null): string {
  return pool === null ? 'no pool' : `pool ${pool}`;
}
