/**
 * What there is help on beside the commands: the pages in `docs/`, shipped with the package, and texts that are made
 * from the table. Plain data; a test compares it with the folder.
 */

export interface TopicRow {
  /** What is typed behind `bnerd help`; of a page the name of its file, without `.md`. */
  readonly name: string;
  readonly summary: string;
  /** `page`: it is a file of `docs/`; `table`: it is made from the table of commands. */
  readonly from: 'page' | 'table';
}

/** In the order of the help: the way of a person who begins. */
export const TOPICS: readonly TopicRow[] = [
  page('running', 'questions, answers and messages of a team, and how it is stopped'),
  page('recipes', 'a team of your own: where its files lie, and every key of a recipe'),
  page('roles', 'what a member is told and may do: every key of a role'),
  page('skills', 'rules and skills: look at them, check them, take them from others'),
  page('trust', 'what of a repository counts, and how you say so'),
  page('safety', 'confirmations, permissions, and what a shell can do'),
  page('models', 'names, keys, prices and limits of models; recording and replay'),
  page('settings', 'every key of ~/.bnerd.yaml'),
  page('secrets', 'what is kept out of records and prompts'),
  page('delegation', 'work for Claude Code, Codex or a command: what it gets, and what comes back'),
  page('runners', 'the program that runs an engineer: what it takes and what it keeps'),
  page('workers', 'a team on Redis, its turns taken by several processes'),
  page('operating', 'workers and runners as services: Compose, systemd, what to watch'),
  page('keys', 'the keys with which teams and runners sign'),
  page('chat', 'a conversation with one agent'),
  page('ci', 'lint, named runs and exit codes in a pipeline'),
  page('events', 'the JSON lines of a run'),
  page('record', 'what a run writes down, and how it goes on after a kill'),
  page('source', 'for those who change the program: layers, glossary, how to add things'),
  { name: 'exit-codes', summary: 'what each number means', from: 'table' },
  { name: 'environment', summary: 'every variable that is read', from: 'table' },
];

function page(name: string, summary: string): TopicRow {
  return { name, summary, from: 'page' };
}
