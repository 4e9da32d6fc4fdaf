/** The loop of the AI SDK, `generateText`, over an instant model. */

import { setTimeout as delay } from 'node:timers/promises';

const USAGE = {
  inputTokens: { total: 1_000, noCache: 1_000, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};

/** @returns asks once and resolves with the last answer; its model calls the tool, and then says the answer */
export async function openAiSdk({ system, prompt, tools, call, result, answer, delayMs }) {
  const { generateText, jsonSchema, stepCountIs, tool } = await import('ai');
  const model = {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'instant',
    supportedUrls: {},
    async doGenerate({ prompt: messages, abortSignal }) {
      if (delayMs > 0) await delay(delayMs, undefined, { signal: abortSignal });
      const isAnswered = messages.at(-1).role === 'tool';
      const content = isAnswered
        ? [{ type: 'text', text: answer }]
        : [
            {
              type: 'tool-call',
              toolCallId: 'call-1',
              toolName: call.tool,
              input: JSON.stringify(call.arguments),
            },
          ];
      const unified = isAnswered ? 'stop' : 'tool-calls';
      return { content, finishReason: { unified, raw: unified }, usage: USAGE, warnings: [] };
    },
  };
  const known = tools.map(({ name, description, parameters }) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: async () => result }),
  ]);
  const settings = { model, system, tools: Object.fromEntries(known), stopWhen: stepCountIs(10) };
  return async () => (await generateText({ ...settings, prompt })).text;
}
