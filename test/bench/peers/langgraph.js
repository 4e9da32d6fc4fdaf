/** The loop of `@langchain/langgraph`, its prebuilt agent, over an instant model; with a database, checkpointed there. */

import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param database file of the SQLite checkpoints, each task a thread of its own; undefined: none are made
 * @returns asks once and resolves with the last answer; its model calls the tool, and then says the answer
 */
export async function openLangGraph({ system, prompt, tools, call, result, answer, delayMs }, database) {
  const { BaseChatModel } = await import('@langchain/core/language_models/chat_models');
  const { AIMessage } = await import('@langchain/core/messages');
  const { tool } = await import('@langchain/core/tools');
  const { createReactAgent } = await import('@langchain/langgraph/prebuilt');

  class InstantModel extends BaseChatModel {
    _llmType() {
      return 'instant';
    }

    bindTools() {
      return this;
    }

    async _generate(messages, { signal }) {
      if (delayMs > 0) await delay(delayMs, undefined, { signal });
      const isAnswered = messages.at(-1).getType() === 'tool';
      const said = isAnswered
        ? { content: answer }
        : {
            content: '',
            tool_calls: [{ id: 'call-1', name: call.tool, args: call.arguments, type: 'tool_call' }],
          };
      const usage_metadata = { input_tokens: 1_000, output_tokens: 10, total_tokens: 1_010 };
      return { generations: [{ text: answer, message: new AIMessage({ ...said, usage_metadata }) }] };
    }
  }

  const saved = database === undefined ? {} : { checkpointer: await openCheckpoints(database) };
  const agent = createReactAgent({
    llm: new InstantModel({}),
    prompt: system,
    tools: tools.map(({ name, description, parameters: schema }) =>
      tool(async () => result, { name, description, schema }),
    ),
    ...saved,
  });
  let thread = 0;
  return async () => {
    const configurable = { thread_id: `task-${thread++}` };
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: prompt }] },
      { configurable },
    );
    return messages.at(-1).content;
  };
}

async function openCheckpoints(database) {
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  return SqliteSaver.fromConnString(database);
}
