// Cases Q43, Q45 and K211 through the program: a record that a crash has torn, resumed.
import { cp, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import type { BnerdOptions, BnerdRun } from '../helpers/bnerd.js';
import { tempDir } from '../helpers/temp-dir.js';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

/** The worker waits until `go` is there; a second task comes behind the first, so that there is more to append. */
const HELD = oneTask([does(shell('until [ -e go ]; do sleep 0.05; done'))]);

/** A team whose process was killed while its worker's command ran. Many copies of its record can be resumed. */
async function killed(): Promise<{ at: Job; id: string }> {
  const at = await job(HELD);
  const program = await at.start(['--auto-approve', 'all']);
  await at.fact('tool.started');
  program.signal('SIGKILL');
  await program.ended;
  await writeFile(join(at.workspace, 'go'), 'go');
  return { at, id: await at.id() };
}

interface Copy {
  readonly folder: string;
  readonly env: NonNullable<BnerdOptions['env']>;
}

/** Another home with the same team. */
async function copyOf(at: Job, id: string): Promise<Copy> {
  const state = join(await tempDir('copy'), 'state');
  await cp(at.place.state, state, { recursive: true });
  return { folder: join(state, 'runs', id), env: { BNERD_HOME: state } };
}

type Damage = (bytes: Buffer) => Buffer;

/** Where the last line begins. */
const lastLine = (bytes: Buffer): number => bytes.lastIndexOf(10, bytes.length - 2) + 1;
const append =
  (tail: string | Buffer): Damage =>
  (bytes) =>
    Buffer.concat([bytes, Buffer.from(tail)]);

const HALF = '{"v":1,"first":40,"at":1200,"wall":"2026-01-01T00:00:00.000Z","facts":[{"type":"task.cl';
const TORN: readonly { readonly what: string; readonly damage: Damage }[] = [
  {
    what: 'K211 the last line cut in the middle of its JSON',
    damage: (bytes) => bytes.subarray(0, lastLine(bytes) + 20),
  },
  { what: 'K211 the last line without its end', damage: (bytes) => bytes.subarray(0, -1) },
  { what: 'Q43 half an entry behind the last', damage: append(HALF) },
  { what: 'Q45 a block of NULs behind the last', damage: append(Buffer.alloc(4096)) },
  {
    what: 'Q45 half an entry that ends in NULs',
    damage: append(Buffer.concat([Buffer.from(HALF), Buffer.alloc(512)])),
  },
  {
    what: 'Q45 NULs where the last line was',
    damage: (bytes) => Buffer.concat([bytes.subarray(0, lastLine(bytes)), Buffer.alloc(300)]),
  },
  {
    what: 'Q45 half a code point at the end',
    damage: append(Buffer.concat([Buffer.from('{"v":1,"text":"'), Buffer.from('ü').subarray(0, 1)])),
  },
];

/** Damages a file; gives the bytes that are no whole line any more. */
async function damaged(path: string, damage: Damage): Promise<Buffer> {
  const bytes = damage(await readFile(path));
  await writeFile(path, bytes);
  return bytes.subarray(bytes.lastIndexOf(10) + 1);
}

/** Every line of log and transcripts is JSON, the last one ended. */
async function expectWholeLines(folder: string): Promise<void> {
  const transcripts = (await readdir(join(folder, 'transcripts'))).filter((name) => name.endsWith('.jsonl'));
  for (const name of ['log.jsonl', ...transcripts.map((each) => `transcripts/${each}`)]) {
    const text = await readFile(join(folder, name), 'utf8');
    expect(text.endsWith('\n'), name).toBe(true);
    for (const line of text.trimEnd().split('\n'))
      expect(() => JSON.parse(line), `${name}: ${line}`).not.toThrow();
  }
}

async function expectDone(at: Job, id: string, copy: Copy, resumed: BnerdRun): Promise<void> {
  expect(resumed.stderr).toMatch(/^done \(exit 0\)/m);
  expect(resumed.exit).toBe(0);
  const verified = await at.here(['team', 'verify', id], { env: copy.env });
  expect(verified).toMatchObject({ exit: 0, stdout: expect.stringMatching(/: they agree\n$/) });
  await expectWholeLines(copy.folder);
}

describe('a record with a torn tail', () => {
  test('Q43, Q45, K211 log and memory are mended on resume: the tail is set aside, the next append is readable, the run ends done', async () => {
    const { at, id } = await killed();
    const rows = [
      ...TORN.map((row) => ({ ...row, file: 'log.jsonl', aside: 'log.torn' })),
      // The same reader reads both: of a memory the last of each kind.
      ...TORN.filter((_, place) => place % 3 === 0).map((row) => ({
        ...row,
        file: 'transcripts/worker.jsonl',
        aside: 'transcripts/worker.torn',
      })),
    ];
    await inPairs(rows, async ({ what, damage, file, aside }) => {
      const copy = await copyOf(at, id);
      const tail = await damaged(join(copy.folder, file), damage);
      const resumed = await at.bnerd(['team', 'resume', id], { env: copy.env });
      await expectDone(at, id, copy, resumed);
      expect(resumed.stderr, what).toContain('was torn by a crash before it was acknowledged');
      // Nothing is thrown away.
      const kept = await readFile(join(copy.folder, aside));
      expect(kept.includes(tail), `${what}, ${file}`).toBe(true);
    });
  });

  test('K211 what was mended once can be killed and resumed again', async () => {
    const at = await job(HELD);
    const program = await at.start(['--auto-approve', 'all']);
    await at.fact('tool.started');
    program.signal('SIGKILL');
    await program.ended;
    const log = join(await at.folder(), 'log.jsonl');
    const id = await at.id();
    for (const round of [1, 2, 3]) {
      await truncate(log, (await stat(log)).size - 30);
      const again = await at.startBnerd(['team', 'resume', id]);
      await at.fact('run.resumed');
      await again.says(/resumed: /);
      again.signal('SIGKILL');
      await again.ended;
      expect(
        (await readFile(join(await at.folder(), 'log.torn'), 'utf8')).match(/"file":"log.jsonl"/g),
      ).toHaveLength(round);
    }
    await writeFile(join(at.workspace, 'go'), 'go');
    const last = await at.bnerd(['team', 'resume', id]);
    await expectDone(at, id, { folder: await at.folder(), env: {} }, last);
  });
});

test('Q45 NULs in the middle are never skipped: resume refuses, naming the line, and changes nothing; verify says the same', async () => {
  const { at, id } = await killed();
  for (const [file, line] of [
    ['log.jsonl', 2],
    ['transcripts/worker.jsonl', 2],
  ] as const) {
    const copy = await copyOf(at, id);
    const path = join(copy.folder, file);
    const lines = (await readFile(path, 'utf8')).split('\n');
    lines[line - 1] = '\u0000'.repeat(lines[line - 1]?.length ?? 0);
    await writeFile(path, lines.join('\n'));
    const before = await readFile(path);
    const resumed = await at.bnerd(['team', 'resume', id], { env: copy.env });
    expect(resumed, file).toMatchObject({ exit: 2, stdout: '' });
    expect(resumed.stderr).toMatch(new RegExp(`line ${line}\\b`));
    expect(resumed.stderr).toContain(file);
    expect((await readFile(path)).equals(before)).toBe(true);
    const verified = await at.bnerd(['team', 'verify', id], { env: copy.env });
    expect(verified.exit, file).toBe(1);
    expect(verified.stdout).toMatch(new RegExp(`line ${line}\\b`));
  }
});

async function inPairs<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker()]);
}
