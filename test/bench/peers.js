/** The loops that ours is measured against. They are no part of the program, and installed by `npm run bench:peers`. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const PEERS = {
  ai: async (task) => (await import('./peers/ai-sdk.js')).openAiSdk(task),
  '@openai/agents': async (task) => (await import('./peers/openai-agents.js')).openOpenAiAgents(task),
  '@langchain/langgraph': async (task) => (await import('./peers/langgraph.js')).openLangGraph(task),
  '@langchain/langgraph with SQLite': async (task, database) =>
    (await import('./peers/langgraph.js')).openLangGraph(task, database),
};

/** What must be made first, or undefined. */
export function missingPeers() {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
  const { resolve } = createRequire(import.meta.url);
  for (const [name, version] of Object.entries(dependencies)) {
    if (installed(name) !== version) return `${name} ${version} is not installed: run "npm run bench:peers"`;
  }
  try {
    // Built for one Node: another has to build it again.
    createRequire(resolve('@langchain/langgraph-checkpoint-sqlite'))('better-sqlite3')(':memory:').close();
    return undefined;
  } catch {
    return `better-sqlite3 was not built for Node ${process.version}: run "npm run bench:peers" with that Node`;
  }
}

/** @returns asks for one task, and resolves with the last answer */
export function openPeer(name, task, database) {
  return PEERS[name](task, database);
}

function installed(name) {
  try {
    const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
    return JSON.parse(readFileSync(file, 'utf8')).version;
  } catch {
    return undefined;
  }
}
