/**
 * The word on one file: it is shown, what speaks against it is said, and who agrees is recorded (spec/skills.md §4).
 *
 * Always true: what is approved is the text that was shown, which was read once; a question stands on the stream that
 * the text stands on; `y` is asked for when the last of it has been shown, and never for what would be refused.
 */

import { approvedBefore, approveFile, objections } from '../../runtime/trust/approve.js';
import { approverOf } from '../../runtime/trust/approver.js';
import { selfApproval } from '../../runtime/trust/four-eyes.js';
import { overrideNotes } from '../../runtime/trust/override-notes.js';
import type { TrustDesk } from '../../runtime/trust/trust-desk.js';
import type { TrustSubject } from '../../runtime/trust/trust-subjects.js';
import { targetOf } from '../../runtime/trust/trust-target.js';
import type { Finding } from '../../shared/findings.js';
import { shellWord } from '../../shared/shell-word.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import type { Program } from '../call.js';
import type { Sink } from '../output.js';
import { refuse } from '../refusal.js';
import { Questions } from './questions.js';
import { pathsOf, told } from './trust-forms.js';
import type { TrustOrder } from './trust-order.js';
import { type EarlierText, pathFrom, subjectHead, subjectJson, subjectPages } from './trust-text.js';

type FileOrder = Extract<TrustOrder, { form: 'file' }>;

/** A subject whose text can be read, with the notes on it. */
interface Reviewed {
  readonly subject: TrustSubject;
  readonly notes: readonly Finding[];
}

/** Shows one file and takes the operator's word on it. */
export async function decideFile(program: Program, desk: TrustDesk, order: FileOrder): Promise<number> {
  const { house, trust } = desk;
  const { subjects, findings } = await desk.subjects();
  const target = targetOf(subjects, order.target, await pathsOf(program, order.target));
  if (target.kind === 'refused') return refuse(program, [...target.findings, ...findings]);
  const { subject, notes } = withNotes(target.subject);
  const { state } = subject;
  const before = state.kind === 'readable' ? await approvedBefore(house, trust, state.question) : null;
  // Who only looks at what is in use approves nothing.
  const settled = order.digest === null && state.kind === 'readable' && state.verdict.kind === 'trusted';
  const against = [...(await objections(trust, subject, order.showInvisible))];
  const approver = await approverOf(house, order.as);
  if (approver.kind === 'refused') against.push(...approver.findings);
  else if (!order.self && !settled)
    against.push(...asList(await selfApproval(house, subject, approver.name)));
  const asks = order.digest === null && !order.json && program.input.isTerminal;
  const questions = asks && against.length === 0 ? new Questions(program) : null;
  try {
    if (order.json)
      program.output.results.write(
        jsonDocument({ v: 1, ...subjectJson(subject), ...textJson(subject, before) }),
      );
    else if (!(await show(subject, before, asks ? program.output.notes : program.output.results, questions)))
      return 1;
    if (order.json && order.digest === null) return 0;
    if (against.length > 0 || state.kind === 'unreadable' || approver.kind === 'refused')
      return refuse(program, against);
    const { digest } = state.question;
    if (order.digest !== null && order.digest !== digest)
      return refuse(program, [otherDigest(order.digest, digest)]);
    if (settled) return 0;
    const open = notes.length > 0 && !order.accept;
    if (questions === null) {
      const missing = [
        ...(order.digest === null ? [needsDigest(subject, digest, open)] : []),
        ...(open ? [needsAccept(subject, notes)] : []),
      ];
      if (missing.length > 0) return refuse(program, missing);
    } else {
      if (open && !isYes(await questions.ask(acceptQuestion(notes)))) return 1;
      if (!isYes(await questions.ask('Approve? [y/N]: '))) return 1;
    }
    const changed = await approveFile(house, state, approver.name);
    const what = `approved ${pathFrom(program.workingDirectory, subject.path)} ${digest}`;
    return told(program, changed, `${what} as ${approver.name}`);
  } finally {
    questions?.close();
  }
}

/** The notes stand among the findings that are shown. */
function withNotes(subject: TrustSubject): Reviewed {
  const { state } = subject;
  if (state.kind === 'unreadable') return { subject, notes: [] };
  const notes = overrideNotes(subject.path, state.text);
  return { subject: { ...subject, state: { ...state, findings: [...state.findings, ...notes] } }, notes };
}

/** Whether everything was shown: between two parts a person may have seen enough. */
async function show(
  subject: TrustSubject,
  before: EarlierText | null,
  sink: Sink,
  questions: Questions | null,
): Promise<boolean> {
  sink.write(subjectHead(subject));
  if (subject.state.kind === 'unreadable') return true;
  const pages = subjectPages(subject.state.text, before);
  for (const [place, page] of pages.entries()) {
    sink.write(page);
    if (questions === null || place === pages.length - 1) continue;
    const line = await questions.ask(
      `  part ${place + 1} of ${pages.length}; Enter shows the next, q ends: `,
    );
    if (line === null || line.trim() !== '') return false;
  }
  return true;
}

function textJson({ state }: TrustSubject, before: EarlierText | null): Record<string, unknown> {
  return state.kind === 'unreadable' ? {} : { text: state.text, approved_before: before };
}

function asList(finding: Finding | null): readonly Finding[] {
  return finding === null ? [] : [finding];
}

function isYes(line: string | null): boolean {
  return ['y', 'yes'].includes(line?.trim().toLowerCase() ?? '');
}

function acceptQuestion(notes: readonly Finding[]): string {
  return `${counted(notes)}, told above. Accept them? [y/N]: `;
}

function counted({ length }: readonly Finding[]): string {
  return length === 1
    ? 'A phrase tries to set aside other instructions'
    : `${length} phrases try to set aside other instructions`;
}

function otherDigest(given: string, current: string): Finding {
  const message = `the file does not have the digest ${given}; it has ${current}`;
  const remedy = 'look at what stands there now before you approve it';
  return { code: 'other-digest', severity: 'error', path: '--digest', message, remedy };
}

function needsDigest({ path }: TrustSubject, digest: string, open: boolean): Finding {
  const message = 'somebody has to approve what is shown, and there is no terminal';
  const accept = open ? ' --accept' : '';
  const remedy = `after reading it: bnerd trust ${shellWord(path)} --digest ${digest}${accept}`;
  return { code: 'needs-digest', severity: 'error', path: '--digest', message, remedy };
}

function needsAccept({ path }: TrustSubject, notes: readonly Finding[]): Finding {
  const places = notes.map(({ line, message }) =>
    line === undefined ? message : `line ${line}: ${message}`,
  );
  const message = `${counted(notes)} in ${path}: ${places.join('; ')}`;
  const remedy = 'read them in their places, and add --accept when they may stand there';
  return { code: 'needs-accept', severity: 'error', path: '--accept', message, remedy };
}
