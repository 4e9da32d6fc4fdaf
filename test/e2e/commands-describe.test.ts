// spec/team.md §1 `describe --prompt`, §2: the prompt that is shown is the prompt that is given.
import { createHash } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

const STYLE =
  '---\nname: style\nversion: 1.0.0\ndescription: House style.\norigin: proprietary\n---\nWrite plainly.\n';

/** A team whose prompts depend on everything that a prompt can depend on. */
function mission(): Promise<Job> {
  return job(
    oneTask([], {
      recipe: {
        roles: ['boss', 'worker', 'critic'],
        on_demand: ['critic'],
        variables: { target: { description: 'what it is about' } },
      },
      contract: 'The target is {{target}}.',
      roles: { boss: {}, worker: { base: 'write' }, critic: { skills: ['style'] } },
      skills: { style: STYLE },
      script: { critic: { turns: [{ steps: [{ text: 'Ready.' }] }] } },
    }),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('team describe --prompt', () => {
  test('every seat of a run was given what describe shows: same digest, same size, same parts', async () => {
    const at = await mission();
    const words = ['--var', 'target=the bridge', '--safety', 'read-only'];
    const env = { BNERD_AGENT_SKILLS: 'worker=style' };
    const described = new Map<string, { text: string; json: Record<string, unknown> }>();
    for (const role of ['boss', 'worker', 'critic']) {
      const show = ['team', 'describe', 'job', '--prompt', role, ...words];
      const text = await at.bnerd(show, { env });
      expect(text.exit).toBe(0);
      const json = JSON.parse((await at.here([...show, '--json'], { env })).stdout);
      expect(json.text).toBe(text.stdout);
      described.set(role, { text: text.stdout, json });
    }
    await at.run([...words, '--auto-approve', 'all'], { env });
    const [started] = await at.of('run.started');
    expect(started?.seats.map(({ member }) => member).sort()).toEqual(['boss', 'critic', 'worker']);
    for (const seat of started?.seats ?? []) {
      const { text, json } = described.get(seat.member) ?? { text: '', json: {} };
      expect(sha256(text)).toBe(seat.prompt_sha256);
      expect(json).toMatchObject({ v: 1, sha256: seat.prompt_sha256, bytes: seat.prompt_bytes });
      expect(json['parts']).toMatchObject(seat.parts.map((part) => ({ ...part })));
    }
    const spawned = (await at.of('member.spawned')).map(({ seat }) => [seat.member, seat.prompt_sha256]);
    expect(spawned.length).toBeGreaterThan(1);
    for (const [member = '', digest] of spawned)
      expect(digest).toBe(sha256(described.get(member)?.text ?? ''));
    expect(described.get('boss')?.text).toContain('The target is the bridge.');
    expect(described.get('worker')?.text).toContain('Write plainly.');
  });

  test('each part has its origin: file, tier and digest', async () => {
    const at = await mission();
    const show = ['team', 'describe', 'job', '--prompt', 'critic', '--var', 'target=x'];
    const { parts } = JSON.parse((await at.here([...show, '--json'])).stdout);
    const of = (name: string) => parts.find((part: { name: string }) => part.name === name);
    expect(of('role')).toMatchObject({
      origin: join(at.mission, 'orchestrator/roles/critic.md'),
      tier: 'mission',
      digest: expect.stringMatching(/^1:[0-9a-f]{64}$/),
    });
    expect(of('skill:style')).toMatchObject({
      origin: join(at.mission, 'orchestrator/skills/style/SKILL.md'),
      tier: 'mission',
      text: '[Skill: style] v1.0.0\nHouse style.\n\nWrite plainly.',
    });
    expect(of('rule:evidence-first')).toMatchObject({ tier: 'builtin' });
    expect(of('preamble')).toMatchObject({ origin: 'bnerd itself', tier: null, digest: null });
    const { stderr } = await at.bnerd(show);
    for (const { name, bytes, sha256: digest } of parts) {
      expect(stderr).toMatch(new RegExp(`^ {2}${name} +${bytes} bytes +${digest.slice(0, 12)} `, 'm'));
    }
    expect(stderr).toMatch(/^total: \d+ bytes, SHA-256 [0-9a-f]{64}$/m);
  });

  test('lead names the lead, and names of roles are compared as everywhere', async () => {
    const at = await mission();
    const show = (role: string) =>
      at.here(['team', 'describe', 'job', '--prompt', role, '--var', 'target=x']);
    expect((await show('lead')).stdout).toBe((await show('Boss')).stdout);
  });

  test('what would refuse the run refuses the description: exit 2, nothing on stdout', async () => {
    const at = await mission();
    const show = async (...words: string[]) => {
      const run = await at.here(['team', 'describe', 'job', ...words]);
      expect(run).toMatchObject({ exit: 2, stdout: '' });
      return run.stderr;
    };
    expect(await show('--prompt', 'critc', '--var', 'target=x')).toContain('did you mean "critic"');
    expect(await show('--prompt', 'worker')).toContain('add --var target=<value>');
    expect(await show('--prompt', 'worker', '--var', 'target=x', '--safety', 'full')).toContain(
      'safety-loosened',
    );
    expect(await show('--prompt')).toContain('--prompt <role> needs a value');
  });

  test('the variable of another flag of that name is not read', async () => {
    const at = await mission();
    const described = await at.bnerd(['team', 'describe', 'job'], { env: { BNERD_PROMPT: 'worker' } });
    expect(described.stdout).toMatch(/^job — /);
  });

  test('a text that a terminal would obey is shown without that, and told so; --json has it whole', async () => {
    const at = await mission();
    await appendFile(join(at.mission, 'orchestrator/roles/critic.md'), 'Look: \u001b[2J\u202eend.\n');
    const show = ['team', 'describe', 'job', '--prompt', 'critic', '--var', 'target=x'];
    const text = await at.bnerd(show);
    expect(text.stdout).toContain('Look: [2Jend.');
    expect(text.stderr).toContain('--json has the text as it is');
    const json = JSON.parse((await at.here([...show, '--json'])).stdout);
    expect(json.text).toContain('Look: \u001b[2J\u202eend.');
    expect(sha256(json.text)).toBe(json.sha256);
  });
});

describe('team describe --policy', () => {
  test('as text and as JSON; tightened by --safety; never together with --prompt', async () => {
    const at = await mission();
    const text = await at.bnerd(['team', 'describe', 'job', '--policy']);
    // What is said of the entries is said here too, since they decide which tools there are.
    expect([text.exit, text.stderr]).toEqual([
      0,
      expect.stringMatching(/^\S+style\/SKILL\.md:5: info governed-only [^\n]*\n$/),
    ]);
    expect(text.stdout).toMatch(/^ {2}write +ask +ask +allow +fs_write_file, /m);
    const json = await at.bnerd(['team', 'describe', 'job', '--policy', '--safety', 'read-only', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      v: 1,
      slug: 'job',
      safety: 'read-only',
      tables: [{ safety: 'read-only', plan_pending: false }],
      edits_agents: false,
      shell_wrap: [],
    });
    const both = await at.bnerd(['team', 'describe', 'job', '--policy', '--prompt', 'boss']);
    expect(both).toMatchObject({ exit: 2, stdout: '' });
    const loose = await at.bnerd(['team', 'describe', 'job', '--policy', '--safety', 'full']);
    expect(loose).toMatchObject({ exit: 2, stdout: '' });
    expect(loose.stderr).toContain('safety-loosened');
  });
});
