/** Flags and arguments that several commands have: the same in each of them. */

import { type ArgumentRow, callFlag, type FlagRow } from '../command-row.js';

/** The mission repository of a command that reads the catalogue. */
export const MISSION_REPO: FlagRow = {
  name: 'mission-repo',
  value: '<dir>',
  env: 'BNERD_MISSION_REPO',
  default: 'none',
  help: 'repository whose orchestrator folder holds recipes, roles and skills (also MISSION_REPO)',
};

/** Approvals that an operator brings along, of a command that reads the catalogue. */
export const TRUST: FlagRow = {
  name: 'trust',
  value: '<file>',
  repeats: true,
  env: 'BNERD_TRUST',
  default: 'none',
  help: 'further trust file of yours (CI); outside of the repository whose files it approves',
};

export const JSON_EVENTS: FlagRow = {
  name: 'json-events',
  value: '[=facts|all]',
  bare: 'facts',
  env: 'BNERD_JSON_EVENTS',
  default: 'off',
  help: 'write one JSON object a fact to stdout and nothing else; all: transcript entries as well',
};

export const QUIET: FlagRow = {
  name: 'quiet',
  value: null,
  env: 'BNERD_QUIET',
  default: 'no',
  help: 'no progress on stderr; prompts and the last lines stay',
};

/** The server that teams are kept on, of a command about teams. */
export const REDIS: FlagRow = {
  name: 'redis',
  value: '<address>',
  env: 'BNERD_REDIS_URL',
  default: 'none: teams are kept in files',
  help: 'Redis that teams are kept on: redis://host:port, env:<variable> or file:<path>; a password only by the latter two',
};

export const JSON_FLAG = callFlag('json', null, null, 'print JSON instead of text');

export const TEAM: ArgumentRow = { name: 'id', count: 'one', help: 'team id, or the beginning of one' };

export const SAFETY: FlagRow = {
  name: 'safety',
  value: '<mode>',
  env: 'BNERD_SAFETY',
  default: "the recipe's floor; of a chat that of its mode",
  help: 'read-only, non-destructive or full; may only tighten the floor',
};

export const AUTO_APPROVE: FlagRow = {
  name: 'auto-approve',
  value: '<what>',
  env: 'BNERD_AUTO_APPROVE',
  default: 'never',
  help: 'confirmations answered without asking: never, safe (class Read) or all that the safety mode admits; with all, who may call web_fetch can send what it reads to any public host, under read-only too',
};

export const MODEL: FlagRow = {
  name: 'model',
  value: '<[role=]model>',
  repeats: true,
  env: 'BNERD_MODEL',
  default: 'role, recipe, ~/.bnerd.yaml, then the one key that is set',
  help: 'model for all roles or for one: provider/name, an alias (opus, sonnet, haiku, openai/default, yours), or script/<file>; record/<model> records its answers, replay/<team-id> gives them again',
};

export const VAR: FlagRow = {
  name: 'var',
  value: '<name=value>',
  repeats: true,
  env: 'BNERD_VAR',
  default: "the recipe's defaults",
  help: 'value of a variable of the recipe',
};
