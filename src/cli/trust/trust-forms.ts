/**
 * The forms of `bnerd trust`: what is shown, what is asked, what is said afterwards.
 *
 * Always true: what is approved is the text that was shown, which was read once; a question stands on the stream that
 * the text stands on; `y` is asked for when the last of it has been shown.
 */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { approvedBefore, approveFile, objections, revokeFile } from '../../runtime/trust/approve.js';
import { approverOf } from '../../runtime/trust/approver.js';
import type { TrustChanged } from '../../runtime/trust/own-trust.js';
import type { TrustDesk } from '../../runtime/trust/trust-desk.js';
import {
  placeObjections,
  placeOf,
  revokedPlacePath,
  revokePlace,
  trustPlace,
} from '../../runtime/trust/trust-place.js';
import type { TrustSubject } from '../../runtime/trust/trust-subjects.js';
import { revokedFile, targetOf } from '../../runtime/trust/trust-target.js';
import type { Finding } from '../../shared/findings.js';
import { shellWord } from '../../shared/shell-word.js';
import { oneLine, plainJson } from '../../shared/terminal-text.js';
import type { Program } from '../call.js';
import { confirmed } from '../confirm.js';
import type { Sink } from '../output.js';
import { refuse, writeFindings } from '../refusal.js';
import { Questions } from './questions.js';
import type { TrustOrder } from './trust-order.js';
import {
  type EarlierText,
  pathFrom,
  subjectHead,
  subjectJson,
  subjectPages,
  subjectsText,
} from './trust-text.js';

type Order<Form extends TrustOrder['form']> = Extract<TrustOrder, { form: Form }>;

/** Every file that needs a word. */
export async function listFiles(program: Program, desk: TrustDesk, { json }: Order<'list'>): Promise<number> {
  const { subjects, findings } = await desk.subjects();
  const sources = await desk.trust.sources();
  if (json) {
    const places = sources.flatMap(({ file, shown }) =>
      file.places.map((place) => ({ ...place, in: shown })),
    );
    writeJson(program, { v: 1, files: subjects.map(subjectJson), places, findings });
    return 0;
  }
  writeFindings(program, findings);
  program.output.results.write(subjectsText(subjects, sources, program.workingDirectory));
  return 0;
}

/** Shows one file and takes the operator's word on it. */
export async function decideFile(program: Program, desk: TrustDesk, order: Order<'file'>): Promise<number> {
  const { house, trust } = desk;
  const { subjects, findings } = await desk.subjects();
  const target = targetOf(subjects, order.target, await pathsOf(program, order.target));
  if (target.kind === 'refused') return refuse(program, [...target.findings, ...findings]);
  const { subject } = target;
  const { state } = subject;
  const before = state.kind === 'readable' ? await approvedBefore(house, trust, state.question) : null;
  const asks = order.digest === null && !order.json && program.input.isTerminal;
  const against = await objections(trust, subject, order.showInvisible);
  const questions = asks && against.length === 0 ? new Questions(program) : null;
  try {
    if (order.json) writeJson(program, { v: 1, ...subjectJson(subject), ...textJson(subject, before) });
    else if (!(await show(subject, before, asks ? program.output.notes : program.output.results, questions)))
      return 1;
    if (order.json && order.digest === null) return 0;
    if (against.length > 0 || state.kind === 'unreadable') return refuse(program, against);
    if (order.digest !== null && order.digest !== state.question.digest) {
      return refuse(program, [otherDigest(order.digest, state.question.digest)]);
    }
    if (order.digest === null) {
      if (state.verdict.kind === 'trusted') return 0;
      if (questions === null) return refuse(program, [needsDigest(subject, state.question.digest)]);
      if (!isYes(await questions.ask('Approve? [y/N]: '))) return 1;
    }
    const approver = await approverOf(house, order.as);
    if (approver.kind === 'refused') return refuse(program, approver.findings);
    const changed = await approveFile(house, state, approver.name);
    const what = `approved ${pathFrom(program.workingDirectory, subject.path)} ${state.question.digest}`;
    return told(program, changed, `${what} as ${approver.name}`);
  } finally {
    questions?.close();
  }
}

/** Trusts a repository for good. */
export async function approvePlace(
  program: Program,
  desk: TrustDesk,
  order: Order<'place'>,
): Promise<number> {
  const { house, trust } = desk;
  const found = await placeOf(house, order.path);
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { path, rootCommit } = found.place;
  const against = await placeObjections(trust, found.place);
  if (against.length > 0) return refuse(program, against);
  if (!order.yes) {
    const what = `trust ${path} (root commit ${rootCommit}) for good: every recipe, role, rule and skill in it, now and after any change`;
    const word = await confirmed(program, what);
    if (word.kind === 'refused') return refuse(program, word.findings);
    if (!word.value) return 1;
  }
  const approver = await approverOf(house, order.as);
  if (approver.kind === 'refused') return refuse(program, approver.findings);
  const changed = await trustPlace(house, found.place, approver.name);
  return told(program, changed, `trusted for good ${path} (root commit ${rootCommit}) as ${approver.name}`);
}

/** Takes a word back; nothing is asked, since it only takes away. */
export async function revoke(
  program: Program,
  desk: TrustDesk,
  order: Order<'revoke-file'> | Order<'revoke-place'>,
): Promise<number> {
  const { house } = desk;
  const revoker = await approverOf(house, order.as);
  if (revoker.kind === 'refused') return refuse(program, revoker.findings);
  if (order.form === 'revoke-place') {
    const path = await revokedPlacePath(house, order.path);
    return told(program, await revokePlace(house, path, revoker.name), `revoked the trust in ${path}`);
  }
  const { subjects } = await desk.subjects();
  const paths = await pathsOf(program, order.target);
  const file = revokedFile(subjects, await desk.trust.sources(), order.target, paths);
  if (file.kind === 'refused') return refuse(program, file.findings);
  const changed = await revokeFile(house, file.file, revoker.name);
  return told(program, changed, `revoked ${file.file.path} of ${file.file.root}`);
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

/** What a word may be as a path. */
async function pathsOf({ workingDirectory }: Program, typed: string): Promise<readonly string[]> {
  const path = resolve(workingDirectory, typed);
  const real = await realpath(path).catch(() => path); // a name, or a file that is gone
  return [path, real];
}

function textJson({ state }: TrustSubject, before: EarlierText | null): Record<string, unknown> {
  return state.kind === 'unreadable' ? {} : { text: state.text, approved_before: before };
}

function told(program: Program, changed: TrustChanged, words: string): number {
  if (changed.kind === 'refused') return refuse(program, changed.findings);
  program.output.notes.write(`${oneLine(`${words} in ${changed.path}`, Number.MAX_SAFE_INTEGER)}\n`);
  return 0;
}

function writeJson({ output }: Program, document: Record<string, unknown>): void {
  output.results.write(`${plainJson(JSON.stringify(document, null, 2))}\n`);
}

function isYes(line: string | null): boolean {
  return ['y', 'yes'].includes(line?.trim().toLowerCase() ?? '');
}

function otherDigest(given: string, current: string): Finding {
  const message = `the file does not have the digest ${given}; it has ${current}`;
  const remedy = 'look at what stands there now before you approve it';
  return { code: 'other-digest', severity: 'error', path: '--digest', message, remedy };
}

function needsDigest({ path }: TrustSubject, digest: string): Finding {
  const message = 'somebody has to approve what is shown, and there is no terminal';
  const remedy = `after reading it: bnerd trust ${shellWord(path)} --digest ${digest}`;
  return { code: 'needs-digest', severity: 'error', path: '--digest', message, remedy };
}
