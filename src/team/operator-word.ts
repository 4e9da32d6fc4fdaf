/**
 * What operators say to a team that is signed (spec/engine.md §3 "Trust on a shared Redis"): who has to sign it, and whether
 * what is recorded as theirs is. A team is signed where its `run.started` is; of another nothing is asked.
 *
 *  W1 whose signatures count says the record alone: `run.started`, and what operators of that list have changed since. So
 *     every machine that folds it comes to the same;
 *  W2 signed is what a word has changed, as it is recorded and where it stands: facts with team, command and number. Taken
 *     elsewhere, changed, or told of another request, it is no operator's word;
 *  W3 what workers record is not signed: whoever may write to the server as a worker speaks for members, never for an operator.
 */

import type { Fact } from '../events/event.js';
import type { CommandMark, LogEntry, WordSignature } from '../events/log-entry.js';
import {
  type AcceptedKey,
  checkSignature,
  type KeyPair,
  readPublicKey,
  signed,
} from '../shared/signature.js';
import { checkTeamKeys } from '../shared/team-keys.js';
import type { Command } from './command.js';
import { type Refusal, refused } from './decision.js';
import type { TeamState } from './state.js';

/** Whether a command has to be signed: it is an operator's, and its team is signed. */
function wantsSignature({ run }: Pick<TeamState, 'run'>, command: Command): boolean {
  const started = command.kind === 'run.start' ? command.started : run;
  return started !== null && started.signature !== null && isOperators(command);
}

/**
 * The refusal of a command that nobody has signed who may; undefined where it needs no signature, or has one.
 * @param signer id of the key that signs what comes of it; null: none does
 */
export function unsignedWord(
  state: Pick<TeamState, 'run' | 'keys'>,
  command: Command,
  signer: string | null,
): Refusal | undefined {
  if (!wantsSignature(state, command)) return undefined;
  const keys = command.kind === 'run.start' ? ofStart(command.started) : state.keys;
  const operators = keys.filter(({ role, retired }) => role === 'operator' && !retired);
  const may = operators.map(({ id, name }) => `${id} (${name})`).join(', ') || 'nobody';
  const remedy = `one of them takes your key in: bnerd keys accept <your public key> --role operator --name <name>, then bnerd team resume`;
  if (signer === null)
    return refused(
      'unsigned_word',
      `this team takes the word of operators by their signature, and you have no key here; it counts of ${may}. Make one with bnerd keys init --role operator; ${remedy}`,
    );
  if (operators.some(({ id }) => id === signer)) return undefined;
  const what = keys.some(({ id, retired }) => id === signer && retired) ? 'is retired in' : 'is not one of';
  return refused(
    'unknown_signer',
    `key ${signer} ${what} this team, in which the word counts of ${may}; ${remedy}`,
  );
}

/**
 * The pair that signs a command: of several of this operator the one that counts in the team; else the first, of which the
 * refusal then tells. Undefined where nobody has to sign, or nobody can.
 */
export function signingPair(
  state: Pick<TeamState, 'run' | 'keys'>,
  command: Command,
  pairs: readonly KeyPair[],
): KeyPair | undefined {
  if (!wantsSignature(state, command)) return undefined;
  const { keys } = state;
  const listed = command.kind === 'run.start' ? ofStart(command.started) : keys;
  const counts = ({ id }: KeyPair): boolean => listed.some((key) => key.id === id && !key.retired);
  return pairs.find(counts) ?? pairs[0];
}

/** Signs what a command has given. @param first the number of its first fact */
export function signWord(
  { run }: Pick<TeamState, 'run'>,
  command: string,
  first: number,
  facts: readonly Fact[],
  pair: KeyPair,
): WordSignature {
  const started = run ?? facts.find((fact) => fact.type === 'run.started');
  const { key_id, signature } = signed('word', { team: started?.team, command, first, facts }, pair);
  return { key_id, signature };
}

/**
 * Why an entry must not be folded: it says something in the name of an operator that no operator of the team has signed.
 * Undefined: it may be.
 * @param state what the log gives up to it
 */
export function forgedWord(state: TeamState, entry: LogEntry): string | undefined {
  const run = state.run ?? entry.facts.find((fact) => fact.type === 'run.started') ?? null;
  if (run === null || run.signature === null) return undefined;
  const keys = state.run === null ? ofStart(run) : state.keys;
  const unsound = state.run === null ? unsoundStart(run, keys) : undefined;
  if (unsound !== undefined) return unsound;
  let first = entry.first;
  for (const mark of entry.commands) {
    const at = first - entry.first;
    const facts = entry.facts.slice(at, at + mark.facts);
    const why = forgedBy(state, run.team, keys, mark, { first, facts });
    if (why !== undefined) return why;
    first += mark.facts;
  }
  return undefined;
}

function forgedBy(
  state: TeamState,
  team: string,
  keys: readonly AcceptedKey[],
  { id, signed: signature }: CommandMark,
  { first, facts }: { readonly first: number; readonly facts: readonly Fact[] },
): string | undefined {
  if (signature === undefined) {
    const at = facts.findIndex(speaksForOperator);
    const fact = facts[at];
    return fact === undefined
      ? undefined
      : `fact ${first + at} (${fact.type}) is an operator's word, and carries no signature`;
  }
  const verdict = checkSignature('word', { team, command: id, first, facts, ...signature }, keys);
  if (verdict.kind === 'refused') return `fact ${first} (${facts[0]?.type}): ${verdict.message}`;
  for (const fact of facts) {
    if (fact.type !== 'request.decided' || fact.digest === null) continue;
    const about = state.requests.get(fact.request)?.digest;
    if (about !== fact.digest)
      return `${fact.request} was decided about ${fact.digest.slice(0, 12)} and is about ${about?.slice(0, 12)}`;
  }
  return undefined;
}

/** Whether a list of keys is one, and signed by an operator in it. Whether that one counts here, says who serves the team. */
function unsoundStart(run: NonNullable<TeamState['run']>, keys: readonly AcceptedKey[]): string | undefined {
  const odd = keys.find(({ id, key }) => readPublicKey(key)?.id !== id);
  if (odd !== undefined) return `run.started names a key ${odd.id} that is none`;
  const verdict = checkTeamKeys(run, keys);
  return verdict.kind === 'signed' ? undefined : `run.started: ${verdict.message}`;
}

function ofStart({ keys }: NonNullable<TeamState['run']>): readonly AcceptedKey[] {
  return keys.map((key) => ({ ...key, retired: false }));
}

/** Commands that an operator alone gives. */
function isOperators(command: Command): boolean {
  switch (command.kind) {
    case 'run.start':
    case 'run.resume':
    case 'run.stop':
    case 'run.kill':
    case 'run.archive':
    case 'workspace.lose':
      return true;
    default:
      return 'by' in command && typeof command.by === 'object' && command.by.kind === 'operator';
  }
}

/** Facts that nobody but an operator can bring about. */
function speaksForOperator(fact: Fact): boolean {
  switch (fact.type) {
    case 'run.started':
    case 'run.resumed':
    case 'run.stopping':
    case 'run.killing':
    case 'run.archived':
    case 'workspace.lost':
      return true;
    case 'request.decided':
    case 'permission.granted':
    case 'plan.decided':
      return fact.by.kind === 'operator';
    case 'mail.sent':
      return fact.kind === 'operator' || fact.kind === 'prompt';
    default:
      return false;
  }
}
