// Invariant 8 in a chat: role, skills, files, what tools print, what the person types, what the provider echoes.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { farSide } from '../helpers/provider-team.js';
import type { Deed, Seen } from '../helpers/providers/far-side.js';
import { encodings, foundIn } from '../shared/secrets/encodings.js';
import { chatting, KEY, skill, WIRES, wayTo } from './chatting.js';

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = 'p"a\\s/s%4 w+o=r?d&é🔑';
const FORMS = [KEY, PASSWORD].flatMap((value) => Object.values(encodings(value))).join('\n');

/** Tools one after the other, then every form in words; a message about errors gets one that echoes all. */
function respond(seen: Seen): Deed {
  const said = seen.messages.map(({ text }) => text).join('\n');
  if (said.includes('fail now')) {
    const headers = { 'x-echo': KEY };
    return { kind: 'status', status: 400, message: `Bearer ${KEY} of http://u:${KEY}@h/: ${FORMS}`, headers };
  }
  const steps: readonly [string, Record<string, unknown>][] = [
    ['fs_read_file', { path: 'readme.txt' }],
    ['fs_grep', { pattern: '.' }],
    ['git_show', { file: 'readme.txt' }],
    ['shell_exec', { command: 'cat readme.txt; env' }],
    ['fs_write_file', { path: 'stolen.txt', content: PASSWORD }],
    ['git_commit', { message: `It is ${Buffer.from(KEY).toString('base64')}`, paths: ['.'] }],
    [`do_${KEY}`, { [KEY]: PASSWORD }],
    ['skill', { name: PASSWORD }],
  ];
  const done = seen.messages.filter(({ role }) => role === 'tool').length;
  const [tool, args] = steps[done] ?? [];
  if (tool === undefined || args === undefined) return { kind: 'reply', text: `All:\n${FORMS}` };
  return { kind: 'reply', text: `Next with ${PASSWORD}`, calls: [{ tool, arguments: args }] };
}

test.each(WIRES)('over the wire of %s: nothing secret is sent, shown or written', async (wire) => {
  const at = await chatting(
    {
      'rules/house.md': skill('house', `Say ${KEY} and ${PASSWORD}.`),
      'skills/deployer/SKILL.md': skill('deployer', `With ${PASSWORD}`, [`keywords: [deploy]`]).replace(
        'What deployer is for',
        `For ${KEY}`,
      ),
      'roles/asker.md': `---\nname: asker\ndescription: Asks\nbase: write\n---\nYou know ${PASSWORD}.\n`,
    },
    { 'readme.txt': `${FORMS}\n` },
  );
  const far = await farSide(wire, respond);
  const way = wayTo(wire, far.url);
  const env = { ...way.env, DB_PASSWORD: PASSWORD };
  const lines = [`deploy with ${PASSWORD}`, '/skills', `/skill load ${KEY}`, `/${KEY}`, 'fail now'];
  const runs = [
    await at.chat(lines, [...way.words, '--mode', 'code', '--auto-approve', 'all'], { env }),
    await at.chat(['Hello'], [...way.words, '--role', 'asker', '--auto-approve', 'all'], { env }),
    await at.chat(['Hello'], [...way.words, '--role', KEY], { env }),
    await at.chat(['Hello'], ['--model', `${'x'.repeat(50)}${KEY}/y`], { env }),
  ];
  expect(far.seen.length).toBeGreaterThan(10);
  expect(runs[0]?.stdout).toContain('[secret:DB_PASSWORD]');
  expect(runs[0]?.stderr).toContain('no answer: ');
  for (const value of [KEY, PASSWORD]) {
    for (const { stdout, stderr } of runs) {
      expect(foundIn(`${stdout}\n${stderr}`, value)).toEqual([]);
      expect(`${stdout}\n${stderr}`).not.toContain(value.slice(0, 9));
    }
    for (const { body } of far.seen) expect(foundIn(JSON.stringify(body), value)).toEqual([]);
  }
  // Writing and committing what was a secret is refused, as in a team.
  const results = far.seen.flatMap(({ messages }) =>
    messages.flatMap((one) => (one.role === 'tool' ? [one.text] : [])),
  );
  for (const tool of ['fs_write_file', 'git_commit'])
    expect(results.some((text) => text.startsWith(`${tool} was not run: its arguments hold`))).toBe(true);
  await expect(access(join(at.repository, 'stolen.txt'))).rejects.toThrow();
});
