import { expect, test } from 'vitest';
import type { Model, ModelMessage, ModelOutcome } from '../../../src/models/model.js';
import { askedDifference, type RecordedCall, withoutOwn } from '../../../src/models/replay/recorded-call.js';
import { recordingModel } from '../../../src/models/replay/recording-model.js';
import { replayedModel } from '../../../src/models/replay/replayed-model.js';
import { FREE } from '../../../src/models/settings.js';
import { requestOf } from '../../helpers/conversation.js';

const THEN = {
  team: 'run-job-01JAAAAAAAAAAAAAAAAAAAAAAA',
  folder: '/home/then/runs/run-job-01JAAAAAAAAAAAAAAAAAAAAAAA',
  workspace: '/home/then/work',
};
const NOW = {
  team: 'run-job-01JBBBBBBBBBBBBBBBBBBBBBBB',
  folder: '/home/now/runs/run-job-01JBBBBBBBBBBBBBBBBBBBBBBB',
  workspace: '/srv/work',
};
const user = (text: string): ModelMessage => ({ role: 'user', text });
const usage = { inputTokens: 5, cachedTokens: 0, outputTokens: 2 };

const CALLS: readonly RecordedCall[] = [
  {
    member: 'lead',
    asked: requestOf([
      user('look at /home/then/work, run-job-01JAAAAAAAAAAAAAAAAAAAAAAA of 2026-01-02T03:04:05.678Z'),
    ]),
    reply: {
      kind: 'reply',
      text: 'reading',
      calls: [{ tool: 'fs_read_file', arguments: { path: '/home/then/work/a.md' } }],
      usage,
      stop: 'tool_calls',
    },
  },
  {
    member: 'lead',
    asked: requestOf([user('and now')]),
    reply: { kind: 'reply', text: 'done', calls: [], usage, stop: 'end' },
  },
];

function replay(): {
  readonly model: Model;
  readonly broken: string[];
  ask(text: string): Promise<ModelOutcome>;
} {
  const broken: string[] = [];
  const model = replayedModel({
    id: 'replay/run-job-01JAAAAAAAAAAAAAAAAAAAAAAA',
    facts: FREE,
    calls: CALLS,
    recorded: THEN,
    now: () => NOW,
    broken: (message) => broken.push(message),
  });
  const signal = new AbortController().signal;
  return { model, broken, ask: (text) => model.generate(requestOf([user(text)]), signal) };
}

const FIRST = 'look at /srv/work, run-job-01JBBBBBBBBBBBBBBBBBBBBBBB of 2027-11-12T13:14:15Z';

test('the recorded answer comes back, in words of this run; the same question gives the same answer (M1)', async () => {
  const { model, ask, broken } = replay();
  const answer = await ask(FIRST);
  expect(answer).toMatchObject({
    text: 'reading',
    calls: [{ tool: 'fs_read_file', arguments: { path: '/srv/work/a.md' } }],
    usage,
  });
  expect(model.leftover('lead', 'lead', [])).toEqual([
    'replay/run-job-01JAAAAAAAAAAAAAAAAAAAAAAA: 1 of 2 answers of lead were never used',
  ]);
  expect(await ask('and now')).toMatchObject({ text: 'done' });
  expect(await ask(FIRST)).toEqual(answer);
  expect(model.leftover('lead', 'lead', [])).toEqual([]);
  expect(broken).toEqual([]);
});

test('another question is refused with a diff, told once, and nothing is answered from there on', async () => {
  const { ask, broken } = replay();
  const refused = await ask('look at /srv/work, run-job-01JBBBBBBBBBBBBBBBBBBBBBBB of today\u001b[31m');
  expect(refused).toMatchObject({ kind: 'fatal', code: 'replay-differs' });
  expect(broken).toEqual([
    [
      'replay/run-job-01JAAAAAAAAAAAAAAAAAAAAAAA: what lead sends is not what was recorded',
      '--- message 1, as recorded',
      '+++ message 1, in this run',
      '@@ -1,2 +1,2 @@',
      ' [user]',
      '-look at <workspace>, <team> of <time>',
      '+look at <workspace>, <team> of today[31m',
    ].join('\n'),
  ]);
  expect(await ask('and now')).toMatchObject({ kind: 'fatal', code: 'replay-differs' });
  expect(broken).toHaveLength(1);
});

test('a call too many is refused', async () => {
  const { ask } = replay();
  await ask(FIRST);
  await ask('and now');
  expect(await ask('once more')).toMatchObject({
    kind: 'fatal',
    code: 'replay-exhausted',
    message:
      'replay/run-job-01JAAAAAAAAAAAAAAAAAAAAAAA: a call too many: lead has had all its recorded answers',
  });
});

test('a prompt and a tool are compared as they are, and a long diff is cut', () => {
  const asked = requestOf([user('x')]);
  const prompt = { ...asked, system: [{ name: 'role', text: 'At 2026-01-02T03:04:05Z.' }] };
  const other = { ...asked, system: [{ name: 'role', text: 'At 2026-01-02T03:04:06Z.' }] };
  const at = { places: THEN };
  expect(askedDifference({ asked: prompt, ...at }, { asked: other, ...at })).toContain(
    '+At 2026-01-02T03:04:06Z.',
  );
  const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
  const long = askedDifference({ asked, ...at }, { asked: requestOf([user(lines)]), ...at });
  expect(long).toHaveLength(63);
  expect(long.at(-1)).toMatch(/^\(\d+ more lines\)$/);
  expect(askedDifference({ asked, ...at }, { asked, ...at })).toEqual([]);
});

test('what is a run of its own is left out of account: places, ids, times, commits; digests of contents are not', () => {
  const commit = 'a'.repeat(40);
  const digest = 'b'.repeat(64);
  expect(withoutOwn(`${THEN.folder}/x ${commit} ${digest} 2026-01-02 03:04:05 +0100`, THEN)).toBe(
    `<folder of the team>/x <commit> ${digest} <time>`,
  );
});

test('a model that is recorded answers as before, and each answer says what was sent', async () => {
  const inner: Model = {
    id: 'script/x',
    facts: { ...FREE, contextTokens: 900 },
    generate: async () => ({ kind: 'reply', text: 'yes', calls: [], usage, stop: 'end' }),
    leftover: () => ['one step'],
  };
  const model = recordingModel(inner);
  const signal = new AbortController().signal;
  const [one, same, other] = await Promise.all(
    ['a', 'a', 'b'].map((text) => model.generate(requestOf([user(text)]), signal)),
  );
  expect(model.id).toBe('record/script/x');
  expect(one).toMatchObject({
    text: 'yes',
    sent: { tools: '[]', maxOutputTokens: 1000, contextTokens: 900 },
  });
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
  expect(model.leftover('lead', 'lead', [])).toEqual(['one step']);
});
