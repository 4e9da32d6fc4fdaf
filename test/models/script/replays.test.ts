/** What a scripted model keeps of a conversation saves time and changes no answer. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Model, ModelMessage, ModelOutcome } from '../../../src/models/model.js';
import { scriptModel } from '../../helpers/script.js';

const SCRIPT = {
  script: 1,
  roles: {
    lead: {
      idle: '{{member}} waits',
      turns: [
        { await: 'go', steps: [{ text: 'one', calls: [{ tool: 'fs_list' }] }, { text: 'two' }] },
        { await: ['go', 'more'], steps: [{ text: '{{word}}', capture: { word: 'more (\\w+)' } }] },
        { steps: [{ expect: '^end', text: 'three' }] },
      ],
    },
  },
};

const ask = (model: Model, messages: readonly ModelMessage[]): Promise<ModelOutcome> =>
  model.generate(
    { member: 'ada', role: 'lead', system: [], messages, tools: [], maxOutputTokens: 100 },
    new AbortController().signal,
  );

/** What is said next, or after which message of the conversation it is said anew. */
const move = fc.record({
  text: fc.constantFrom('go', 'more news', 'more go', 'end', 'nothing'),
  back: fc.option(fc.nat(12), { nil: undefined, freq: 4 }),
});

test('a model that has been asked before answers as one that never was, also where a conversation forks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 14 }), async (moves) => {
      const model = scriptModel(SCRIPT);
      let messages: ModelMessage[] = [];
      for (const { text, back } of moves) {
        if (back !== undefined) messages = upToAnswer(messages, back);
        messages = [...messages, { role: 'user', text }];
        for (;;) {
          const answer = await ask(model, messages);
          expect(answer).toEqual(await ask(scriptModel(SCRIPT), messages));
          if (answer.kind !== 'reply') return;
          const calls = answer.calls.map((call, index) => ({ ...call, id: `${messages.length}.${index}` }));
          messages = [...messages, { role: 'assistant', text: answer.text, calls }];
          for (const { id, tool } of calls)
            messages.push({ role: 'tool', call: id, tool, text: 'go', failed: false });
          if (calls.length === 0) break;
        }
      }
    }),
  );
});

/** The first messages, up to an answer that asks for nothing. */
function upToAnswer(messages: readonly ModelMessage[], most: number): ModelMessage[] {
  const kept = messages.slice(0, most);
  const end = kept.findLastIndex((one) => one.role === 'assistant' && one.calls.length === 0);
  return kept.slice(0, end + 1);
}
