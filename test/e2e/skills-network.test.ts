// No load of entries asks the network: the program with every socket made to throw (spec/skills.md §3).
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { putFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { governedText, openText } from '../skills/entries.js';

const ROOT = join(import.meta.dirname, '../..');
const PRELOAD = join(ROOT, 'test/fixtures/programs/no-network.js');
const CLI = join(ROOT, 'dist/cli.js');

async function offline(
  home: string,
  args: readonly string[],
): Promise<{ stdout: string; exitCode?: number }> {
  return execa(process.execPath, ['--import', PRELOAD, ...args], {
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'] ?? '' },
    extendEnv: false,
    reject: false,
  });
}

describe('with every socket made to throw', () => {
  test.each([
    "import('node:net').then((net) => net.connect(9, '127.0.0.1'))",
    "import('node:net').then(({ Socket }) => new Socket().connect(9, '127.0.0.1'))",
    "import('node:net').then(({ createServer }) => createServer().listen(0))",
    "import('node:tls').then(({ connect }) => connect(9, '127.0.0.1'))",
    "import('node:dgram').then(({ createSocket }) => createSocket('udp4'))",
    "import('node:http').then(({ get }) => get('http://127.0.0.1:9'))",
    "import('node:dns').then(({ lookup }) => lookup('localhost', () => {}))",
    "import('node:dns/promises').then(({ lookup }) => lookup('localhost'))",
    "Promise.resolve().then(() => fetch('http://127.0.0.1:9'))",
  ])('%s throws', async (script) => {
    const home = await tempDir('offline');
    const told = `${script}.then(() => console.log('asked'), ({ message }) => console.log(message))`;
    expect((await offline(home, ['--input-type=module', '-e', told])).stdout).toBe('the network was asked');
  });

  test('the entries of every tier are loaded, listed, rendered and checked', async () => {
    const home = await tempDir('offline');
    await putFiles(home, {
      '.agents/skills/mine/SKILL.md': openText(['name: mine', 'description: See https://example.com/x']),
      'mission/.bnerd/context.md': '---\nskills: governed\n---\n',
      'mission/orchestrator/skills/theirs/SKILL.md': governedText({
        name: 'theirs',
        origin: 'third-party',
        license: 'MIT',
        upstream: `https://example.com/skill@${'a'.repeat(40)}`,
      }),
    });
    const mission = ['--mission-repo', join(home, 'mission')];
    const listed = await offline(home, [CLI, 'skills', 'list', '--json', ...mission]);
    expect(listed.exitCode).toBe(0);
    const names = JSON.parse(listed.stdout).entries.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['flux', 'mine', 'theirs']));
    const shown = await offline(home, [CLI, 'skills', 'show', 'theirs', '--rendered', ...mission]);
    expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('[Skill: theirs] v1.0.0') });
    const linted = await offline(home, [CLI, 'skills', 'lint', ...mission]);
    expect(linted.exitCode).toBe(0);
  });
});
