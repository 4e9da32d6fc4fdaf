/**
 * What the seats of a recorded run are made of, as its record keeps it: prompts, texts of entries, and the models opened
 * anew with the keys of this machine. For whoever takes a team up, and for every process that runs turns of it: nothing is
 * read of a catalogue (spec/team.md §7 "resume", spec/engine.md §3).
 */

import type { FactOf } from '../events/event.js';
import type { Model } from '../models/model.js';
import { errorText } from '../shared/errors.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import type { Task } from '../team/show/view.js';
import type { House } from './house.js';
import type { OpenTeam } from './open-team.js';
import { recordedModels } from './recorded-models.js';
import { recordedSecrets } from './resume-secrets.js';
import { brokenTexts } from './standing/broken-texts.js';
import { storedInputTexts } from './stored-input-texts.js';
import { providingTexts } from './turns/entry-tools.js';

export type RecordedSeats =
  | {
      readonly kind: 'ready';
      /** By role. */
      readonly models: ReadonlyMap<string, Model>;
      /** By SHA-256, of what prompts consist of, of what stands in inputs, and of what provides tools. */
      readonly promptTexts: ReadonlyMap<string, string>;
      readonly inputTexts: ReadonlyMap<string, string>;
      readonly entryTexts: ReadonlyMap<string, string>;
      /** Why stored texts cannot be used, by SHA-256. */
      readonly broken: ReadonlyMap<string, string>;
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

type RecordAtHand = Pick<OpenTeam, 'id' | 'folder' | 'record' | 'store'>;

/** Makes ready what the seats of a run need. Refuses where a text is gone, a model cannot be opened, a secret has moved. */
export async function recordedSeats(
  house: House,
  team: RecordAtHand,
  run: FactOf<'run.started'>,
  tasks: readonly Task[],
): Promise<RecordedSeats> {
  const { blobs } = team.record;
  const broken = await brokenTexts(blobs, run, tasks);
  const prompts = await storedPrompts(team, run, broken);
  if (prompts.kind === 'refused') return prompts;
  const secret = await recordedSecrets(house, team, run, prompts.texts);
  if (hasErrors(secret)) return { kind: 'refused', findings: secret };
  const inputTexts = await storedInputTexts(blobs, run.seats, tasks, broken);
  const entryTexts = await providingTexts(blobs, run.seats);
  const opened = await recordedModels(house, team.id, run);
  if (opened.kind === 'refused') return { kind: 'refused', findings: opened.findings };
  return {
    kind: 'ready',
    models: withRoles(run, opened.byRole),
    promptTexts: prompts.texts,
    inputTexts,
    entryTexts,
    broken,
    findings: [...secret, ...opened.findings],
  };
}

/**
 * The texts of all prompts as they were composed at the start, each once: members share most of them. A text that is not whole is never used: where it is that
 * of an entry its members stop, else the team is not taken up.
 */
async function storedPrompts(
  { id, record }: RecordAtHand,
  run: FactOf<'run.started'>,
  broken: ReadonlyMap<string, string>,
): Promise<
  | { readonly kind: 'stored'; readonly texts: ReadonlyMap<string, string> }
  | Extract<RecordedSeats, { kind: 'refused' }>
> {
  const texts = new Map<string, string>();
  for (const seat of run.seats) {
    for (const part of seat.parts) {
      // Of a broken one its member stops before anything is asked in its name.
      if (broken.has(part.sha256) || texts.has(part.sha256)) continue;
      try {
        const text = await record.blobs.get(part.sha256);
        if (text === undefined)
          return refused(
            id,
            'text-missing',
            `the text of ${part.name} of ${seat.member} is not in the record`,
          );
        texts.set(part.sha256, text);
      } catch (error) {
        return refused(id, 'text-broken', `the text of ${part.name} of ${seat.member}: ${errorText(error)}`);
      }
    }
  }
  return { kind: 'stored', texts };
}

function withRoles(
  run: FactOf<'run.started'>,
  models: ReadonlyMap<string, Model>,
): ReadonlyMap<string, Model> {
  return new Map(
    run.seats.flatMap((seat) => {
      const model = models.get(seat.role);
      return model === undefined ? [] : [[seat.role, model] as const];
    }),
  );
}

function refused(id: string, code: string, message: string): Extract<RecordedSeats, { kind: 'refused' }> {
  const remedy = `look at it with bnerd team status ${id} and bnerd team verify ${id}`;
  return { kind: 'refused', findings: [{ code, severity: 'error', path: id, message, remedy }] };
}
