/** What each key of a recipe means, in one sentence (spec/team.md §1): a key without one does not compile. */

import type { z } from 'zod';
import type { limitsFile } from './limits.js';
import type { EngineerFile, RecipeFile, TaskFile } from './recipe-file.js';

/** A sentence for every key of a written shape. */
type Words<Shape> = Readonly<Record<keyof Shape, string>>;

export const RECIPE_WORDS: Words<RecipeFile> = {
  name: 'Name of the recipe. What is typed on the command line is the name of its folder.',
  description: 'One line for listings; also the order of a run that is given none.',
  lead: 'The role that leads. The body of the file, the working contract, goes into its system prompt.',
  roles: 'Every role the team may ever use, the lead included.',
  size: 'Informational: the number of seats that are always on, the lead included.',
  repos: 'Informational: the repositories it is made for.',
  when_to_use: 'Informational: when to use it.',
  mode: 'in-process: one process, files. queue: a team on a Redis, which has to be named. Default: as you say.',
  safety: 'The floor, which a run may only tighten. Default: read-only.',
  plan_approval: "With a role's permissionMode plan: its plan has to be approved before it acts.",
  workspace:
    'Where the team works: a folder below the base of the recipe, or temp for a fresh one. Default: the working directory.',
  reads: 'Further folders, read-only for file and git tools.',
  model: 'provider/name or an alias, for every role that names none.',
  on_demand: 'The roles that are spawned only when the lead asks.',
  tasks: 'Put on the board at the start.',
  permissions: 'Rules for confirmations: deny beats ask, ask beats allow.',
  process: 'The process entry that governs the order of steps.',
  page: 'The page a run works on when the operator names none: an address or a path.',
  limits: 'Limits of the run; a run may only tighten them.',
  engineer: 'What delegated work of this team asks for.',
  edits_agents: 'Members may write agent folders; the operator confirms each write.',
  variables: 'Values that the operator gives with --var name=value; they stand as {{name}} in texts.',
};

export const TASK_WORDS: Words<TaskFile> = {
  id: 'Name of the task inside the recipe.',
  subject: 'One line for the board.',
  description: 'What the doer has to know.',
  role: 'The role it is offered to; absent: anyone may claim it.',
  blocked_by: 'Ids of tasks that have to be completed first.',
  gates: 'Roles whose approval it needs before it is completed.',
  acceptance: 'Items that each need evidence before it is completed.',
  artifacts: 'Paths in the workspace that have to exist before it is completed.',
  required: 'Without a result of this task the run ends as unverified.',
  skills: 'Entries for whoever does it.',
  upstream: 'What happens to it when a task before it fails. Default: wait.',
};

export const PERMISSION_WORDS: Words<NonNullable<RecipeFile['permissions']>[number]> = {
  tool: 'Name of the tool.',
  match: 'Pattern for what the call is about: command, path or host. Absent: every call.',
  decision: 'What the rule answers.',
};

export const LIMIT_WORDS: Words<z.infer<typeof limitsFile>> = {
  members: 'Seats at a time.',
  concurrency: 'Turns at a time.',
  turns: 'Turns of the run.',
  turn_minutes: 'Minutes of one turn.',
  lost_turns:
    'Turns of a member that may be lost with their process, one after the other, before its attempt ends as crashed.',
  model_calls: 'Calls of language models.',
  tokens: 'Tokens, input and output.',
  cost_usd: 'US dollars; null: no limit.',
  wall_minutes: 'Minutes of the run.',
  messages: 'Messages between members.',
  mail_bytes: 'Bytes of one message.',
  unread_bytes: 'Bytes that may wait for one member.',
  tasks: 'Tasks on the board.',
  open_requests: 'Open requests of one member.',
  calls_per_reply: 'Tool calls in one answer of a model.',
  calls_per_turn: 'Tool calls in one turn.',
  review_rounds: 'Rounds of review of one task before the operator decides.',
  record_bytes: 'Bytes of the record.',
};

export const ENGINEER_WORDS: Words<EngineerFile> = {
  pool: 'Queue that the briefs go to.',
  labels: 'What a runner of that queue has to have.',
  kind: 'Program that does the work.',
  model: 'Model that it speaks with.',
  verify: 'Commands that check the work, each a list of words, by name.',
  skills: 'Entries that ride every brief.',
  protect: 'Globs of files whose change is listed for the reviewers. Default: tests and what CI reads.',
  policy: 'Whether a verified result completes the task or is reviewed first. Default: review.',
  offers: 'How often a brief of a dead runner is offered again. Default: 2.',
};

export const VARIABLE_WORDS: Words<NonNullable<RecipeFile['variables']>[string]> = {
  description: 'What the operator is asked for.',
  default: 'Value when none is given.',
  required: 'Whether a run without a value is refused. Default: when there is no default.',
};
