import { scriptModel } from '../helpers/script.js';
import { type FarAnswer, modelContract } from './model.js';

modelContract('scripted', async (answers) =>
  scriptModel({ script: 1, roles: { lead: { turns: [{ steps: answers.map(written) }] } } }),
);

function written(answer: FarAnswer): object {
  return { text: answer.text, calls: answer.calls, delay_ms: answer.delayMs };
}
