/** What a member that waits costs the worker that serves its team. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { missingForRedis, RowRedis } from '../redis.js';

const TEAMS = 100;
/** Of each team, beside its lead. */
const IDLE = 10;
/** Teams before, with which the worker loads and compiles what it needs for any. */
const BEFORE = 10;
const redis = new RowRedis();

export const row = {
  name: 'idle-member',
  measures: `heap of a worker that serves ${TEAMS} teams of ${IDLE} members that wait after a turn, by member`,
  reference: 'the states of the same teams, folded from their logs, which whoever decides must have',
  goal: null,
  floor: null,
  rounds: 1,
  missing: missingForRedis,
  release: () => redis.stop(),
  size: { what: 'an idle member', goalBytes: 20_000 },
  async look() {
    const { connection, names, url, release } = await redis.connect();
    const root = mkdtempSync(join(tmpdir(), 'bench-idle-'));
    const children = [];
    try {
      const workspace = writeMission(root);
      const environment = {
        PATH: process.env.PATH,
        HOME: root,
        BNERD_HOME: join(root, 'state'),
        BNERD_REDIS_URL: url,
        BNERD_REDIS_PREFIX: names.prefix,
        BNERD_MISSION_REPO: join(root, 'mission'),
      };
      const start = (file, options, ...args) => {
        const path = fileURLToPath(new URL(`../idle-members/${file}`, import.meta.url));
        const stdio = ['pipe', 'pipe', 'inherit'];
        const child = spawn(process.execPath, [...options, path, ...args], { env: environment, stdio });
        children.push(child);
        return child;
      };
      const coordinator = start('coordinate.js', [], workspace);
      const worker = start('serve.js', ['--expose-gc'], url, names.prefix, workspace);
      const ended = once(coordinator, 'exit').then(() => {
        throw new Error('the coordinator ended before all was measured');
      });
      ended.catch(() => {}); // In the end it is killed, when nobody waits for it any more.
      const answers = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
      const when = async (more, teams) => {
        coordinator.stdin.write(`${more}\n`);
        worker.stdin.write(`${teams * IDLE} ${teams}\n`);
        const { value, done } = await Promise.race([answers.next(), ended]);
        if (done) throw new Error('the worker ended before it was measured');
        return JSON.parse(value);
      };
      const before = await when(BEFORE, BEFORE);
      const after = await when(TEAMS, BEFORE + TEAMS);
      const members = TEAMS * IDLE;
      const each = (name) => (after[name] - before[name]) / members;
      return { ours: each('held'), theirs: each('states') };
    } finally {
      for (const child of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      await release(await connection.client.keys(names.everyKey));
      rmSync(root, { recursive: true, force: true });
    }
  },
};

/** A recipe whose lead writes to all members and then thinks for longer than it is watched; its workspace. */
function writeMission(root) {
  const members = Array.from({ length: IDLE }, (_, place) => `m${place + 1}`);
  const mail = members.map(
    (to) => `{tool: team_send_message, args: {to: ${to}, message: You are needed later.}}`,
  );
  const at = (...path) => join(root, 'mission', ...path);
  for (const folder of [at('orchestrator/teams/job'), at('orchestrator/roles'), at('work')])
    mkdirSync(folder, { recursive: true });
  const head = [
    '---',
    'name: job',
    'description: Members that wait',
    'lead: boss',
    `roles: [boss, ${members.join(', ')}]`,
    'safety: non-destructive',
    'workspace: work',
    'model: script/script.yaml',
    `limits: {members: ${IDLE + 1}}`,
    '---',
    'Wait.',
  ];
  writeFileSync(at('orchestrator/teams/job/team.md'), `${head.join('\n')}\n`);
  const script = [
    'script: 1',
    'roles:',
    '  boss:',
    '    turns:',
    '      - steps:',
    `          - calls: [${mail.join(', ')}]`,
    '          - {text: Later., delay_ms: 600000}',
    ...members.map((name) => `  ${name}: {idle: Ready., turns: [{steps: [{text: I wait.}]}]}`),
  ];
  writeFileSync(at('orchestrator/teams/job/script.yaml'), `${script.join('\n')}\n`);
  for (const name of ['boss', ...members]) {
    const role = `---\nname: ${name}\ndescription: The ${name}\n---\nYou are ${name}.\n`;
    writeFileSync(at('orchestrator/roles', `${name}.md`), role);
  }
  return at('work');
}
