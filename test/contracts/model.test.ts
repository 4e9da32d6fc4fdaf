import type { Model } from '../../src/models/model.js';
import type { Respond, Seen } from '../helpers/providers/far-side.js';
import { openFar, WIRES } from '../helpers/providers/open-far.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { scriptModel } from '../helpers/script.js';
import { type FarAnswer, modelContract } from './model.js';

modelContract('scripted', async (answers) =>
  scriptModel({ script: 1, roles: { lead: { turns: [{ steps: answers.map(written) }] } } }),
);

function written(answer: FarAnswer): object {
  return { text: answer.text, calls: answer.calls, delay_ms: answer.delayMs };
}

for (const wire of WIRES) {
  modelContract(wire, async (answers, releases) =>
    openFar(wire, (await startFarSide(wire, answering(answers), releases)).url),
  );
  modelContract(`${wire}, watched`, async (answers, releases) =>
    watched(await openFar(wire, (await startFarSide(wire, answering(answers), releases)).url)),
  );
}

/** Gives answer n to a request that holds n earlier ones. */
function answering(answers: readonly FarAnswer[]): Respond {
  return (seen: Seen) => {
    const asked = seen.messages.filter(({ role }) => role === 'assistant').length;
    const answer = answers[asked];
    if (answer === undefined) return { kind: 'status', status: 400, message: `no answer ${asked}` };
    const calls = (answer.calls ?? []).map(({ tool, args }) => ({ tool, arguments: args }));
    const delay = answer.delayMs === undefined ? {} : { delayMs: answer.delayMs };
    return { kind: 'reply', text: answer.text, calls, ...delay };
  };
}

/** The same model with somebody who looks on at every answer. */
function watched(model: Model): Model {
  return { ...model, generate: (request, signal) => model.generate(request, signal, () => {}) };
}
