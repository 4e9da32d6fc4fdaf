/**
 * The rows of model calls: what a call costs that a member makes, beside the loops of others over the same instant model.
 * Each task is an input, an answer with a call of one tool, its result and a last answer. Every member has one task, so that
 * its conversation begins with it, as those of the others do; system prompt, input, tools and answers are those of the member.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Mission } from './embedded.js';
import { missingPeers, openPeer } from './peers.js';

const built = new URL('../../dist/runtime/start-team.js', import.meta.url);

const TASKS = 64;
const CALLS_A_TASK = 2;

const CALL = { tool: 'team_task_list', arguments: { state: 'open' } };
const RESULT = 'The board is empty.';
const ANSWER = 'There is nothing to do.';
const USAGE = { inputTokens: 1_000, cachedTokens: 0, outputTokens: 10 };

/** @param delayMs how long the model takes for each answer */
export function callsRow({ name, how, atOnce, delayMs, goal, floor, rounds = 25 }) {
  const scene = new Scene(atOnce, delayMs);
  const others = ['@openai/agents', '@langchain/langgraph', '@langchain/langgraph with SQLite'];
  return {
    name,
    measures: `CPU time of ${TASKS} tasks of ${CALLS_A_TASK} model calls and a tool call in an embedded team, ${how}`,
    reference: 'the same by generateText of the AI SDK',
    judged: 'cpu',
    goal,
    floor,
    rounds,
    // The first hundred tasks cost several times what the later ones do, whoever does them.
    warmup: 6,
    cpu: 'self',
    per: { what: 'model call', perRun: TASKS * CALLS_A_TASK },
    missing: () =>
      existsSync(built)
        ? missingPeers()
        : `${fileURLToPath(built)} is not there: build it with "npm run build"`,
    release: () => scene.close(),
    ours: scene.own('file'),
    theirs: scene.peer('ai'),
    below: Object.fromEntries(others.map((other) => [other, scene.peer(other)])),
    beside: { 'ours, its record in memory': scene.own('memory') },
  };
}

class Scene {
  #atOnce;
  #delayMs;
  #mission;
  #folder;
  #peers = {};
  /** What a member was sent at first. */
  #asked;

  constructor(atOnce, delayMs) {
    this.#atOnce = atOnce;
    this.#delayMs = delayMs;
  }

  /** A new team each round; its lead waits for the operator before the others have their tasks. */
  own(keeps) {
    return {
      prepare: () => this.#open(keeps),
      run: async ({ live, ends, members }) => {
        const ended = ends.next(members.length);
        const sent = await Promise.all(
          members.map((member) => live.send(member, 'Look what there is to do.')),
        );
        const refused = sent.find(({ kind }) => kind !== 'accepted');
        if (refused !== undefined) throw new Error(refused.message);
        await ended;
      },
      release: async ({ live }) => {
        await live.stop('stop');
        await live.ended;
      },
    };
  }

  peer(name) {
    return {
      prepare: () => this.#peer(name),
      run: async (ask) => {
        const waiting = Array(TASKS).fill(ask).values();
        const lane = async () => {
          for (const next of waiting)
            if ((await next()) !== ANSWER) throw new Error(`${name}: another answer`);
        };
        await Promise.all(Array.from({ length: this.#atOnce }, lane));
      },
    };
  }

  async close() {
    await this.#mission?.remove();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #open(keeps) {
    const members = Array.from({ length: TASKS }, (_, place) => `worker-${place}`);
    this.#mission ??= await Mission.write(members, this.#atOnce);
    const { live, ends } = await this.#mission.start(this.#model(), keeps);
    await ends.next(1);
    return { live, ends, members };
  }

  async #peer(name) {
    if (this.#asked === undefined) {
      const own = this.own('memory');
      const team = await own.prepare();
      await own.run(team);
      await own.release(team);
    }
    this.#folder ??= await mkdtemp(join(tmpdir(), 'bench-peers-'));
    this.#peers[name] ??= openPeer(
      name,
      {
        system: this.#asked.system.map(({ text }) => text).join('\n\n'),
        prompt: this.#asked.messages[0].text,
        tools: this.#asked.tools,
        call: CALL,
        result: RESULT,
        answer: ANSWER,
        delayMs: this.#delayMs,
      },
      join(this.#folder, 'checkpoints.db'),
    );
    return this.#peers[name];
  }

  #model() {
    return {
      id: 'bench/instant',
      facts: { contextTokens: null, maxOutputTokens: null, price: null },
      generate: async (request, signal) => {
        if (request.role === 'lead')
          return reply('', { tool: 'ask_question', arguments: { question: 'Go on?' } });
        this.#asked ??= request;
        if (this.#delayMs > 0) await delay(this.#delayMs, undefined, { signal });
        const last = request.messages.at(-1);
        if (last.role !== 'tool') return reply('', CALL);
        if (last.text !== RESULT) throw new Error(`another result: ${last.text}`);
        return reply(ANSWER);
      },
      leftover: () => [],
    };
  }
}

function reply(text, ...calls) {
  return { kind: 'reply', text, calls, usage: USAGE, stop: calls.length > 0 ? 'tool_calls' : 'end' };
}
