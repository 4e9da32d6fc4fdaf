import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command } from '../../../src/delegate/engineers/command.js';
import type { Engineer, EngineerEvent } from '../../../src/delegate/engineers/engineer.js';
import { type EngineerSeen, runEngineer } from '../../../src/delegate/engineers/run-engineer.js';
import { OUTPUT_MARK } from '../../../src/delegate/engineers/transcript.js';
import { systemClock } from '../../../src/shared/clock.js';
import { CancelledError } from '../../../src/shared/errors.js';
import { KILL_LADDER } from '../../../src/shared/process-ending.js';
import { systemProcessTable } from '../../../src/shared/process-table.js';
import { ProcessGroups } from '../../../src/shared/processes.js';
import { NO_SECRETS, type Redactor } from '../../../src/shared/secrets/redactor.js';
import { engineerOrder } from '../../helpers/engineers/run-plan.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';

const PROGRAM = join(import.meta.dirname, '../../fixtures/runners/engineer.mjs');
const table = systemProcessTable();

type Told = EngineerEvent | { readonly kind: 'stalled'; readonly idleMs: number };

interface Options {
  readonly engineer?: Engineer;
  readonly prompt?: string;
  readonly wallMs?: number;
  readonly announceMs?: number;
  readonly stalledMs?: number;
  readonly lingerMs?: number;
  readonly outputBytes?: number;
  readonly signal?: AbortSignal;
  readonly program?: string;
  readonly secrets?: Redactor;
  readonly heard?: (event: Told) => void;
  /** Prepares the folder. */
  readonly before?: (root: string) => Promise<void>;
}

async function run(
  deeds: readonly string[],
  options: Options = {},
): Promise<{ seen: EngineerSeen; told: readonly Told[]; transcript: string; root: string }> {
  const root = await tempDir();
  await options.before?.(root);
  const groups = new ProcessGroups({ folder: join(root, 'groups') });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  const told: Told[] = [];
  const order = engineerOrder(root, {
    prompt: options.prompt ?? 'the order',
    home: join(root, 'home'),
    settings: {
      path: options.program ?? process.execPath,
      args: [PROGRAM, ...deeds.map((deed) => deed.replace('@', root))],
      env: { GRANTED: 'yes' },
    },
  });
  const seen = await runEngineer(
    options.engineer ?? command,
    order,
    join(root, 'transcript'),
    {
      groups,
      environment: { PATH: '/usr/bin:/bin' },
      wrap: [],
      clock: systemClock,
      secrets: options.secrets ?? NO_SECRETS,
    },
    {
      signal: options.signal ?? new AbortController().signal,
      wallMs: options.wallMs ?? 60_000,
      graceMs: 100,
      announceMs: options.announceMs ?? 60_000,
      stalledMs: options.stalledMs ?? 60_000,
      lingerMs: options.lingerMs ?? 60_000,
      outputBytes: options.outputBytes ?? 1 << 30,
    },
    {
      event: (event) => {
        told.push(event);
        options.heard?.(event);
      },
    },
  );
  expect(groups.live).toEqual([]);
  return { seen, told, transcript: await readFile(join(root, 'transcript'), 'utf8'), root };
}

/** The family that a fixture has named in a file, when both have begun. */
const family = (root: string): Promise<number[]> =>
  until(
    async () => {
      const text = await readFile(join(root, 'pids'), 'utf8').catch(() => '');
      const pids = text.split('\n').slice(0, -1).map(Number);
      return pids.length === 2 ? pids : null;
    },
    { what: 'the family has begun' },
  );

async function alive(pids: readonly number[]): Promise<number[]> {
  const rows = await table.rows();
  return pids.filter((pid) => rows.some((row) => row.pid === pid));
}

describe('an engineer is run', () => {
  test('with its prompt on standard input; the transcript begins with it, byte for byte', async () => {
    const prompt = `Do it.\u2028é😀\n${'x'.repeat(200_000)}\n`;
    const { seen, transcript } = await run(['echo', 'say=done'], { prompt });
    expect(transcript).toBe(`${prompt}${OUTPUT_MARK}${prompt}done\n`);
    expect(seen).toMatchObject({
      run: { kind: 'ended', exit: { code: 0 }, end: { kind: 'success' } },
      left: [],
    });
    expect(seen.transcript).toMatchObject({ bytes: Buffer.byteLength(transcript), cut: 0 });
  });

  test('with an allow-list of variables, those of its settings, and a home of its own', async () => {
    process.env['BNERD_TEST_NOT_FOR_IT'] = 'no';
    onTestFinished(() => {
      process.env['BNERD_TEST_NOT_FOR_IT'] = undefined;
    });
    const { transcript, root } = await run(['env=HOME', 'env=GRANTED', 'env=BNERD_TEST_NOT_FOR_IT']);
    expect(transcript.split(OUTPUT_MARK)[1]).toBe(
      `HOME=${join(root, 'home')}\nGRANTED=yes\nBNERD_TEST_NOT_FOR_IT=\n`,
    );
  });

  test('and need not read its prompt, nor keep its output open', async () => {
    const prompt = 'x'.repeat(1 << 20);
    expect((await run(['deaf', 'say=no'], { prompt })).seen).toMatchObject({
      run: { end: { message: 'no' } },
    });
    expect((await run(['say=before', 'mute', 'wait=50', 'exit=0'])).seen).toMatchObject({
      run: { kind: 'ended', exit: { code: 0 } },
      message: 'before',
    });
  });

  test('its last line may be an envelope, in which a failure is none less for exit 0', async () => {
    const said = {
      status: 'failure',
      message: 'No.',
      usage: { input_tokens: 5, output_tokens: 2, cost_usd: 0.5 },
    };
    const { seen } = await run(['say=working', `say=${JSON.stringify(said)}`]);
    expect(seen).toMatchObject({
      run: { kind: 'ended', exit: { code: 0 }, end: { kind: 'failure', cause: 'engineer_error' } },
      message: 'No.',
      usage: { inputTokens: 5, outputTokens: 2, costUsd: 0.5 },
    });
  });
});

describe('what it writes', () => {
  test('in pieces of seven bytes, through characters, is read as it was written', async () => {
    const text = 'näïve 😀 テスト — “quoted”'.repeat(5);
    const { told } = await run([`drip=${text}`]);
    expect(told).toEqual([{ kind: 'activity', text: expect.stringContaining('näïve 😀 テスト — “quoted”') }]);
  });

  test('on standard error never stands inside of a line (J205)', async () => {
    const { told, transcript } = await run(['complain=DEBUG 1', 'say={"a":1}', 'complain=DEBUG 2']);
    expect(told).toEqual([{ kind: 'activity', text: '{"a":1}' }]);
    expect(transcript).not.toContain('DEBUG');
  });

  test('J206: in a line of 100 MB is dropped whole and counted; the next lines are fine', async () => {
    const { seen, told } = await run(['say=one', 'line=100', 'say=two']);
    expect(told.map((event) => event.kind === 'activity' && event.text)).toEqual(['one', 'two']);
    expect(seen.noise).toMatchObject({ oversize: 1 });
    expect(seen.transcript.cut).toBeGreaterThan(30_000_000);
  });

  test('past what an engineer may write ends it, with all that it started', async () => {
    const { seen, root } = await run(['fork=@/pids', 'until=@/pids', 'line=2', 'hang'], {
      outputBytes: 1 << 20,
    });
    expect(seen.run).toEqual({ kind: 'flooded', detail: 'it wrote more than 1048576 bytes and was ended' });
    expect(await alive(await family(root))).toEqual([]);
  });

  test('without a line break at the end is a line', async () => {
    const { seen } = await run(['say=one'], { engineer: { ...command } });
    expect(seen.message).toBe('one');
  });
});

describe('its end', () => {
  test('by itself takes what it left running with it', async () => {
    const { seen, root } = await run(['fork=@/pids', 'until=@/pids', 'say=done']);
    expect(seen.run.kind).toBe('ended');
    expect(await alive(await family(root))).toEqual([]);
  });

  test('Q38: is not held up by a grandchild that holds its output open', async () => {
    const { seen, root } = await run(['hold=@/pids', 'until=@/pids', 'say=done']);
    expect(seen).toMatchObject({ run: { kind: 'ended' }, message: 'done', left: [] });
    expect(await alive(await family(root))).toEqual([]);
  });

  test('comes when its time is over, with all that it started, TERM ignored (G158)', async () => {
    const { seen, root } = await run(['fork=@/pids', 'say=busy', 'hang'], { wallMs: 3_000 });
    expect(seen).toMatchObject({
      run: { kind: 'timed_out', detail: expect.stringContaining('wall_minutes') },
      left: [],
    });
    expect(await alive(await family(root))).toEqual([]);
  });

  test('comes with the cancel, whose reason is told', async () => {
    const cancel = new AbortController();
    const { seen, root } = await run(['fork=@/pids', 'until=@/pids', 'say=now', 'hang'], {
      signal: cancel.signal,
      heard: () => cancel.abort(new CancelledError('cancelled', 'the lead has cancelled it')),
    });
    expect(seen.run).toEqual({ kind: 'cancelled', detail: 'the lead has cancelled it' });
    expect(await alive(await family(root))).toEqual([]);
  });

  test('a cancel before it began starts nothing', async () => {
    const { seen } = await run(['touch=@/ran'], { signal: AbortSignal.abort(new Error('x')) });
    expect(seen.run.kind).toBe('cancelled');
  });

  test.each([
    [['die'], { kind: 'ended', exit: { kind: 'signalled', signal: 'SIGSEGV' }, end: { kind: 'none' } }],
    [
      ['say=sorry', 'exit=3'],
      { kind: 'ended', exit: { code: 3 }, end: { kind: 'failure', message: 'sorry' } },
    ],
  ])('by %j is told as it was', async (deeds, expected) => {
    expect((await run(deeds)).seen.run).toMatchObject(expected);
  });

  test('of a program that is not there is told before anything ran', async () => {
    const { seen } = await run([], { program: '/nowhere/engineer' });
    // The shell at the gate is what could not go on: it says so and ends.
    expect(seen.run).toMatchObject({ kind: 'ended', exit: { code: 127 } });
  });
});

test('a home for which the disk has no room is not made, and that is the cause', async () => {
  const full: Engineer = {
    ...command,
    plan: (order) => {
      const plan = command.plan(order);
      return plan.kind === 'refused'
        ? plan
        : { ...plan, start: { ...plan.start, files: { full: 'a word' } } };
    },
  };
  const { seen } = await run(['touch=@/ran'], {
    engineer: full,
    before: async (root) => {
      await mkdir(join(root, 'home'));
      await symlink('/dev/full', join(root, 'home/full'));
    },
  });
  expect(seen.run).toEqual({
    kind: 'not_started',
    cause: 'disk_full',
    detail: expect.stringContaining('its home could not be made: ENOSPC'),
  });
});

describe('silence', () => {
  const announcing: Engineer = { ...command, announces: true };

  test('B28: of a program that announces itself ends it: it runs, and does not work', async () => {
    const { seen } = await run(['hang'], { engineer: announcing, announceMs: 300 });
    expect(seen.run).toMatchObject({
      kind: 'silent',
      detail: expect.stringContaining('did not say within'),
    });
  });

  test('later is said once, and not judged', async () => {
    const { seen, told } = await run(['say=one', 'wait=1500', 'say=two'], { stalledMs: 300 });
    // Its start may have taken as long: that is another silence, and said as well.
    const kinds = told.map(({ kind }) => kind);
    expect(kinds.slice(kinds.indexOf('activity'))).toEqual(['activity', 'stalled', 'activity']);
    expect(seen.run.kind).toBe('ended');
  });
});
