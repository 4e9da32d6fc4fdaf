/** The loop of `@openai/agents`, `run`, over an instant model; its tracing is off. */

import { setTimeout as delay } from 'node:timers/promises';

/** @returns asks once and resolves with the last answer; its model calls the tool, and then says the answer */
export async function openOpenAiAgents({ system, prompt, tools, call, result, answer, delayMs }) {
  const { Agent, Runner, Usage, tool } = await import('@openai/agents');
  const model = {
    async getResponse({ input, signal }) {
      if (delayMs > 0) await delay(delayMs, undefined, { signal });
      const isAnswered = input.at(-1).type === 'function_call_result';
      const output = isAnswered
        ? {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: answer }],
          }
        : {
            type: 'function_call',
            callId: 'call-1',
            name: call.tool,
            status: 'completed',
            arguments: JSON.stringify(call.arguments),
          };
      return {
        output: [output],
        usage: new Usage({ inputTokens: 1_000, outputTokens: 10, totalTokens: 1_010 }),
      };
    },
  };
  const agent = new Agent({
    name: 'worker',
    instructions: system,
    model,
    tools: tools.map(({ name, description, parameters }) =>
      tool({ name, description, parameters, strict: false, execute: async () => result }),
    ),
  });
  const runner = new Runner({ tracingDisabled: true });
  return async () => (await runner.run(agent, prompt)).finalOutput;
}
