// Issue 2 "Bad input": each an error with place, finding, allowed values and remedy, and nothing created on disk.
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import type { Finding } from '../../src/shared/findings.js';
import { ORDER, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';
import { MODEL_ROWS } from './refusal-model-rows.js';
import { RECIPE, ROWS, type Row, recipe, roles } from './refusal-rows.js';

/** Everything below a directory, links not followed. */
async function everything(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).sort();
}

async function refusal(row: Row): Promise<readonly Finding[]> {
  const written = await writeMission({ ...JOB, ...row.mission });
  const at = { ...written, house: { ...written.house, ...row.house } };
  await row.spoil?.(at);
  const before = await everything(at.house.temporaryDirectory);
  const prepared = await prepareRun(at.house, { ...ORDER, ...row.order });
  expect(await everything(at.house.temporaryDirectory), 'nothing was created').toEqual(before);
  if (prepared.kind === 'ready') throw new Error('it was not refused');
  return prepared.findings;
}

describe('a run is refused before anything is created', () => {
  test.each([...ROWS, ...MODEL_ROWS].map((row) => ({ ...row, title: row.what })))('$title', async (row) => {
    const findings = await refusal(row);
    const errors = findings.filter((finding) => finding.severity === 'error');
    const found = errors.find((finding) => finding.code === row.code);
    expect(found, JSON.stringify(errors, null, 2)).toBeDefined();
    if (typeof row.place === 'string') expect(found?.path.endsWith(row.place), found?.path).toBe(true);
    else expect(found?.path).toMatch(row.place);
    if (row.line === true) expect(found?.line, `${found?.message}: a line`).toBeGreaterThan(0);
    const text = `${found?.message} ${found?.remedy}`;
    for (const said of row.says) expect(text).toMatch(typeof said === 'string' ? literally(said) : said);
    expect(found?.remedy).not.toBe('');
  });

  test('every fault is said at once, not the first alone', async () => {
    const codes = (
      await refusal({
        ...(ROWS[0] as Row),
        mission: {
          ...recipe({ workspace: 'nowhere', mode: 'queue' }),
          ...roles({ worker: { skills: ['none'] } }),
        },
        order: { safety: 'full', limits: new Map([['turn', '3']]), models: ['x=script/y'] },
      })
    ).map((finding) => finding.code);
    expect(codes).toEqual(
      expect.arrayContaining([
        'missing-directory',
        'other-engine',
        'unknown-skill',
        'safety-loosened',
        'unknown-limit',
        'unknown-role',
      ]),
    );
  });

  test.each([
    ['a link to nowhere', (path: string) => symlink('/nowhere/at/all', path)],
    ['a link that leads out', (path: string) => symlink('/etc/hostname', path)],
    ['no text', (path: string) => writeFile(path, new Uint8Array([0x2d, 0xff, 0xfe]))],
  ])('a recipe or role that cannot be read (%s) is said with its place', async (_what, make) => {
    for (const path of [RECIPE, 'orchestrator/roles/worker.md']) {
      const findings = await refusal({
        ...(ROWS[0] as Row),
        order: {},
        spoil: async (at) => {
          await rm(join(at.mission, path));
          await make(join(at.mission, path));
        },
      });
      const [found] = findings.filter(
        ({ severity, path: place }) => severity === 'error' && place.endsWith(path),
      );
      expect(found, JSON.stringify(findings)).toBeDefined();
      expect(found?.remedy).not.toBe('');
    }
  });

  test('a directory in the place of a recipe is unreadable, whoever asks', async () => {
    const findings = await refusal({
      ...(ROWS[0] as Row),
      order: {},
      spoil: async (at) => {
        await rm(join(at.mission, RECIPE));
        await mkdir(join(at.mission, RECIPE));
      },
    });
    expect(findings.map((finding) => finding.severity)).toContain('error');
    expect(findings[0]?.remedy).not.toBe('');
  });
});

test('a plan names what the order left open, and writes nothing', async () => {
  const at = await writeMission(JOB);
  const before = await everything(at.house.temporaryDirectory);
  const prepared = await prepareRun(at.house, { ...ORDER, prompt: '  ', limits: new Map([['turns', '20']]) });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const { started } = prepared.plan;
  expect(started.prompt).toBe('A job for tests');
  expect(started.safety).toBe('non-destructive');
  expect(started.limits).toMatchObject({ turns: 20, members: 8 });
  expect(started.seats.map((seat) => seat.member)).toEqual(['boss', 'worker']);
  expect(await everything(at.house.temporaryDirectory)).toEqual(before);
});

test('--safety may tighten, and the tools of every seat follow it', async () => {
  const at = await writeMission(JOB);
  const prepared = await prepareRun(at.house, { ...ORDER, safety: 'read-only' });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const names = prepared.plan.started.seats[1]?.tools.map((tool) => tool.name);
  expect(names).toContain('fs_read_file');
  expect(names).not.toContain('fs_write_file');
});

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
