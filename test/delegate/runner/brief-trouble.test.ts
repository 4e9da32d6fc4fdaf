// What is refused, and what goes wrong: a result each time, or nothing of anybody's.
import { rmSync, writeFileSync } from 'node:fs';
import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Brief } from '../../../src/delegate/brief/brief.js';
import { resultJsonSchema } from '../../../src/delegate/brief/json-schema.js';
import { checkSignature, newKeyPair, signed } from '../../../src/shared/signature.js';
import { aBrief, accepted, resultOrder } from '../../helpers/briefs.js';
import { problemsOf } from '../../helpers/json-schema.js';
import { COMMIT, type Ran, runnerScene } from '../../helpers/runner.js';
import { tempDir } from '../../helpers/temp-dir.js';

const resultSchema = JSON.parse(JSON.stringify(resultJsonSchema()));
const sh = (key: string, script: string) => ({ key, argv: ['/bin/sh', '-c', script] });
const kinds = ({ lines }: Ran): readonly string[] =>
  lines.map((line) => (line.type === 'step' ? line.step : line.type)).filter((kind) => kind !== 'activity');

describe('what is refused', () => {
  test('by its limits ends in a signed result with the code, and nothing is begun', async () => {
    const { run, brief, house, base, workdir } = await runnerScene(COMMIT);
    const other = await tempDir('other');
    const refusals: readonly (readonly [string, Parameters<typeof brief>[0]])[] = [
      ['expired', { deadline: '2020-01-01T00:00:00.000Z' }],
      ['wrong_pool', { pool: 'gpu' }],
      ['missing_labels', { labels: ['gpu'] }],
      ['safety', { safety: 'full' }],
      ['repository', { workspace: { repo: other, base } }],
      ['no_engineer', { engineer: { kind: 'codex', model: null } }],
      ['rules', { deny: [{ tool: 'shell_exec', match: null, form: 'rule', decision: 'deny', origin: 'x' }] }],
    ];
    for (const [place, [code, order]] of refusals.entries()) {
      const refused = await run(brief({ ...order, attempt: place + 2 }));
      expect(refused.result).toMatchObject({
        status: 'refused',
        cause: 'refused',
        detail: expect.stringContaining(`${code}: `),
        engineer: { version: null },
      });
      expect(kinds(refused)).toEqual(['reported', 'result']);
      expect(checkSignature('result', refused.result, [accepted(house.identity.pair, 'runner')]).kind).toBe(
        'signed',
      );
      expect(problemsOf(resultSchema, refused.result)).toEqual([]);
    }
    await expect(access(join(workdir, 'briefs'))).rejects.toThrow();
  });

  test('by the state of the machine is refused as well', async () => {
    const { run, brief, house } = await runnerScene(COMMIT);
    const full = await run(brief(), { house: { minFreeBytes: Number.MAX_SAFE_INTEGER } });
    expect(full.result).toMatchObject({ status: 'refused', detail: expect.stringContaining('no_room: ') });
    const settings = {
      path: '/nowhere/engineer',
      args: [],
      env: {},
      projectSettings: false,
      mayBeFull: false,
    };
    const limits = { ...house.limits, engineers: new Map([['command', settings]]) };
    const missing = await run(brief({ attempt: 2 }), { house: { limits } });
    expect(missing.result.detail).toBe(
      'no_engineer: there is no program "/nowhere/engineer" here (engineers.command.path)',
    );
  });

  test('without a signature that counts is nobody’s: no line, no result', async () => {
    const { run, brief, worker, outbox, workdir } = await runnerScene(COMMIT);
    const order = brief();
    const stranger = newKeyPair();
    for (const text of [
      'not JSON',
      '{}',
      JSON.stringify({ ...order, goal: 'Another one.' }),
      JSON.stringify(aBrief(stranger)),
      JSON.stringify({ ...order, signature: undefined }),
      JSON.stringify({ ...order, v: 2 }),
      JSON.stringify(signed('result', { ...order }, worker)),
    ])
      expect(await run(text)).toMatchObject({ end: { kind: 'unknown' }, lines: [] });
    expect((await outbox.list()).waiting).toEqual([]);
    await expect(access(join(workdir, 'briefs'))).rejects.toThrow();
  });
});

describe('what goes wrong is a result', () => {
  test.each<[string, string, Parameters<Awaited<ReturnType<typeof runnerScene>>['brief']>[0], object]>([
    [
      'it fails',
      'echo no luck; exit 3',
      {},
      { status: 'failed', cause: 'engineer_error', message: 'no luck' },
    ],
    ['it is killed', 'kill -9 $$', {}, { status: 'failed', cause: 'crashed' }],
    [
      'its time is over',
      'sleep 60',
      { limits: { wall_minutes: 0.02, cost_usd: null, turns: null } },
      { status: 'timed_out' },
    ],
    [
      'its commit does not verify',
      COMMIT,
      { verify: [sh('test', 'echo it is wrong; exit 1'), sh('lint', 'true')] },
      {
        status: 'failed',
        cause: 'verify_failed',
        detail: 'test: failed (exit 1)',
        verify: [{ outcome: 'failed', tail: 'it is wrong\n' }, { outcome: 'passed' }],
        bundle: { sha256: expect.any(String) },
      },
    ],
    [
      'a declared file is missing',
      COMMIT,
      { artifacts: ['report.md'] },
      { cause: 'missing_artifacts', not_verified: 'not_reached' },
    ],
    [
      'a read-only brief changes files',
      COMMIT,
      { safety: 'read-only' },
      { cause: 'escaped', not_verified: 'read_only' },
    ],
    ['it rewrites what it was given', 'git commit -q --amend -m other', {}, { cause: 'workspace' }],
    ['it removes its repository', 'rm -rf .git', {}, { cause: 'workspace' }],
    [
      'its base is nowhere',
      COMMIT,
      { workspace: { base: '0'.repeat(40) } },
      { cause: 'workspace', transcript: null },
    ],
    [
      'it changes another mirror',
      'cd ../../../mirrors/*.git && git config core.fsmonitor x',
      {},
      { cause: 'escaped' },
    ],
  ])('%s', async (_, script, order, expected) => {
    const { run, brief, workdir } = await runnerScene(`cat > /dev/null; ${script}`);
    const ran = await run(brief(order));
    expect(ran.result).toMatchObject(expected);
    expect(problemsOf(resultSchema, ran.result)).toEqual([]);
    expect(await readdir(join(workdir, 'groups')).catch(() => [])).toEqual([]);
  });

  test.each([
    ['cannot be read', () => '{'],
    [
      'nobody here has signed',
      (order: Brief) => JSON.stringify(signed('result', resultOrder(order), newKeyPair())),
    ],
  ])(
    'a result that was planted in the outbox and %s is none: it is put aside and told',
    async (_, planted) => {
      const { run, brief, house, outbox, workdir } = await runnerScene(
        `cat > /dev/null; ${COMMIT}; mv ../../../planted ../../../outbox`,
      );
      const order = brief();
      await mkdir(join(workdir, 'planted', order.id), { recursive: true });
      await writeFile(join(workdir, 'planted', order.id, 'result.json'), planted(order));
      const ran = await run(order);
      expect(ran.result).toMatchObject({ status: 'completed', bundle: { bytes: expect.any(Number) } });
      expect(checkSignature('result', ran.result, [accepted(house.identity.pair, 'runner')]).kind).toBe(
        'signed',
      );
      expect((await outbox.list()).findings).toMatchObject([
        { code: 'damaged-result', path: expect.stringContaining(`${order.id}.aside-`) },
      ]);
    },
  );

  test('a step that throws', async () => {
    const { run, brief, house } = await runnerScene(COMMIT);
    const groups = { start: () => Promise.reject(new Error('no more processes')) };
    const { result } = await run(brief(), { house: { engineer: { ...house.engineer, groups } } });
    expect(result).toMatchObject({
      status: 'failed',
      cause: 'crashed',
      detail: 'the runner failed: no more processes',
    });
  });

  test('before the work begins', async () => {
    const { run, brief, house, workdir } = await runnerScene(COMMIT);
    await writeFile(join(workdir, 'version-home'), 'in its way');
    const settings = { path: '/bin/sh', args: [], env: {}, projectSettings: false, mayBeFull: false };
    const limits = { ...house.limits, engineers: new Map([['codex', settings]]) };
    const { result, lines } = await run(brief({ engineer: { kind: 'codex', model: null } }), {
      house: { limits },
    });
    expect(result).toMatchObject({
      status: 'failed',
      cause: 'crashed',
      detail: expect.stringContaining('the runner failed: E'),
    });
    expect(lines.map(({ type }) => type)).toEqual(['step', 'result']);
  });

  test('a bundle that is gone when it is reported: the result goes without it, and says so', async () => {
    const { run, brief, workdir } = await runnerScene(`cat > /dev/null; ${COMMIT}`);
    const order = brief();
    const ran = await run(order, {
      heard: (line) => {
        if (line.type === 'step' && line.step === 'reported')
          rmSync(join(workdir, 'briefs', order.id, 'bundle'));
      },
    });
    expect(ran.result).toMatchObject({
      status: 'failed',
      cause: 'workspace',
      bundle: null,
      head: expect.any(String),
      detail: expect.stringMatching(/^its result could not be written: ENOENT/),
    });
  });

  test('no room for any result at all: that is said, and nothing is called reported', async () => {
    const { run, brief, workdir } = await runnerScene(`cat > /dev/null; ${COMMIT}`);
    const lines: string[] = [];
    const ran = run(brief(), {
      heard: (line) => {
        lines.push(line.type);
        if (line.type === 'step' && line.step === 'reported') writeFileSync(join(workdir, 'outbox'), '');
      },
    });
    await expect(ran).rejects.toThrow(/ENOTDIR|EEXIST/);
    expect(lines).not.toContain('result');
  });

  test('what changes in the team’s own repository meanwhile is told, and is for the team to judge (L228)', async () => {
    const { run, brief, source, house } = await runnerScene('true');
    const script = `cat > /dev/null; ${COMMIT}; git -C ${source} switch -q -c other; git -C ${source} commit -q --allow-empty -m x`;
    const settings = house.limits.engineers.get('command');
    if (settings === undefined) throw new Error('no settings');
    const engineers = new Map([['command', { ...settings, args: ['-c', script] }]]);
    const ran = await run(brief(), { house: { limits: { ...house.limits, engineers } } });
    expect(ran.result).toMatchObject({
      status: 'completed',
      workspace_changes: [
        'ref refs/heads/other of the team’s repository is new',
        'the team’s repository, HEAD, has changed',
        'the team’s repository, the commit of HEAD, has changed',
      ],
    });
  });
});
