/**
 * The one table of what can be typed: commands, arguments, flags with their variables and defaults, examples, exit
 * codes (spec/team.md §8). The parser is built from it, every help text is made from it, tests compare it with the
 * configuration, the README and the pages of the help. Plain data; the rows of the commands lie in `rows/`.
 */

import type { CommandRow, VariableRow } from './command-row.js';
import { CATALOGUE_ROWS } from './rows/catalogue.js';
import { CHAT_ROWS } from './rows/chat.js';
import { IMPORT_ROWS } from './rows/import.js';
import { PROGRAM_ROWS } from './rows/program.js';
import { RUN_ROWS } from './rows/run.js';
import { KEY_ROWS, RUNNER_ROWS } from './rows/runner.js';
import { SKILL_ROWS } from './rows/skills.js';
import { TEAM_ROWS } from './rows/teams.js';
import { TRUST_ROWS } from './rows/trust.js';
import { WORKER_ROWS } from './rows/worker.js';

export const COMMANDS: readonly CommandRow[] = [
  ...RUN_ROWS,
  ...CATALOGUE_ROWS,
  ...TEAM_ROWS,
  ...CHAT_ROWS,
  ...SKILL_ROWS,
  ...IMPORT_ROWS,
  ...TRUST_ROWS,
  ...WORKER_ROWS,
  ...RUNNER_ROWS,
  ...KEY_ROWS,
  ...PROGRAM_ROWS,
];

/** Exit codes of `team run` and `team resume`; the first three also mean yes, no and wrong use elsewhere. */
export const EXIT_CODES: readonly { readonly code: number; readonly name: string; readonly says: string }[] =
  [
    { code: 0, name: 'done', says: 'the team has finished its work (other commands: yes)' },
    { code: 1, name: 'failed', says: 'the lead reported failure, or the run broke (other commands: no)' },
    { code: 2, name: 'refused', says: 'wrong use or bad input; nothing was created' },
    { code: 3, name: 'partial', says: 'finished with failed or cancelled tasks, accepted by the lead' },
    { code: 4, name: 'needs_human', says: 'nothing can move without an answer nobody can give here' },
    { code: 5, name: 'budget', says: 'turns, model calls, tokens, cost or record size reached a limit' },
    { code: 6, name: 'deadline', says: 'the time limit of the run was reached' },
    { code: 7, name: 'stalled', says: 'open tasks remain and nothing is due' },
    { code: 8, name: 'unverified', says: 'a task that must have a result has none' },
    { code: 129, name: 'cancelled', says: 'stopped by a hang-up' },
    { code: 130, name: 'cancelled', says: 'stopped by Ctrl-C, or with "bnerd team stop"' },
    { code: 143, name: 'cancelled', says: 'stopped by TERM' },
  ];

/** Variables that are no flag's. */
export const VARIABLES: readonly VariableRow[] = [
  { name: 'BNERD_HOME', says: 'where teams are kept; default: the folder .bnerd in your home directory' },
  { name: 'BNERD_REDIS_PREFIX', says: 'begins every name of ours in Redis; default: bnerd' },
  {
    name: 'BNERD_REQUIRE_SIGNATURES',
    says: 'yes: on a Redis of this machine too only teams that their operator has signed; default: no',
  },
  {
    name: 'BNERD_LEASE',
    says: 'how long a process that is silent keeps its turns and runs on Redis; default: 60s',
  },
  {
    name: 'BNERD_BEAT',
    says: 'how often it says that it is there; default: 10s, at most a sixth of the lease',
  },
  {
    name: 'BNERD_LEASE_GRACE',
    says: 'how long before the end of a lease it stops what it does; default: 5s, at most a sixth of the lease',
  },
  {
    name: 'BNERD_REDIS_CA',
    says: 'file with the CA of a Redis at a rediss:// address, in PEM; default: whom this system trusts',
  },
  {
    name: 'BNERD_REDIS_CERT',
    says: 'file with the certificate of this machine for a Redis that asks for one, in PEM; default: none',
  },
  // A path; who puts the key itself there is not to see it shown.
  { name: 'BNERD_REDIS_KEY', secret: true, says: 'file with its key, which nobody else may read' },
  {
    name: 'BNERD_DURABILITY',
    says: 'server: what Redis has acknowledged is acted on; strict: what allows an effect waits for a replica; default: server',
  },
  {
    name: 'BNERD_OTEL',
    says: 'yes: a span of OpenTelemetry for each job on Redis, by way of the SDK that NODE_OPTIONS registers; default: no',
  },
  {
    name: 'BNERD_HOST',
    says: 'the name of this machine among those that serve teams on Redis; default: its own',
  },
  { name: 'BNERD_AGENT_SKILLS', says: 'skills added to roles: role=a,b;role2=c, or a,b for all' },
  { name: 'BLOOM_AGENT_SKILLS', says: 'the same, read when BNERD_AGENT_SKILLS is not set' },
  {
    name: 'BNERD_RUNNER_ENGINEER_SKILLS',
    says: 'skills of this package, by name, that a runner adds to those of every brief: a,b',
  },
  { name: 'BLOOM_RUNNER_ENGINEER_SKILLS', says: 'the same, read when that is not set' },
  { name: 'MISSION_REPO', says: 'the same as BNERD_MISSION_REPO, which beats it' },
  { name: 'ANTHROPIC_API_KEY', secret: true, says: 'key of anthropic' },
  {
    name: 'ANTHROPIC_AUTH_TOKEN',
    secret: true,
    says: 'bearer token of anthropic or of a gateway; beats the key',
  },
  { name: 'ANTHROPIC_BASE_URL', says: 'another address of anthropic, with or without /v1' },
  { name: 'OPENAI_API_KEY', secret: true, says: 'key of openai' },
  { name: 'OPENAI_BASE_URL', says: 'another address of openai, with its /v1' },
  {
    name: 'OPENAI_COMPATIBLE_BASE_URL',
    says: 'address of openai-compatible (Ollama, vLLM, …), with its /v1',
  },
  {
    name: 'OPENAI_COMPATIBLE_API_KEY',
    secret: true,
    says: 'key of openai-compatible, where one is asked for',
  },
  { name: 'AWS_BEARER_TOKEN_BEDROCK', secret: true, says: 'key of amazon-bedrock; beats the pair' },
  {
    name: 'AWS_ACCESS_KEY_ID',
    secret: true,
    says: 'with AWS_SECRET_ACCESS_KEY: signs requests to amazon-bedrock',
  },
  { name: 'AWS_SECRET_ACCESS_KEY', secret: true, says: 'the secret of AWS_ACCESS_KEY_ID' },
  { name: 'AWS_SESSION_TOKEN', secret: true, says: 'goes with the pair when it is a temporary one' },
  { name: 'AWS_REGION', says: 'region of amazon-bedrock' },
  { name: 'AWS_DEFAULT_REGION', says: 'the same, read when AWS_REGION is not set' },
  { name: 'GOOGLE_GENERATIVE_AI_API_KEY', secret: true, says: 'key of google' },
  { name: 'GEMINI_API_KEY', secret: true, says: 'the same, read when that is not set' },
  { name: 'GOOGLE_API_KEY', secret: true, says: 'the same, read last' },
];
