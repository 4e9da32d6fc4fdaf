/**
 * One brief, from its text to a signed result in the outbox (spec/runner.md §3): accepted or refused, worked on, reported.
 *
 *  R1 once its signature is known to be good, a brief ends in a result, whatever happens: a refusal and an error are one;
 *     before that it is nobody's, and is only reported;
 *  R2 one offer is begun once: by whoever takes its folder (`places.ts`), and never again;
 *  R3 the result is on the disk before it is said that it is;
 *  R4 between its promise to work and the work stands the word of whoever gave the brief (`voice.ts`).
 */

import { join } from 'node:path';
import { sleep } from '../../shared/abort.js';
import { isoStamp } from '../../shared/clock.js';
import { errorText, isDiskFull } from '../../shared/errors.js';
import { type AcceptedKey, checkSignature, signed } from '../../shared/signature.js';
import type { Brief } from '../brief/brief.js';
import type { Result } from '../brief/result.js';
import type { Engineer, EngineerSettings } from '../engineers/engineer.js';
import { engineerOf } from '../engineers/kinds.js';
import { lookForEngineer } from '../engineers/presence.js';
import { WITHOUT } from '../workspace/mirror.js';
import { briefPlaces, isMarked, keepPlaces, keptBrief, takePlaces } from '../workspace/places.js';
import { freeBytes } from '../workspace/prune.js';
import { removeTree } from '../workspace/remove-tree.js';
import type { BriefPlaces } from '../workspace/workspace.js';
import { acceptBrief, type Refusal, type RefusalCode } from './accept.js';
import { activityLines } from './activity-lines.js';
import { BriefWork } from './brief-work.js';
import type { Classified } from './classify.js';
import { type Composed, composeBlock } from './compose.js';
import { Outbox } from './outbox.js';
import { engineerPrompt } from './prompt.js';
import { type Found, resultOf } from './result-of.js';
import type { RunnerHouse } from './runner-house.js';
import type { Voice } from './voice.js';

export type BriefEnd =
  /** The result of the brief lies in the outbox; `places` null: nothing was made for it here. */
  | { readonly kind: 'result'; readonly result: Result; readonly places: BriefPlaces | null }
  /** No brief of anybody who may give one: nothing was begun, and there is no result. */
  | { readonly kind: 'unknown'; readonly message: string }
  /** This offer is at work elsewhere, or was at its end before: there is nothing to report of it. */
  | { readonly kind: 'taken'; readonly message: string };

/** What is known before the work begins, of a brief that is taken. */
interface Ready {
  readonly engineer: Engineer;
  readonly settings: EngineerSettings;
  readonly version: string | null;
  readonly block: Extract<Composed, { kind: 'composed' }>;
}

/** As long as one timer holds. */
const LONGEST_MS = 2 ** 31 - 1;

const NO_BLOCK = { sentBlock: '', finalBlock: '', additions: [] };

/**
 * Runs a brief to its end.
 * @param text the brief as it arrived
 * @param voice to whoever has given it
 * @param cancel calls it off, with the reason
 */
export async function runBrief(
  text: string,
  house: RunnerHouse,
  voice: Voice,
  cancel: AbortSignal,
): Promise<BriefEnd> {
  const acceptance = acceptBrief(text, house.limits, house.keys, house.clock.wallMs());
  if (acceptance.brief === null) return { kind: 'unknown', message: acceptance.message };
  const { brief } = acceptance;
  const before = await new Outbox(house.workdir).read(brief.id);
  if (before.kind === 'damaged') return { kind: 'taken', message: before.finding.message };
  if (before.kind === 'result') {
    sayResult(brief.id, house, voice);
    return { kind: 'result', result: before.waiting.result, places: null };
  }
  const started = isoStamp(house.clock.wallMs());
  const unbegun = (classified: Classified): Promise<BriefEnd> =>
    report(foundOf(brief, classified, started, house), null, null, house, voice);
  const ready =
    acceptance.kind === 'refused' ? acceptance : await readyFor(brief, acceptance.engineer, house, cancel);
  if (ready.kind === 'refused')
    return unbegun({ status: 'refused', cause: 'refused', detail: `${ready.code}: ${ready.message}` });
  if (ready.kind === 'failed') return unbegun({ status: 'failed', cause: 'crashed', detail: ready.detail });
  const places = await takePlaces(house.workdir, brief.id, house.clock);
  if (!('kind' in places)) return work(brief, ready, places, house, voice, cancel);
  if (places.kind === 'failed') {
    const cause = places.cause === 'disk_full' ? places.cause : 'workspace';
    return unbegun({ status: 'failed', cause, detail: places.detail });
  }
  const whose = await whoHasIt(house.workdir, brief.id);
  if (whose.kind === 'taken') return whose;
  const detail = `this offer was begun before, and ${whose.why}`;
  return unbegun({ status: 'failed', cause: 'crashed', detail });
}

/**
 * After the word that a result is in the record, or that no such word has come: the outbox and the folder of the brief are
 * put in order. What a completed brief leaves is its transcript; all of another is kept.
 */
export async function settleBrief(
  { result, places }: Extract<BriefEnd, { kind: 'result' }>,
  word: 'acknowledged' | 'none',
  house: Pick<RunnerHouse, 'workdir' | 'clock'>,
): Promise<void> {
  const taken = word === 'acknowledged';
  if (taken) await new Outbox(house.workdir).acknowledge(result.brief);
  if (places === null) return;
  if (taken && result.status === 'completed')
    for (const path of [places.tree, places.home, places.quarantine]) await removeTree(path);
  const ended = `it ended ${result.status}${result.cause === null ? '' : ` (${result.cause})`}`;
  const why = taken ? ended : `${ended}, and its result was not taken`;
  await keepPlaces(places, { brief: result.brief, at: isoStamp(house.clock.wallMs()), why });
}

/** Of whom the folder of an offer is that could not be taken. */
async function whoHasIt(
  workdir: string,
  brief: string,
): Promise<Extract<BriefEnd, { kind: 'taken' }> | { readonly kind: 'orphaned'; readonly why: string }> {
  const kept = await keptBrief(workdir, brief);
  if (kept?.marked === true) return { kind: 'taken', message: `brief ${brief} was here before: ${kept.why}` };
  if (kept !== undefined) return { kind: 'orphaned', why: kept.why };
  if (await isMarked(workdir, brief))
    return { kind: 'taken', message: `brief ${brief} is at work in another process` };
  return { kind: 'orphaned', why: 'its folder has no mark of a runner' };
}

type Readiness =
  | ({ readonly kind: 'ready' } & Ready)
  | ({ readonly kind: 'refused' } & Refusal)
  | { readonly kind: 'failed'; readonly detail: string };

/** Whether there is room, the skills are what they say, and the engineer can be started. Never rejects. */
async function readyFor(
  brief: Brief,
  settings: EngineerSettings,
  house: RunnerHouse,
  signal: AbortSignal,
): Promise<Readiness> {
  const refused = (code: RefusalCode, message: string): Readiness => ({ kind: 'refused', code, message });
  try {
    const free = await freeBytes(house.workdir);
    if (free < house.minFreeBytes)
      return refused(
        'no_room',
        `${free} bytes are free here; below ${house.minFreeBytes} no brief is taken (min-free)`,
      );
    const block = composeBlock(brief.skills, house.additions);
    if (block.kind === 'refused')
      return refused('skills', block.refusals.map(({ name, reason }) => `${name}: ${reason}`).join('; '));
    const engineer = engineerOf(brief.engineer.kind);
    if (engineer === undefined)
      return refused('no_engineer', `this version of bnerd has no adapter for ${brief.engineer.kind}`);
    const { tree } = briefPlaces(house.workdir, brief.id);
    const unheld = engineer.unheld({ deny: brief.deny ?? [], safety: brief.safety, settings, tree });
    if (unheld !== null) return refused('rules', unheld);
    const home = join(house.workdir, 'version-home');
    const presence = await lookForEngineer(engineer, settings, house.engineer, home, signal);
    if (presence.kind === 'missing') return refused('no_engineer', presence.detail);
    return { kind: 'ready', engineer, settings, version: presence.version, block };
  } catch (error) {
    return { kind: 'failed', detail: `the runner failed: ${errorText(error)}` };
  }
}

async function work(
  brief: Brief,
  ready: Ready,
  places: BriefPlaces,
  house: RunnerHouse,
  voice: Voice,
  cancel: AbortSignal,
): Promise<BriefEnd> {
  const { clock, identity, secrets } = house;
  const { engineer, settings, block, version } = ready;
  const now = (): string => isoStamp(clock.wallMs());
  const acceptedAt = now();
  voice.say(
    signed(
      'accepted',
      {
        v: 1,
        type: 'accepted',
        brief: brief.id,
        runner: identity.name,
        at: acceptedAt,
        engineer: { kind: engineer.kind, version: secrets.shown(version) },
        sent_block: block.sentBlock,
        final_block: block.finalBlock,
        additions: [...block.additions],
        without: [...WITHOUT],
        project_settings: settings.projectSettings,
      },
      identity.pair,
    ),
  );
  const begins = await voice.begins(brief.id, cancel);
  if (begins.kind === 'not') {
    await removeTree(places.root); // nothing was made in it
    return { kind: 'taken', message: begins.message };
  }
  const wallMs = Math.ceil(brief.limits.wall_minutes * 60_000);
  const endsAt = clock.monotonicMs() + wallMs;
  const [over, wall] = [new AbortController(), new AbortController()];
  sleep(wallMs, over.signal).then(
    () => wall.abort(),
    () => {}, // the work was faster
  );
  const done = new BriefWork(
    {
      brief,
      engineer,
      settings,
      prompt: engineerPrompt(brief, block.text),
      places,
      cancel,
      wall: wall.signal,
      leftMs: () => Math.min(Math.max(1, Math.ceil(endsAt - clock.monotonicMs())), LONGEST_MS),
    },
    house,
    {
      step: (step) => voice.say({ v: 1, brief: brief.id, type: 'step', step, at: now() }),
      engineer: activityLines(brief.id, (line) => voice.say(line), clock, secrets),
    },
  );
  await done.run();
  over.abort();
  const found: Found = {
    brief,
    runner: identity.name,
    acceptedAt,
    endedAt: now(),
    classified: done.classified,
    engineerVersion: version,
    projectSettings: settings.projectSettings,
    block,
    seen: done.seen,
    collected: done.collection?.kind === 'collected' ? done.collection.collected : null,
    verify: done.verified,
    notVerified: done.notVerified,
    bundle: done.bundle === null ? null : { sha256: done.bundle.sha256, bytes: done.bundle.bytes },
    pushed: done.pushed,
    workspaceChanges: done.workspaceChanges,
  };
  return report(found, done.bundle?.path ?? null, places, house, voice);
}

/** What there is to say of a brief whose work did not begin. */
function foundOf(brief: Brief, classified: Classified, at: string, house: RunnerHouse): Found {
  return {
    brief,
    runner: house.identity.name,
    acceptedAt: at,
    endedAt: isoStamp(house.clock.wallMs()),
    classified,
    engineerVersion: null,
    projectSettings: false,
    block: NO_BLOCK,
    seen: null,
    collected: null,
    verify: [],
    notVerified: 'not_reached',
    bundle: null,
    pushed: false,
    workspaceChanges: [],
  };
}

/** Signs the result and puts it into the outbox; one that finds no room goes without its bundle. */
async function report(
  found: Found,
  bundle: string | null,
  places: BriefPlaces | null,
  house: RunnerHouse,
  voice: Voice,
): Promise<BriefEnd> {
  const { id } = found.brief;
  voice.say({ v: 1, brief: id, type: 'step', step: 'reported', at: isoStamp(house.clock.wallMs()) });
  const outbox = new Outbox(house.workdir);
  const sign = (what: Found): Result => signed('result', resultOf(what, house.secrets), house.identity.pair);
  let result = sign(found);
  try {
    result = await putOwn(outbox, result, bundle, house);
  } catch (error) {
    if (bundle !== null) await removeTree(bundle);
    const cause = isDiskFull(error) ? 'disk_full' : 'workspace';
    const detail = `its result could not be written: ${errorText(error)}`;
    result = sign({ ...found, bundle: null, classified: { status: 'failed', cause, detail } });
    result = await putOwn(outbox, result, null, house);
  }
  sayResult(id, house, voice);
  return { kind: 'result', result, places };
}

/**
 * Puts a result in place; gives the one that is there when this runner has signed it. What nobody here has signed was put
 * there by somebody else, an engineer for one, and is none (R1).
 */
async function putOwn(
  outbox: Outbox,
  result: Result,
  bundle: string | null,
  { identity: { name, pair } }: RunnerHouse,
): Promise<Result> {
  if ((await outbox.put(result, bundle)) === 'put') return result;
  const own: AcceptedKey = { ...pair, name, role: 'runner', retired: false };
  const there = await outbox.read(result.brief);
  if (there.kind === 'result' && checkSignature('result', there.waiting.result, [own]).kind === 'signed')
    return there.waiting.result;
  if (there.kind !== 'none') await outbox.putAside(result.brief);
  await outbox.put(result, bundle);
  return result;
}

function sayResult(brief: string, { clock }: RunnerHouse, voice: Voice): void {
  voice.say({ v: 1, brief, type: 'result', at: isoStamp(clock.wallMs()) });
}
