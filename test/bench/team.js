/**
 * A team on Redis whose turns cost nothing: it coordinates itself and takes its turns in this process, as `bnerd team run
 * --redis` does. Its members are played by a script that says "ok"; its lead waits for the operator all the time, and reads
 * what they have said between two rounds.
 */

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHouse, ORDER, put } from './house.js';
import { load } from './redis.js';
import { TurnEnds } from './turn-ends.js';

const MUCH = 1e9;

/** Questions of the lead, one a round. */
const QUESTIONS = 1_000;

/** Opens a team with so many members beside its lead, so many turns at once; resolves when the lead waits. */
export async function openTeam(members, atOnce, address, names) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'bench-team-')));
  const workers = Array.from({ length: members }, (_, place) => `worker-${place}`);
  await writeMission(join(root, 'mission'), workers, atOnce);
  const house = await makeHouse(root, {
    address,
    names,
    timing: { leaseMs: 60_000, beatMs: 10_000, graceMs: 5_000 },
    takesTurns: true,
    saidBy: 'flag',
    signed: 'with a key',
  });
  const { prepareRun } = await load('runtime/plan/prepare-run.js');
  const { startTeam } = await load('runtime/start-team.js');
  const prepared = await prepareRun(house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const ends = new TurnEnds();
  const leadWaits = ends.next(1);
  const live = await startTeam(house, prepared.plan, {
    operatorPresent: true,
    onEntry: (entry) => ends.hear(entry),
  });
  await leadWaits;
  return {
    id: live.id,
    /** The lead reads its mail, and waits again. */
    async rest() {
      const waits = ends.next(1);
      const [open] = [...live.state().requests.values()].filter(({ status }) => status.kind === 'open');
      const answered = await live.answer(open.id, { kind: 'text', text: 'Yes.' });
      if (answered.kind !== 'accepted') throw new Error(answered.message);
      await waits;
    },
    /** Mail to every member at once; resolves when each has had its turn. */
    async turns() {
      const ended = ends.next(workers.length);
      const sent = await Promise.all(workers.map((member) => live.send(member, 'go')));
      const refused = sent.find(({ kind }) => kind !== 'accepted');
      if (refused !== undefined) throw new Error(refused.message);
      await ended;
    },
    async close() {
      await live.stop('stop');
      await live.ended;
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function writeMission(folder, workers, atOnce) {
  const limits = { members: MUCH, concurrency: atOnce, turns: MUCH, model_calls: MUCH, tokens: MUCH };
  const mails = { messages: MUCH, unread_bytes: MUCH, record_bytes: MUCH };
  const recipe = {
    name: 'job',
    description: 'Turns that cost nothing',
    lead: 'lead',
    roles: ['lead', ...workers],
    safety: 'read-only',
    workspace: 'work',
    model: 'script/script.yaml',
    limits: { ...limits, ...mails },
  };
  const call = { tool: 'ask_question', args: { question: 'Go on?' } };
  const ok = { idle: 'ok', turns: [{ steps: [{ text: 'ok' }] }] };
  const lead = { turns: [{ steps: [...Array(QUESTIONS).fill({ calls: [call] }), { text: 'ok' }] }] };
  const script = { script: 1, roles: { lead, ...Object.fromEntries(workers.map((name) => [name, ok])) } };
  const catalogue = join(folder, 'orchestrator');
  // JSON is YAML.
  await put(join(catalogue, 'teams/job/team.md'), `---\n${JSON.stringify(recipe)}\n---\nWork.\n`);
  await put(join(catalogue, 'teams/job/script.yaml'), JSON.stringify(script));
  for (const name of recipe.roles) {
    const head = JSON.stringify({ name, description: `The ${name}` });
    await put(join(catalogue, `roles/${name}.md`), `---\n${head}\n---\nYou are ${name}.\n`);
  }
  await mkdir(join(folder, 'work'));
}
