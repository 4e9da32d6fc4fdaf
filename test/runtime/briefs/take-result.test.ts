// A result on its way from the outbox into the record (spec/runner.md §3 "Report", "Cancel"): what it becomes, and what goes.
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Brief } from '../../../src/delegate/brief/brief.js';
import type { ResultBody } from '../../../src/delegate/brief/result.js';
import { Deliveries } from '../../../src/delegate/deliver/deliver.js';
import { Outbox } from '../../../src/delegate/runner/outbox.js';
import { bundle } from '../../../src/delegate/workspace/bundle.js';
import type { FactOf, FactType } from '../../../src/events/event.js';
import { MemoryDisk, memoryRecord } from '../../../src/events/memory-record.js';
import { lateResult } from '../../../src/runtime/briefs/late-result.js';
import { type TakingParts, takeResult } from '../../../src/runtime/briefs/take-result.js';
import { takeWaiting } from '../../../src/runtime/briefs/take-waiting.js';
import { systemClock } from '../../../src/shared/clock.js';
import { sha256 } from '../../../src/shared/digest.js';
import { newKeyPair, signed } from '../../../src/shared/signature.js';
import { TeamStore } from '../../../src/state/team-store.js';
import { aBrief, accepted, resultOrder } from '../../helpers/briefs.js';
import { acceptance, briefOffer, delegating, send } from '../../helpers/build-brief.js';
import type { Team } from '../../helpers/build-state.js';
import { commitAll, git, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { sourceRepository, TOOLS } from '../../helpers/workspace.js';

const SIGNAL = new AbortController().signal;

interface Scene {
  readonly brief: Brief;
  readonly head: string;
  readonly workspace: string;
  readonly parts: TakingParts;
  /** Puts a signed result of the brief into the outbox, with its bundle unless it names none. */
  put(change?: Partial<Omit<ResultBody, 'key_id'>>): Promise<void>;
  of<Type extends FactType>(type: Type): FactOf<Type>[];
  readonly waits: () => Promise<string>;
  /** Where bundles are judged. */
  readonly judged: string;
}

/** A team whose brief a runner has taken and worked on; `further` is what has happened to it since. */
async function scene(further: (team: Team, brief: string) => void = () => {}): Promise<Scene> {
  const [workspace, folder] = [await sourceRepository(), await tempDir('taking')];
  const runner = newKeyPair();
  const base = git(workspace, 'rev-parse', 'HEAD');
  const brief = aBrief(newKeyPair(), { workspace: { repo: workspace, base } });
  const { branch } = brief.workspace;
  const away = join(folder, 'away');
  git(workspace, 'clone', '--quiet', '.', away);
  git(away, 'switch', '--quiet', '--create', branch);
  await putFiles(away, { 'work.txt': 'work\n' });
  const head = commitAll(away, 'work');
  const team = delegating();
  send(team, { brief: brief.id, base, branch, verify: [] });
  team.ok(acceptance(brief.id));
  further(team, brief.id);
  const disk = new MemoryDisk();
  disk.entries.push(...team.entries);
  const record = memoryRecord(disk);
  const outbox = new Outbox(join(folder, 'runner'));
  const parts: TakingParts = {
    team: brief.team,
    workspace,
    outbox,
    runners: async () => [accepted(runner, 'runner')],
    store: await TeamStore.open(record.log, systemClock),
    blobs: record.blobs,
    deliveries: new Deliveries(TOOLS, join(folder, 'deliveries')),
    deliverAgainMs: [],
    fileBytes: async () => null,
  };
  const block = briefOffer().sent_block;
  return {
    brief,
    head,
    workspace,
    parts,
    put: async (change = {}) => {
      const path = join(folder, 'bundle');
      const order = { quarantine: join(away, '.git'), base, head, branch, path };
      const made = await bundle(order, TOOLS);
      if (made.kind === 'failed') throw new Error(made.detail);
      const whole = { sha256: made.sha256, bytes: made.bytes };
      const body = resultOrder(brief, {
        head,
        commits: [{ sha: head, subject: 'work' }],
        bundle: whole,
        sent_block: block,
        final_block: block,
        ...change,
      });
      await outbox.put(signed('result', body, runner), body.bundle === null ? null : path);
    },
    of: (type) =>
      disk.entries.flatMap(({ facts }) =>
        facts.filter((fact): fact is FactOf<typeof type> => fact.type === type),
      ),
    waits: async () => (await outbox.read(brief.id)).kind,
    judged: join(folder, 'deliveries'),
  };
}

const lose = (team: Team, brief: string): void => {
  team.ok({ kind: 'brief.lose', brief, detail: 'its runner is gone', again: null });
};

test('its commits are a branch of the workspace before the record says so, and the record has its text', async () => {
  const { parts, brief, put, of, head, workspace } = await scene();
  await put();
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
  expect(git(workspace, 'rev-parse', brief.workspace.branch)).toBe(head);
  expect(of('brief.delivered')).toMatchObject([{ head, commits: 1 }]);
  const [ended] = of('brief.ended');
  expect(ended).toMatchObject({ status: 'completed', head, cost_usd: 0.1 });
  expect(await parts.blobs.get(ended?.result ?? '')).toContain('"It is done."');
  // A process that had died before the outbox was emptied does it again: nothing more happens.
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
  expect(of('brief.ended')).toHaveLength(1);
});

test('there is none, or it cannot be read', async () => {
  const { parts, brief, put } = await scene();
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'none', detail: null });
  await put();
  await writeFile(parts.outbox.path(brief.id), '{');
  expect(await takeResult(parts, brief.id, SIGNAL)).toMatchObject({ kind: 'damaged' });
});

test.each([
  ['runner of another key', 'unknown_key', {}],
  ['team', 'other_brief', { team: 'run-other' }],
  ['task', 'other_brief', { task: '#2' }],
  ['attempt', 'other_brief', { attempt: 2 }],
  ['base', 'other_brief', { base: '1'.repeat(40) }],
  ['branch', 'other_brief', { branch: 'main' }],
] as const)('of another %s it is evidence and no result', async (what, code, change) => {
  const { parts, brief, put, of } = await scene();
  await put(change);
  const stranger = accepted(newKeyPair(), 'runner');
  const runners = what === 'runner of another key' ? async () => [stranger] : parts.runners;
  expect(await takeResult({ ...parts, runners }, brief.id, SIGNAL)).toMatchObject({ kind: 'none' });
  expect(of('brief.evidence')).toMatchObject([{ code }]);
  expect(of('brief.ended')).toEqual([]);
});

test('called off by nobody, its runner was left alone: that is no result', async () => {
  const { parts, brief, put, of } = await scene();
  await put({ status: 'cancelled', detail: 'the program that gave the brief is gone' });
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({
    kind: 'none',
    detail: 'the program that gave the brief is gone',
  });
  expect(of('brief.evidence')).toMatchObject([{ code: 'left_alone' }]);
});

test('behind the wish to cancel nothing of it reaches the workspace', async () => {
  const { parts, brief, put, of, workspace } = await scene((team, id) => {
    team.ok({ kind: 'brief.cancel', by: team.by('worker'), brief: id, reason: 'enough' });
  });
  await put();
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
  expect(of('brief.ended')).toMatchObject([{ status: 'cancelled' }]);
  expect(git(workspace, 'branch', '--list', 'bnerd/*')).toBe('');
});

test('the wish to cancel that comes while its commits are on their way: cancelled, and no branch is left', async () => {
  const { parts, brief, put, of, workspace, judged } = await scene();
  await put();
  await writeFile(judged, 'in the way\n');
  const cancels = (): void => {
    rmSync(judged, { force: true });
    const by = { kind: 'operator', name: 'ada' } as const;
    void parts.store.send('cancel', { kind: 'brief.cancel', by, brief: brief.id, reason: 'enough' });
  };
  const tried = { ...parts, deliverAgainMs: told([], [1, 1], cancels) };
  expect(await takeResult(tried, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
  expect(of('brief.cancel_requested')).toHaveLength(1);
  expect(of('brief.ended')).toMatchObject([{ status: 'cancelled' }]);
  expect(of('brief.delivered')).toEqual([]);
  expect(git(workspace, 'branch', '--list', 'bnerd/*')).toBe('');
});

test('a branch that a crash has left of a brief that was called off is taken back, unless somebody stands on it', async () => {
  for (const stands of [false, true]) {
    const { parts, brief, put, head, workspace } = await scene((team, id) => {
      team.ok({ kind: 'brief.cancel', by: team.by('worker'), brief: id, reason: 'enough' });
    });
    await put();
    const { base, branch } = { base: brief.workspace.base, branch: brief.workspace.branch };
    const read = await parts.outbox.read(brief.id);
    const path = read.kind === 'result' ? read.waiting.bundle : null;
    await parts.deliveries.deliver({ workspace, bundle: path ?? '', base, head, branch }, SIGNAL);
    expect(git(workspace, 'rev-parse', branch)).toBe(head);
    if (stands) git(workspace, 'switch', '--quiet', branch);
    expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
    expect(git(workspace, 'branch', '--format=%(refname:short)', '--list', 'bnerd/*')).toBe(
      stands ? branch : '',
    );
  }
});

test('what cannot be delivered now is tried again, and then the brief fails and its work is kept', async () => {
  const { parts, brief, put, of, judged } = await scene();
  await put();
  await writeFile(judged, 'in the way\n');
  const waits: number[] = [];
  expect(await takeResult({ ...parts, deliverAgainMs: told(waits, [1, 2]) }, brief.id, SIGNAL)).toEqual({
    kind: 'undelivered',
  });
  expect(waits).toEqual([1, 2]);
  expect(of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'workspace' }]);
  expect(of('brief.ended')[0]?.detail).toContain(
    `they are kept in the run folder, in runner/briefs/${brief.id}`,
  );
});

test('a workspace that has become another repository meanwhile takes nothing in: it fails by name, and its work is kept', async () => {
  const { parts, brief, put, of, workspace } = await scene();
  await put();
  rmSync(join(workspace, '.git'), { recursive: true });
  git(workspace, 'init', '--quiet');
  await putFiles(workspace, { 'other.txt': 'other\n' });
  const head = commitAll(workspace, 'another history');
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'undelivered' });
  expect(of('brief.ended')).toMatchObject([
    { status: 'failed', cause: 'workspace', detail: expect.stringContaining(brief.workspace.base) },
  ]);
  expect(of('brief.delivered')).toEqual([]);
  expect(git(workspace, 'for-each-ref', '--format=%(objectname)')).toBe(head);
});

test('what hinders it passes: it is delivered at a later try', async () => {
  const { parts, brief, put, of, judged } = await scene();
  await put();
  await writeFile(judged, 'in the way\n');
  const passes = (): void => rmSync(judged, { force: true });
  const tried = { ...parts, deliverAgainMs: told([], [1, 1], passes) };
  expect(await takeResult(tried, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
  expect(of('brief.ended')).toMatchObject([{ status: 'completed' }]);
});

test('called off while it waits to try again it stays where it is', async () => {
  const { parts, brief, put, of, waits, judged } = await scene();
  await put();
  await writeFile(judged, 'in the way\n');
  const closing = new AbortController();
  const taking = takeResult({ ...parts, deliverAgainMs: [600_000] }, brief.id, closing.signal);
  closing.abort();
  expect(await taking).toMatchObject({ kind: 'later' });
  expect(of('brief.ended')).toEqual([]);
  expect(await waits()).toBe('result');
});

test('pushed elsewhere by its runner it fails with the reason', async () => {
  const { parts, brief, put, of } = await scene();
  await put({ bundle: null, pushed: true });
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'undelivered' });
  expect(of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'workspace' }]);
  expect(of('brief.ended')[0]?.detail).toContain('fetch the branch yourself');
});

test('of a lost brief it is evidence once, stays, and can be adopted with its commits', async () => {
  const { parts, brief, put, of, head, workspace, waits } = await scene(lose);
  await put();
  for (let time = 0; time < 2; time++)
    expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'late' });
  expect(of('brief.evidence')).toMatchObject([{ code: 'late_result' }]);
  expect(git(workspace, 'branch', '--list', 'bnerd/*')).toBe('');
  const late = await lateResult(parts, 't1.a1.o1', SIGNAL);
  if (late.kind === 'refused') throw new Error(late.message);
  expect(git(workspace, 'rev-parse', brief.workspace.branch)).toBe(head);
  const by = { kind: 'operator', name: 'ada' } as const;
  const adopted = await parts.store.send('operator/1', { kind: 'brief.adopt', by, ...late.checked });
  expect(adopted).toMatchObject({ kind: 'accepted' });
  expect(of('brief.adopted')).toMatchObject([
    { by: 'ada', result: sha256(JSON.stringify(await text(parts, brief))) },
  ]);
  expect(of('brief.delivered')).toMatchObject([{ head }]);
  expect(await waits()).toBe('result');
});

test('of a lost brief whose task has another attempt it is evidence and goes; nothing of it can be adopted', async () => {
  const { parts, brief, put, workspace } = await scene((team, id) => {
    lose(team, id);
    team.ok(team.update('#1', { status: 'pending' }));
    team.claim('worker', '#1');
  });
  await put();
  expect(await takeResult(parts, brief.id, SIGNAL)).toEqual({ kind: 'taken' });
  expect(await lateResult(parts, brief.id, SIGNAL)).toMatchObject({ kind: 'refused', code: 'newer_attempt' });
  expect(git(workspace, 'branch', '--list', 'bnerd/*')).toBe('');
});

test('what is forged, of a brief that has ended, is evidence once and goes; what may be adopted stays', async () => {
  const { parts, put, of, waits } = await scene(lose);
  await put();
  const stranger = accepted(newKeyPair(), 'runner');
  const forged = { ...parts, runners: async () => [stranger] };
  for (let start = 0; start < 2; start++) expect(await takeWaiting(forged, SIGNAL)).toEqual([]);
  expect(of('brief.evidence')).toMatchObject([{ code: 'unknown_key' }]);
  expect(await waits()).toBe('none');
  await put();
  for (let start = 0; start < 2; start++) expect(await takeWaiting(parts, SIGNAL)).toEqual([]);
  expect(of('brief.evidence').map(({ code }) => code)).toEqual(['unknown_key', 'late_result']);
  expect(await waits()).toBe('result');
});

test('there is nothing to adopt of a brief that is unknown, or of which nothing has come', async () => {
  const { parts, brief } = await scene(lose);
  expect(await lateResult(parts, 'none', SIGNAL)).toMatchObject({ code: 'unknown_brief' });
  expect(await lateResult(parts, brief.id, SIGNAL)).toMatchObject({ code: 'no_late_result' });
});

/** These waits, each told when it begins; behind each `passes` is called. */
function* told(
  waits: number[],
  list: readonly number[],
  passes: () => void = () => {},
): Generator<number, void, undefined> {
  for (const ms of list) {
    waits.push(ms);
    yield ms;
    passes();
  }
}

async function text({ outbox }: TakingParts, { id }: Brief): Promise<unknown> {
  const read = await outbox.read(id);
  if (read.kind !== 'result') throw new Error(read.kind);
  return read.waiting.result;
}
