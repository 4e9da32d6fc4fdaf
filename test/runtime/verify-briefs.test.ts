// spec/team.md §7 `verify` and invariant 12 of delegated texts: what a record says of briefs against what their texts say.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { sha256 } from '../../src/shared/digest.js';
import { HEAD } from '../helpers/build-brief.js';
import { DELEGATING_TEAM, type DelegatedRecord, delegatedRecord } from '../helpers/delegated-record.js';
import { commitAll, git, makeRepository, putFiles } from '../helpers/repository.js';
import { type TestHouse, writeMission } from '../helpers/team.js';
import { foreignRider, rider } from '../helpers/transcripts.js';
import { JOB } from './job.js';

interface Scene {
  readonly at: TestHouse;
  readonly record: DelegatedRecord;
}

async function scene(how: Parameters<typeof delegatedRecord>[1] = {}): Promise<Scene> {
  const at = await writeMission(JOB);
  const sent = [foreignRider('beta'), rider('alpha')];
  const order = { verify: [{ key: 'test', argv: ['npm', 'test'] }] };
  return {
    at,
    record: await delegatedRecord(at.house.home, { sent, added: [rider('added')], order, ...how }),
  };
}

async function verify({ at }: Scene) {
  const found = await verifyTeam(at.house, DELEGATING_TEAM);
  if (found.kind === 'refused') throw new Error(found.findings.map(({ message }) => message).join('; '));
  return found.value;
}

/** What differs, without notes and the line that counts. */
const problems = ({ lines }: { lines: readonly string[] }): string[] =>
  lines.slice(0, -1).filter((line) => !line.startsWith('note: '));

/** The log with another text in it. */
async function relog({ record }: Scene, from: string | RegExp, to: string): Promise<void> {
  const log = await readFile(record.log, 'utf8');
  const changed = log.replaceAll(from, to);
  expect(changed).not.toBe(log);
  await writeFile(record.log, changed);
}

/** A text changed and stored under its new digest, as only who can write log and texts alike could do it. */
async function restore(
  { record }: Scene,
  name: 'brief' | 'result',
  change: (value: Record<string, unknown>) => object,
): Promise<void> {
  const digest = record.texts[name];
  const text = JSON.stringify(change(JSON.parse(await readFile(record.blobPath(digest), 'utf8'))));
  await writeFile(record.blobPath(sha256(text)), text);
  await relog({ record } as Scene, digest, sha256(text));
}

test('a record of briefs is whole; its texts are counted', async () => {
  const all = await scene();
  const { ok, lines } = await verify(all);
  expect({ ok, problems: problems({ lines }) }).toEqual({ ok: true, problems: [] });
  expect(lines.at(-1)).toMatch(/, 2 texts, .*: they agree$/);
});

describe('of the signed brief and the signed result', () => {
  test.each(['brief', 'result'] as const)('the %s that is gone or damaged is named', async (name) => {
    const all = await scene();
    const path = all.record.blobPath(all.record.texts[name]);
    await writeFile(path, `${await readFile(path, 'utf8')} `);
    const id = all.record.brief.id;
    expect(await verify(all)).toMatchObject({ ok: false });
    expect(problems(await verify(all))).toEqual([
      expect.stringMatching(
        `^brief ${id}: its signed ${name === 'brief' ? 'text' : name} .* was changed or damaged$`,
      ),
    ]);
    await rm(path);
    expect(problems(await verify(all))).toEqual([expect.stringMatching(/is not in the record any more$/)]);
  });

  test('what was changed and stored anew has no signature', async () => {
    const all = await scene();
    await restore(all, 'brief', (brief) => ({ ...brief, goal: 'Delete everything.' }));
    await restore(all, 'result', (result) => ({ ...result, message: 'All is well.' }));
    expect(problems(await verify(all))).toEqual([
      expect.stringMatching(/: bytes: its text says \d+, the record \d+$/),
      expect.stringMatching(/: the brief is not what key [0-9a-f]{16} \(worker-key\) has signed$/),
      expect.stringMatching(/: the result is not what key [0-9a-f]{16} \(runner-key\) has signed$/),
    ]);
  });

  test('a key that the record does not list is a note', async () => {
    const all = await scene();
    await relog(all, /"keys":\[[^\]]*\]/g, '"keys":[]');
    const { ok, lines } = await verify(all);
    expect(ok).toBe(true);
    expect(
      lines.filter((line) => line.startsWith('note: ') && line.endsWith('was not checked')),
    ).toHaveLength(2);
  });
});

describe('what the facts say beside it is named', () => {
  test.each<[string, string | RegExp, string, RegExp]>([
    [
      'another safety',
      '"safety":"non-destructive","pool"',
      '"safety":"full","pool"',
      /: safety: its text says "non-destructive", the record "full"$/,
    ],
    [
      'another version of a skill',
      '"name":"alpha","version":"1.0.0"',
      '"name":"alpha","version":"1.0.1"',
      /: skill alpha: its text says .*1\.0\.0/,
    ],
    ['another licence', '"license":"MIT"', '"license":"ISC"', /: skill beta: its text says /],
    [
      'a skill that did not ride',
      /("entries":\[)(\{"kind":"skill","name":"alpha".*?\}),/g,
      '$1',
      /: skill alpha rode it, and the record does not name it$/,
    ],
    [
      'another block',
      /"sent_block":"[0-9a-f]{64}"/g,
      `"sent_block":"${'0'.repeat(64)}"`,
      /: the block of its skills: its text says /,
    ],
    [
      'an addition less',
      /"additions":\[\{.*?\}\]/g,
      '"additions":[]',
      /names no addition and has made another block of the skills$/,
    ],
    [
      'another transcript',
      /"sha256":"[0-9a-f]{64}"\}/g,
      `"sha256":"${'0'.repeat(64)}"}`,
      /: transcript: its text says /,
    ],
  ])('%s', async (_, from, to, told) => {
    const all = await scene();
    await relog(all, from, to);
    const found = problems(await verify(all));
    expect(found).toContainEqual(expect.stringMatching(told));
    expect(found.every((line) => line.startsWith(`brief ${all.record.brief.id}: `))).toBe(true);
  });

  test('a text that has not the digest it is named with (invariant 12)', async () => {
    const all = await scene();
    await restore(all, 'brief', (brief) => {
      const [alpha, ...others] = brief['skills'] as Record<string, unknown>[];
      return { ...brief, skills: [{ ...alpha, body: 'Do something else.' }, ...others] };
    });
    expect(problems(await verify(all))).toContainEqual(
      expect.stringMatching(/: alpha: its text has digest 1:[0-9a-f]{64}, the brief names 1:[0-9a-f]{64}$/),
    );
  });
});

describe('of the block that an engineer was given', () => {
  const other = { final_block: '0'.repeat(64) };

  test('another one in the result than its runner has accepted with is named', async () => {
    const all = await scene({ result: other });
    expect(problems(await verify(all))).toContainEqual(
      expect.stringMatching(/: the block it ended with: its text says "0{64}", the record /),
    );
    await relog(all, /("type":"brief.ended".*"final_block":)"[0-9a-f]{64}"/g, `$1"${other.final_block}"`);
    expect(problems(await verify(all))).toEqual([
      expect.stringMatching(/: accepted with block .*, ended with 0{64}$/),
    ]);
    await relog(all, /"cause":null/g, '"cause":"block_mismatch"');
    expect(problems(await verify(all))).toEqual([]);
  });

  test('where no engineer was started there was none', async () => {
    const all = await scene({ result: { ...other, additions: [], transcript: null } });
    await relog(all, /("type":"brief.ended".*"final_block":)"[0-9a-f]{64}"/g, `$1"${other.final_block}"`);
    expect(problems(await verify(all))).toEqual([]);
  });
});

describe('a branch that was delivered', () => {
  test('is gone or stands elsewhere: that is said, and is no fault of the record', async () => {
    const at = await writeMission(JOB);
    const workspace = await makeRepository(join(at.house.temporaryDirectory, 'repository'));
    await putFiles(workspace, { 'a.txt': 'a\n' });
    const head = commitAll(workspace, 'a');
    const record = await delegatedRecord(at.house.home, { workspace });
    const { branch } = record.brief.workspace;
    const notes = async (): Promise<string[]> => {
      const { ok, lines } = await verify({ at, record });
      expect(ok).toBe(true);
      return lines.filter((line) => line.startsWith('note: '));
    };
    const told = `note: brief ${record.brief.id}: branch ${branch}, delivered at ${HEAD},`;
    expect(await notes()).toEqual([`${told} is not there any more`]);
    git(workspace, 'branch', branch, head);
    expect(await notes()).toEqual([`${told} stands at ${head} now`]);
    await relog({ at, record }, HEAD, head);
    expect(problems(await verify({ at, record }))).toEqual([]);
    expect((await verify({ at, record })).lines.filter((line) => line.includes('branch'))).toEqual([]);
  });

  test('in a workspace that is no repository any more cannot be seen', async () => {
    const all = await scene();
    expect((await verify(all)).lines[0]).toMatch(
      /^note: whether the branches that were delivered are still there cannot be seen: /,
    );
  });
});
