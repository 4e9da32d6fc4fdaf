/**
 * Which end-to-end files run on every engine of `engines.ts`, and why the others run on files alone. Each file of the
 * folder stands in one of the two (`engine-files.test.ts`); what a file has beside, for some engines only, it declares by
 * `whereTeamsHave`.
 */

const NO_TEAM = 'runs no team';
const DELEGATES =
  'is about the runners that a team in files starts by itself; those of a Redis have files of their own';
const LOCK = 'is about the lock, the socket or the folder of a team in files';
const SAME = 'is about what is decided before a team starts, in which no engine has a part';

const SEVERAL = 'is about several processes on a Redis, which it names itself';

export const ON_BOTH: readonly string[] = [
  'commands-live',
  'commands-stopped',
  'delegation',
  'delegation-feature',
  'exit-codes',
  'feature',
  'hostile-clone',
  'hostile-tree',
  'incident-response',
  'interrupt',
  'kept-rule',
  'models',
  'named',
  'output',
  'pr-review',
  'quickstart',
  'secrets',
  'skills-audit-team',
  'skills-disabled',
  'skills-request-bodies',
  'skills-revoked',
  'skills-told',
  'skills-whole-record',
  'stdin',
  'terminal',
  'waits',
];

export const FILES_ALONE: Readonly<Record<string, string>> = {
  attach: SEVERAL,
  'bad-input': SAME,
  'brief-transcript': DELEGATES,
  chat: NO_TEAM,
  'chat-secrets': NO_TEAM,
  'chat-terminal': NO_TEAM,
  'chat-wire': NO_TEAM,
  'commands-catalogue': NO_TEAM,
  'commands-config': NO_TEAM,
  'commands-describe': NO_TEAM,
  'commands-lint': NO_TEAM,
  'commands-new': NO_TEAM,
  compose: SEVERAL,
  connections: 'shows that a team in files dials nobody',
  'delegation-adoption': DELEGATES,
  'delegation-audit': DELEGATES,
  'delegation-claude': DELEGATES,
  'delegation-hostile': DELEGATES,
  'delegation-real': DELEGATES,
  'delegation-rules': DELEGATES,
  'delegation-shown': DELEGATES,
  'delegation-stop': DELEGATES,
  doctor: SEVERAL,
  'disk-full': 'fills the disk that the record is written to',
  health: SEVERAL,
  'hostile-redis': SEVERAL,
  holder: LOCK,
  leftovers:
    'is about groups of processes on one machine, under whatever engine, and its account of them in the folder',
  'loaded-modules': 'shows that without Redis nothing of it is loaded',
  logs: SEVERAL,
  'models-refused': NO_TEAM,
  readme: 'does what the pages tell a newcomer, who has no Redis',
  'readme-runner': SEVERAL,
  'redis-tls': SEVERAL,
  'redis-users': SEVERAL,
  replay: 'a recorded run is played again in one process',
  runner: NO_TEAM,
  runners: SEVERAL,
  'runners-away': SEVERAL,
  'runners-fleet': SEVERAL,
  'runners-restart': SEVERAL,
  'runners-workers': SEVERAL,
  'runner-apart': NO_TEAM,
  'runner-leftovers': NO_TEAM,
  'signed-teams': SEVERAL,
  spans: SEVERAL,
  simulate: 'plays in a folder of its own, in one process',
  'skills-audit': NO_TEAM,
  'skills-audit-transcript': NO_TEAM,
  'skills-commands': NO_TEAM,
  'skills-import': NO_TEAM,
  'skills-network': NO_TEAM,
  'stop-force': 'kills the one process that has a team in files; a team that many serve waits for none',
  tiers:
    'its runs show in their first fact which files were taken, which is settled before an engine is asked',
  'torn-record': LOCK,
  trust: SAME,
  'trust-places': SAME,
  workers: SEVERAL,
  'workers-bounds': SEVERAL,
  'workers-machines': SEVERAL,
};

/** The path of an end-to-end file. */
export const endToEnd = (name: string): string => `test/e2e/${name}.test.ts`;
