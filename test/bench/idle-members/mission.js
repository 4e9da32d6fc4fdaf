/** The mission of the rows of idle members, and the processes that look at themselves. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TEAMS = 100;
/** Of each team, beside its lead. */
export const IDLE = 10;
/** Teams before, with which a process loads and compiles what it needs for any. */
export const BEFORE = 40;

/**
 * Runs `look` in a folder with the mission; in the end its processes are gone, and the folder.
 * @param look is given the folder, the workspace, and what starts a file of this folder with options of Node and arguments
 */
export async function onMission(environment, look) {
  const root = mkdtempSync(join(tmpdir(), 'bench-idle-'));
  const children = [];
  try {
    const workspace = writeMission(root);
    const env = {
      PATH: process.env.PATH,
      HOME: root,
      BNERD_HOME: join(root, 'state'),
      BNERD_MISSION_REPO: join(root, 'mission'),
      ...environment,
    };
    const start = (file, options, ...args) => {
      const path = fileURLToPath(new URL(file, import.meta.url));
      const stdio = ['pipe', 'pipe', 'inherit'];
      const child = spawn(process.execPath, [...options, path, ...args], { env, stdio });
      children.push(child);
      return child;
    };
    return await look({ workspace, start });
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(root, { recursive: true, force: true });
  }
}

/** What one member takes of what a process holds, by two looks: before, and with `TEAMS` teams more. */
export function byMember(before, after) {
  const each = (name) => (after[name] - before[name]) / (TEAMS * IDLE);
  return { ours: each('held'), theirs: each('states') };
}

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
