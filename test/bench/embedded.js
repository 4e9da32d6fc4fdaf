/**
 * Teams without a server, run in this process: one mission and as many runs of it as are wanted, each a new team. Who plays
 * its members is a model of the caller's, which answers in this process.
 */

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeHouse, ORDER, put } from './house.js';
import { load } from './redis.js';
import { TurnEnds } from './turn-ends.js';

const MUCH = 1e9;

export class Mission {
  #root;
  #house;

  /** Writes it. @param tasks as a recipe writes them */
  static async write(members, atOnce, tasks = []) {
    const mission = new Mission();
    mission.#root = await realpath(await mkdtemp(join(tmpdir(), 'bench-embedded-')));
    mission.#house = await makeHouse(mission.#root, null);
    await writeFiles(join(mission.#root, 'mission'), members, atOnce, tasks);
    return mission;
  }

  /**
   * Starts a team.
   * @param model plays all its members
   * @param keeps where its record lies: `file`, synced, or `memory`
   */
  async start(model, keeps = 'file') {
    const { prepareRun } = await load('runtime/plan/prepare-run.js');
    const { beginTeam, startTeam } = await load('runtime/start-team.js');
    const prepared = await prepareRun(this.#house, ORDER);
    if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
    const models = new Map([...prepared.plan.models.keys()].map((role) => [role, model]));
    const plan = { ...prepared.plan, models };
    const ends = new TurnEnds();
    const options = { operatorPresent: true, onEntry: (entry) => ends.hear(entry) };
    const live =
      keeps === 'file'
        ? await startTeam(this.#house, plan, options)
        : await beginTeam(this.#house, plan, options, await this.#inMemory());
    return { live, ends };
  }

  async remove() {
    await rm(this.#root, { recursive: true, force: true });
  }

  /** An open team whose record is nowhere but here. */
  async #inMemory() {
    const { memoryRecord } = await load('events/memory-record.js');
    const { ProcessGroups } = await load('shared/processes.js');
    const { Releases } = await load('shared/releases.js');
    const { TeamStore } = await load('state/team-store.js');
    const id = `run-job-${randomBytes(6).toString('hex')}`;
    const folder = join(this.#root, id);
    const processes = join(folder, 'processes');
    await mkdir(processes, { recursive: true });
    const record = memoryRecord();
    return {
      id,
      folder,
      lock: { lost: new AbortController().signal, announce: async () => {}, release: async () => {} },
      record,
      store: await TeamStore.open(record.log, this.#house.clock),
      groups: new ProcessGroups({ folder: processes }),
      releases: new Releases(),
      findings: [],
    };
  }
}

async function writeFiles(folder, members, atOnce, tasks) {
  const recipe = {
    name: 'job',
    description: 'A job whose models answer at once',
    lead: 'lead',
    roles: ['lead', ...members],
    safety: 'read-only',
    workspace: 'work',
    model: 'script/script.yaml',
    tasks,
    limits: {
      members: MUCH,
      concurrency: atOnce,
      turns: MUCH,
      model_calls: MUCH,
      tokens: MUCH,
      messages: MUCH,
      unread_bytes: MUCH,
      record_bytes: MUCH,
    },
  };
  // A recipe names a model; whoever starts the team puts another in its place.
  const nobody = { turns: [{ steps: [{ text: 'ok' }] }] };
  const script = { script: 1, roles: Object.fromEntries(recipe.roles.map((role) => [role, nobody])) };
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
