/**
 * Faults to plant in the source, one for each rule, and the invariant that must see each: what shows that the walks look
 * (`test/faults/planted-faults.test.ts`). `find` stands in its file exactly once.
 */

export interface Planted {
  /** What the faulty program does. */
  readonly does: string;
  /** In `src/team`. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** The number of the invariant that is broken; `L`: a promise of the ledger. */
  readonly breaks: number | 'L';
}

export const PLANTED: readonly Planted[] = [
  {
    does: 'a completed task is still held',
    file: 'evolve/board.ts',
    find: "case 'task.completed':\n      endAttempt(state, fact.task);",
    put: "case 'task.completed':",
    breaks: 1,
  },
  {
    does: 'a claim takes the number of the attempt before',
    file: 'decide/claim-task.ts',
    find: 'attempt: task.attempts + 1 }',
    put: 'attempt: Math.max(1, task.attempts) }',
    breaks: 2,
  },
  {
    does: 'a task is completed under an attempt that is over',
    file: 'decide/held-attempt.ts',
    find: 'if (live?.member === member && live.attempt === attempt) {',
    put: 'if (live?.member === member) {',
    breaks: 2,
  },
  {
    does: 'a turn that is over is heard while a newer one runs',
    file: 'decide.ts',
    find: "if (life.kind === 'working' && life.turn === turn) return undefined;",
    put: "if (life.kind === 'working') return undefined;",
    breaks: 2,
  },
  {
    does: 'what was delivered is delivered again',
    file: 'decide/turn.ts',
    find: '.filter((id) => unread.has(id))\n    .map(',
    put: '.map(',
    breaks: 3,
  },
  {
    does: 'the unread mail of a stopped member vanishes',
    file: 'decide/stop.ts',
    find: 'facts.push(...released, ...bounceUnread(state, ids, member));',
    put: 'facts.push(...released);',
    breaks: 3,
  },
  {
    does: 'a run ends for good over unread mail',
    file: 'end.ts',
    find: 'if (!isResumable(reason, ending.cause)) {',
    put: 'if (reason === undefined) {',
    breaks: 3,
  },
  {
    does: 'a request is decided twice',
    file: 'decide/request.ts',
    find: "if (request.status.kind !== 'open') return alreadyOver(request);",
    put: '',
    breaks: 4,
  },
  {
    does: 'the lead decides what is the operator’s',
    file: 'decide/request.ts',
    find: 'if (!request.principals.includes(principal)) {',
    put: 'if (principal === undefined) {',
    breaks: 4,
  },
  {
    does: 'a decision counts for another request than the one its giver saw',
    file: 'decide/request.ts',
    find: 'if (digest !== null && digest !== request.digest) {',
    put: 'if (digest === undefined) {',
    breaks: 4,
  },
  {
    does: 'an approval starts two calls',
    file: 'decide/turn.ts',
    find: 'if (status.used) return',
    put: 'if (status === undefined) return',
    breaks: 4,
  },
  {
    does: 'an approval starts another call than it was given for',
    file: 'decide/turn.ts',
    find: 'if (request.digest !== command.digest || request.member !== command.member) {',
    put: 'if (request === undefined) {',
    breaks: 4,
  },
  {
    does: 'a request expires before its time',
    file: 'decide/request.ts',
    find: 'expiresAt !== null && expiresAt <= now;',
    put: 'expiresAt !== null && expiresAt <= now + 30_000;',
    breaks: 4,
  },
  {
    does: 'whoever waits is not woken by the decision',
    file: 'due.ts',
    find: "return status === undefined || status.kind === 'open' ? undefined : status.number;",
    put: 'return status === null ? 1 : undefined;',
    breaks: 4,
  },
  {
    does: 'a member judges its own work',
    file: 'decide/review.ts',
    find: 'if (review.member === reviewer.name) return',
    put: 'if (review.member === undefined) return',
    breaks: 4,
  },
  {
    does: 'one gate of several is enough',
    file: 'decide/review.ts',
    find: 'task.spec.gates.every(',
    put: 'task.spec.gates.some(',
    breaks: 4,
  },
  {
    does: 'an edge that closes a cycle is taken',
    file: 'decide/edges.ts',
    find: 'return cycle === undefined ? undefined :',
    put: 'return cycle !== null ? undefined :',
    breaks: 5,
  },
  {
    does: 'a completed task is still waited for',
    file: 'board.ts',
    find: "if (upstream === 'completed') return false;",
    put: '',
    breaks: 5,
  },
  {
    does: 'what is folded depends on more than the entries',
    file: 'evolve/request.ts',
    find: 'openedAt: state.at,',
    put: 'openedAt: Math.random(),',
    breaks: 7,
  },
  {
    does: 'a decision changes the state that it looks at',
    file: 'decide/mail.ts',
    find: "if (command.body.trim() === '')",
    put: "(state.messages as Map<string, unknown>).delete('m1');\n  if (command.body.trim() === '')",
    breaks: 7,
  },
  {
    does: 'a member has turns while nothing is due',
    file: 'decide/turn.ts',
    find: 'memberCause(state, member, now) ?? offer?.cause;',
    put: 'memberCause(state, member, now) ?? offer?.cause ?? 1;',
    breaks: 9,
  },
  {
    does: 'an idle member that nothing wants is due',
    file: 'due.ts',
    find: 'if (life.due !== null) return life.due;',
    put: 'return life.due ?? life.since;',
    breaks: 9,
  },
  {
    does: 'a member is spawned with another prompt',
    file: 'decide/member.ts',
    find: "{ type: 'member.spawned', by: askerName(command.by), seat }",
    put: "{ type: 'member.spawned', by: askerName(command.by), seat: { ...seat, prompt_sha256: 'other' } }",
    breaks: 11,
  },
  {
    does: 'a class starts that the safety mode does not admit',
    file: 'decide/turn.ts',
    find: 'if (!admits(run.safety, command.class)) {',
    put: 'if (run === undefined) {',
    breaks: 14,
  },
  {
    does: 'a tool writes before the plan is approved',
    file: 'decide/turn.ts',
    find: "(plan === 'required' || plan === 'pending')",
    put: "plan === 'never'",
    breaks: 14,
  },
  {
    does: 'a task is completed while an engineer works on it',
    file: 'decide/complete-task.ts',
    find: 'briefIsLive(state, task) ?? evidenceMissing',
    put: 'evidenceMissing',
    breaks: 1,
  },
  {
    does: 'a task is cancelled while an engineer works on it',
    file: 'decide/update-task.ts',
    find: 'if (brief !== undefined) {',
    put: 'if (brief === null) {',
    breaks: 1,
  },
  {
    does: 'a task that was given back is claimed while its engineer is still there',
    file: 'board.ts',
    find: 'task.brief === null && waitingOn',
    put: 'waitingOn',
    breaks: 1,
  },
  {
    does: 'the engineer of an attempt that is over goes on',
    file: 'decide/brief-leave.ts',
    find: "if (brief === undefined || brief.status.kind === 'cancelling') return [];",
    put: 'if (brief !== null) return [];',
    breaks: 2,
  },
  {
    does: 'a result behind the wish to cancel counts',
    file: 'decide/brief-end.ts',
    find: "if (status.kind === 'cancelling') {",
    put: 'if (status === undefined) {',
    breaks: 2,
  },
  {
    does: 'a second result ends a brief once more',
    file: 'decide/brief-end.ts',
    find: 'if (!isLiveBrief(brief)) {',
    put: 'if (brief === null) {',
    breaks: 2,
  },
  {
    does: 'two runners take one brief',
    file: 'decide/brief-word.ts',
    find: "if (status.kind === 'running') {",
    put: 'if (status === undefined) {',
    breaks: 2,
  },
  {
    does: 'a brief goes to an attempt that its member does not hold',
    file: 'decide/brief.ts',
    find: "if (task.state.kind === 'claimed' && task.state.member === member) {",
    put: "if (task.state.kind === 'claimed') {",
    breaks: 2,
  },
  {
    does: 'a run stalls over a brief that is out',
    file: 'decide/sweep.ts',
    find: 'if (out) return accepted();',
    put: '',
    breaks: 6,
  },
  {
    does: 'an engineer may do what the safety mode does not admit',
    file: 'decide/brief.ts',
    find: 'return notAdmittedClass(state, { member: name, class: CLASS_OF_SAFETY[safety] });',
    put: 'return undefined;',
    breaks: 14,
  },
  {
    does: 'what a brief has reserved is never given back',
    file: 'evolve/brief.ts',
    find: 'withUsage(withoutBrief(state.budget, brief.sent), {',
    put: 'withUsage(state.budget, {',
    breaks: 'L',
  },
  {
    does: 'a brief reserves money that is not there',
    file: 'decide/brief.ts',
    find: 'if (room === null || (usd !== null && usd <= room)) return undefined;',
    put: 'return undefined;',
    breaks: 'L',
  },
];
