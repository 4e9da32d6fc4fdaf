// spec/team.md §7, §8 through the program: commands on teams that nobody runs.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFileRecord } from '../../src/events/record-view.js';
import { ask, does, shell } from '../cases/play.js';
import type { BnerdRun } from '../helpers/bnerd.js';
import { engine, whereTeamsHave } from '../helpers/engines.js';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all'];

/** A team that waits for the answer to a question. */
async function waiting(): Promise<{ at: Job; id: string; run: BnerdRun }> {
  const at = await job(
    oneTask([
      does(ask('Which of the two?')),
      { capture: { word: 'take the (\\w+)' }, calls: [shell('echo "took {{word}}"')] },
    ]),
  );
  const run = await at.run(RUN);
  return { at, id: await at.id(), run };
}

async function done(): Promise<{ at: Job; id: string }> {
  const at = await job(oneTask([does(shell('echo "the work"'))]));
  expect((await at.run(RUN)).exit).toBe(0);
  return { at, id: await at.id() };
}

describe('a team that needs somebody', () => {
  test('the question is listed with the command that answers it; answered, it is recorded and the resume goes on', async () => {
    const { at, id, run } = await waiting();
    expect(run.exit).toBe(4);
    expect(run.stderr).toContain(
      `waits for r1, a question: Which of the two? (bnerd team answer ${id} r1 <text>)`,
    );
    expect(run.stderr).toMatch(/^needs_human \(exit 4\)/m);
    expect(run.stderr).toMatch(
      new RegExp(`^open requests: r1; answer: bnerd team answer ${id} <request> `, 'm'),
    );
    expect(run.stderr).toMatch(new RegExp(`^resume: bnerd team resume ${id}$`, 'm'));
    const listed = await at.bnerd(['team', 'requests', id]);
    expect(listed).toMatchObject({ exit: 0, stderr: '' });
    expect(listed.stdout).toContain('r1 question of worker, for operator: Which of the two?');
    expect(listed.stdout).toContain(`answer: bnerd team answer ${id} r1 <text>`);
    const before = (await at.facts()).length;
    const answer = await at.bnerd(['team', 'answer', id, 'r1', 'take', 'the', 'second']);
    expect(answer).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: `recorded; go on with: bnerd team resume ${id}\n`,
    });
    // Recorded, and nothing else was done.
    expect((await at.facts()).slice(before)).toMatchObject([
      { type: 'request.decided', request: 'r1', text: 'take the second', by: { kind: 'operator' } },
    ]);
    expect((await at.bnerd(['team', 'requests', id])).stdout).toBe('no open requests\n');
    const resumed = await at.bnerd(['team', 'resume', id]);
    expect(resumed).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    expect(await at.results('worker')).toContain('exit 0\ntook second');
    // It was asked once and answered once.
    expect(await at.of('request.opened')).toHaveLength(2);
    expect(await at.of('request.decided')).toHaveLength(2);
  });

  test('an answer that does not fit changes nothing: unknown request, a second answer, no text', async () => {
    const { at, id } = await waiting();
    const before = (await at.facts()).length;
    const unknown = await at.here(['team', 'answer', id, 'r9', 'yes']);
    expect(unknown).toMatchObject({ exit: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/r9/);
    const missing = await at.here(['team', 'answer', id, 'r1']);
    expect(missing).toMatchObject({ exit: 2, stdout: '' });
    expect(missing.stderr).toContain('<answer> is missing');
    expect((await at.facts()).length).toBe(before);
    expect(await at.bnerd(['team', 'answer', id, 'r1', 'the first'])).toMatchObject({ exit: 0 });
    const second = await at.here(['team', 'answer', id, 'r1', 'the second']);
    expect(second.exit).toBe(2);
    expect(second.stderr).toMatch(/decided/);
    expect((await at.of('request.decided')).map((fact) => fact.text)).toEqual(['the first']);
  });

  test('status and requests: for people, and as one JSON document', async () => {
    const { at, id } = await waiting();
    const text = await at.bnerd(['team', 'status', id]);
    expect(text).toMatchObject({ exit: 0, stderr: '' });
    expect(text.stdout).toMatch(/^phase: {3}ended \(needs_human, exit 4\)$/m);
    expect(text.stdout).toMatch(/^process: none$/m);
    expect(text.stdout).toMatch(/^waiting: 1 question$/m);
    expect(text.stdout).toContain(`bnerd team resume ${id}`);
    expect(text.stdout).toMatch(/^ {2}- worker: parked \(r1\), 1 turns, 0 unread, holds #1$/m);
    expect(text.stdout).toMatch(/^ {2}#1 claimed, worker: Do one$/m);
    expect(text.stdout).toMatch(/^budget: .* model calls, .*$/m);
    const json = await at.here(['team', 'status', id, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      v: 1,
      team: id,
      recipe: 'job',
      phase: 'ended',
      reason: 'needs_human',
      exit: 4,
      live: false,
      holder: null,
      members: [{ name: 'boss' }, { name: 'worker', state: 'parked', detail: 'r1', tasks: ['#1'] }],
      tasks: [{ id: '#1', state: 'claimed', owner: 'worker' }],
      requests: [{ id: 'r1', kind: 'question', member: 'worker' }],
      mail: { unread: 0 },
      budget: { model_calls: expect.any(Number) },
    });
    const requests = await at.here(['team', 'requests', id, '--json']);
    expect(JSON.parse(requests.stdout)).toMatchObject({
      v: 1,
      team: id,
      requests: [{ id: 'r1', state: 'open' }],
    });
  });

  test('a message to the lead is recorded and read at the resume; stop makes it cancelled, twice is fine; it can still be resumed', async () => {
    const { at, id } = await waiting();
    const said = await at.bnerd(['team', 'send', id, 'lead', '--', '-v', 'is', 'what', 'I', 'want']);
    expect(said).toMatchObject({ exit: 0, stdout: '' });
    expect(said.stderr).toContain(`bnerd team resume ${id}`);
    expect((await at.of('mail.sent')).at(-1)).toMatchObject({ to: ['boss'], body: '-v is what I want' });
    const nobody = await at.here(['team', 'send', id, 'wroker', 'hello']);
    expect(nobody.exit).toBe(2);
    expect(nobody.stderr).toMatch(/wroker.*worker/);
    for (const _ of [1, 2])
      expect(await at.bnerd(['team', 'stop', id])).toMatchObject({ exit: 0, stdout: '' });
    expect(await at.bnerd(['team', 'answer', id, 'r1', 'take the first'])).toMatchObject({ exit: 0 });
    const resumed = await at.bnerd(['team', 'resume', id]);
    expect(resumed.exit).toBe(0);
    const inputs = (await at.transcript('boss')).flatMap((entry) =>
      entry.kind === 'input' ? [entry.text] : [],
    );
    expect(inputs.filter((text) => text.includes('-v is what I want'))).toHaveLength(1);
  });
});

describe('a team that is done', () => {
  test('result, transcript, ps and resume tell it again; nothing is run', async () => {
    const { at, id } = await done();
    const log = await at.log();
    expect(await at.bnerd(['team', 'result', id])).toMatchObject({
      exit: 0,
      stdout: 'All is said.\n',
      stderr: '',
    });
    const transcript = await at.bnerd(['team', 'transcript', id, 'worker']);
    expect(transcript).toMatchObject({ exit: 0, stderr: '' });
    expect(transcript.stdout).toMatch(/result of \S+ \(ok\)\n {2}│ exit 0\n {2}│ the work\n/);
    const json = await at.here(['team', 'transcript', id, 'worker', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      v: 1,
      member: 'worker',
      entries: await at.transcript('worker'),
      findings: [],
    });
    const ps = await at.bnerd(['team', 'ps']);
    expect(ps).toMatchObject({ exit: 0, stderr: '' });
    expect(ps.stdout).toMatch(
      new RegExp(`^${id} +ended \\(done\\) +stopped +open: 0 tasks, 0 requests; started .*\n$`),
    );
    const again = await at.bnerd(['team', 'resume', id]);
    expect(again).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    expect(again.stderr).toContain('nothing was run');
    const late = await at.here(['team', 'send', id, 'lead', 'one more']);
    expect(late.exit).toBe(2);
    expect(await at.log()).toEqual(log);
  });

  whereTeamsHave('folder', () => {
    test('verify: they agree, exit 0; of a damaged copy the line is named, exit 1, and other views say what is wrong', async () => {
      const { at, id } = await done();
      const good = await at.bnerd(['team', 'verify', id]);
      expect(good).toMatchObject({ exit: 0, stderr: '' });
      expect(good.stdout).toMatch(
        /^\d+ entries, \d+ facts, \d+ texts, \d+ transcript entries: they agree\n$/,
      );
      const log = join(await at.folder(), 'log.jsonl');
      const lines = (await readFile(log, 'utf8')).split('\n');
      // A number that is left out, a line that is no JSON, a fact that lacks something.
      const damages: [string, string[]][] = [
        ['line 3', [...lines.slice(0, 2), ...lines.slice(3)]],
        ['line 4', lines.map((line, place) => (place === 3 ? line.slice(0, -5) : line))],
        ['log entry 1', lines.map((line) => line.replace('"seat":', '"seet":'))],
      ];
      for (const [named, damaged] of damages) {
        await writeFile(log, damaged.join('\n'));
        const bad = await at.here(['team', 'verify', id]);
        expect(bad.exit, named).toBe(1);
        expect(bad.stdout).toContain(named);
        expect(bad.stdout).not.toContain('they agree');
      }
      await writeFile(log, damages[1]?.[1].join('\n') ?? '');
      const status = await at.bnerd(['team', 'status', id]);
      expect(status.exit).toBe(2);
      expect(status.stderr).toMatch(/log-broken .*line 4/);
      // One that cannot be read hides no other, and is listed as what it is.
      const listed = await at.bnerd(['team', 'ps']);
      expect(listed.exit).toBe(0);
      expect(listed.stdout).toContain('unreadable (log-broken)');
      // What can be shown of it is shown, with a word about the hole.
      const transcript = await at.bnerd(['team', 'transcript', id, 'worker']);
      expect(transcript.exit).toBe(0);
      expect(transcript.stdout).toContain('the work');
      expect(transcript.stderr).toMatch(/log\.jsonl:4: warning log-broken/);
      await writeFile(log, lines.join('\n'));
      expect(await at.bnerd(['team', 'verify', id])).toMatchObject({ exit: 0 });
    });
  });

  test('a member that there is not, and an argument too many', async () => {
    const { at, id } = await done();
    const member = await at.bnerd(['team', 'transcript', id, 'wroker']);
    expect(member).toMatchObject({ exit: 2, stdout: '' });
    expect(member.stderr).toContain('boss, worker');
    const words = await at.here(['team', 'result', id, 'more']);
    expect(words).toMatchObject({ exit: 2, stdout: '' });
    expect(words.stderr).toContain('too many words');
  });
});

describe('cleanup', () => {
  test('without a terminal and without --yes it is refused, exit 2; with --yes the record is archived whole', async () => {
    const { at, id } = await done();
    const refused = await at.bnerd(['team', 'cleanup', id]);
    expect(refused).toMatchObject({ exit: 2, stdout: '' });
    expect(refused.stderr).toMatch(/needs-yes .*no terminal \(add --yes\)/);
    // Nobody is asked about a team that is not there.
    expect((await at.bnerd(['team', 'cleanup', 'nope'])).stderr).toMatch(
      /unknown-team there is no team "nope"/,
    );
    expect(await at.ids()).toEqual([id]);
    const before = await at.log();
    expect(await at.bnerd(['team', 'cleanup', id, '--yes'])).toMatchObject({ exit: 0, stdout: '' });
    expect(await at.ids()).toEqual([]);
    const archived = join(at.place.state, 'archive', id);
    const after = (await readFileRecord(archived, 'strict').log()).entries;
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)?.facts.at(-1)).toMatchObject({ type: 'run.archived' });
    const gone = await at.bnerd(['team', 'status', id]);
    expect(gone).toMatchObject({ exit: 2, stdout: '' });
    expect(gone.stderr).toContain(`there is no team "${id}"`);
  });

  test('--purge deletes it', async () => {
    const { at, id } = await done();
    expect(await at.bnerd(['team', 'cleanup', id, '--purge', '--yes'])).toMatchObject({ exit: 0 });
    expect(await at.ids()).toEqual([]);
    expect(await readdir(at.place.state)).not.toContain('archive');
  });
});

test('prune: says which teams ended so long ago, and puts them away; without an age it is refused', async () => {
  const { at, id } = await done();
  const refused = await at.bnerd(['team', 'prune']);
  expect(refused).toMatchObject({ exit: 2, stdout: '' });
  expect(refused.stderr).toContain('--older-than 30d');
  expect(await at.bnerd(['team', 'prune', '--older-than', '1d'])).toMatchObject({ exit: 0, stdout: '' });
  const dry = await at.bnerd(['team', 'prune', '--older-than', '0', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    v: 1,
    dry_run: true,
    teams: [{ id, reason: 'done' }],
    findings: [],
  });
  expect(await at.ids()).toEqual([id]);
  const away = await at.bnerd(['team', 'prune', '--older-than', '0']);
  expect(away).toMatchObject({ exit: 0, stderr: 'put away 1 team\n' });
  expect(away.stdout).toContain(`(done): ${id} is archived in ${join(at.place.state, 'archive', id)}`);
  expect(await at.ids()).toEqual([]);
});

test('ids: a prefix that fits one team is enough, one that fits several or none is refused with what there is', async () => {
  const { at, id } = await done();
  expect((await at.run([...RUN, '--limit', 'turns=1'])).exit).toBe(5);
  const [other = ''] = (await at.ids()).filter((one) => one !== id);
  expect(await at.bnerd(['team', 'result', id])).toMatchObject({ exit: 0 });
  const ambiguous = await at.here(['team', 'status', 'run-job']);
  expect(ambiguous).toMatchObject({ exit: 2, stdout: '' });
  expect(ambiguous.stderr).toMatch(/ambiguous-team .*fits 2 teams: .* \(type more of the id\)/);
  expect(ambiguous.stderr).toContain(id);
  expect(ambiguous.stderr).toContain(other);
  for (const words of [
    ['result', 'run-jib'],
    ['answer', 'run-jib', 'r1', 'yes'],
    ['stop', 'run-jib'],
    ['resume', 'run-jib'],
    ['cleanup', 'run-jib', '--yes'],
    ['verify', ''],
  ]) {
    const unknown = await at.here(['team', ...words]);
    expect(unknown, words.join(' ')).toMatchObject({ exit: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/unknown-team there is no team .* \(bnerd team ps lists them\)/);
  }
  if (!engine().traits.has('folder')) return;
  await at.bnerd(['team', 'cleanup', other, '--purge', '--yes']);
  expect(await at.bnerd(['team', 'result', 'run-job'])).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
});
