/** The forms of `bnerd trust` but the word on one file (`decide-file.ts`): what is asked, what is said afterwards. */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { revokeFile } from '../../runtime/trust/approve.js';
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
import { revokedFile } from '../../runtime/trust/trust-target.js';
import { jsonDocument, oneLine } from '../../shared/terminal-text.js';
import type { Program } from '../call.js';
import { confirmed } from '../confirm.js';
import { refuse, writeFindings } from '../refusal.js';
import type { TrustOrder } from './trust-order.js';
import { subjectJson, subjectsText } from './trust-text.js';

type Order<Form extends TrustOrder['form']> = Extract<TrustOrder, { form: Form }>;

/** Every file that needs a word. */
export async function listFiles(program: Program, desk: TrustDesk, { json }: Order<'list'>): Promise<number> {
  const { subjects, findings } = await desk.subjects();
  const sources = await desk.trust.sources();
  if (json) {
    const places = sources.flatMap(({ file, shown }) =>
      file.places.map((place) => ({ ...place, in: shown })),
    );
    program.output.results.write(jsonDocument({ v: 1, files: subjects.map(subjectJson), places, findings }));
    return 0;
  }
  writeFindings(program, findings);
  program.output.results.write(subjectsText(subjects, sources, program.workingDirectory));
  return 0;
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

/** What a word may be as a path. */
export async function pathsOf({ workingDirectory }: Program, typed: string): Promise<readonly string[]> {
  const path = resolve(workingDirectory, typed);
  const real = await realpath(path).catch(() => path); // a name, or a file that is gone
  return [path, real];
}

/** What was changed, in a line, or why nothing was. */
export function told(program: Program, changed: TrustChanged, words: string): number {
  if (changed.kind === 'refused') return refuse(program, changed.findings);
  program.output.notes.write(`${oneLine(`${words} in ${changed.path}`, Number.MAX_SAFE_INTEGER)}\n`);
  return 0;
}
