/** Every way in which a run is refused for its models, before anything is created. */

import { RECIPE, type Row, recipe, roles } from './refusal-rows.js';

export const MODEL_ROWS: readonly Row[] = [
  {
    what: 'an unknown provider',
    mission: recipe({ model: 'antropic/opus' }),
    code: 'unknown-provider',
    place: RECIPE,
    says: ['antropic', 'script'],
  },
  {
    what: 'a recording of no model',
    mission: recipe({ model: 'record/inherit' }),
    code: 'bad-model',
    place: RECIPE,
    line: true,
    says: ['"record/inherit"', 'allowed: record/<provider>/<name>, record/script/<file>'],
  },
  {
    what: 'a recorded team that a file names',
    mission: recipe({ model: 'replay/run-job-1' }),
    code: 'bad-model',
    place: RECIPE,
    line: true,
    says: ['by the word of the operator alone', '--model replay/<team-id>'],
  },
  {
    what: 'a recording whose model has no key',
    mission: recipe({ model: 'record/openai/gpt-6-sol' }),
    code: 'no-key',
    place: RECIPE,
    line: true,
    says: ['openai/gpt-6-sol', 'OPENAI_API_KEY'],
  },
  {
    what: 'a model that its vendor does not have',
    mission: recipe({ model: 'anthropic/claude-opus-5-6' }),
    code: 'unknown-model',
    place: RECIPE,
    line: true,
    says: [
      'did you mean "anthropic/claude-opus-5-5"',
      'models: {anthropic/claude-opus-5-6: {context: 32768}}',
    ],
  },
  {
    what: 'a model without its key',
    mission: recipe({ model: 'openai/gpt-6-sol' }),
    code: 'no-key',
    place: RECIPE,
    line: true,
    says: ['openai/gpt-6-sol', 'boss, worker', 'OPENAI_API_KEY', 'keys that are set: none'],
  },
  {
    what: 'an unknown alias of a role',
    mission: roles({ worker: { base: 'write', model: 'sonet' } }),
    code: 'unknown-alias',
    place: 'roles/worker.md',
    line: true,
    says: ['"sonet"', 'did you mean "sonnet"'],
  },
  {
    what: 'a model of unknown price under cost_usd',
    mission: recipe({ model: 'openai-compatible/llama', limits: { cost_usd: 5 } }),
    code: 'unpriced-model',
    place: RECIPE,
    line: true,
    says: ['cost_usd is 5', 'models: {openai-compatible/llama: {price: {input: <usd>, output: <usd>}}}'],
  },
  {
    what: 'no model at all',
    mission: recipe({ model: undefined }),
    code: 'no-model',
    place: RECIPE,
    says: ['boss, worker', '--model', '~/.bnerd.yaml'],
  },
  {
    what: 'a --model for a role that is not there',
    order: { models: ['wroker=script/x.yaml'] },
    code: 'unknown-role',
    place: '--model',
    says: ['wroker', 'worker'],
  },
];
