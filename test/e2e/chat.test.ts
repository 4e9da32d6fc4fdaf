// `bnerd chat` through the program, on a pipe: lines, commands, streams, exit codes.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { putFiles } from '../helpers/repository.js';
import { chatting, skill } from './chatting.js';

/** A script of which each turn answers one message. */
async function scripted(
  directory: string,
  turns: readonly unknown[],
  role = 'chat',
): Promise<readonly string[]> {
  const script = { script: 1, roles: { [role]: { turns } } };
  await writeFile(join(directory, 'talk.yaml'), stringify(script));
  return ['--model', 'script/talk.yaml'];
}

const says = (text: string) => ({ steps: [{ text }] });

const LEGEND = `
* = active | + = skill this mode can self-load | (blank) = other mode, or an inactive rule
/skill load <name> · /skill unload <name> — manual override, works on any entry
The AI can also load an available (+) skill itself mid-conversation via the skill tool.
`;

describe('lines on a pipe', () => {
  test('each is a message; answers stand on stdout and nothing else does; the end of the input ends the chat', async () => {
    const at = await chatting();
    const model = await scripted(at.repository, [
      { steps: [{ expect: ['^one$'], text: 'first' }] },
      { steps: [{ expect: ['^/not a command$'], text: 'second\nline' }] },
    ]);
    const run = await at.chat(['one', '', '  /not a command'], model);
    expect(run.exit).toBe(0);
    expect(run.stdout).toBe('first\nsecond\nline\n');
    expect(run.stderr).toMatch(
      /^2 messages, 2 model calls, \d+ tokens in \(0 cached\), \d+ out; cost: 0\.0000 USD\n$/,
    );
  });

  test('the last line needs no line break, and a character cut between two pieces is one', async () => {
    const at = await chatting();
    const model = await scripted(at.repository, [
      { steps: [{ expect: ['^one$'], text: 'first' }] },
      { steps: [{ expect: ['^zw\u00f6lf$'], text: 'second' }] },
    ]);
    const run = await at.chat([], model, { stdin: 'one\nzw\u00f6lf' });
    expect([run.exit, run.stdout]).toEqual([0, 'first\nsecond\n']);
  });

  test('a line that is too long is told, and the exit code says that something was not sent', async () => {
    const at = await chatting();
    const model = await scripted(at.repository, [{ steps: [{ expect: ['^two$'], text: 'second' }] }]);
    const run = await at.chat([], model, { stdin: `${'x'.repeat(1_048_577)}\ntwo\n` });
    expect([run.exit, run.stdout]).toEqual([1, 'second\n']);
    expect(run.stderr).toContain('not sent: a line of more than 1048576 bytes; put it into a file\n');
  });

  test('/quit ends it, whatever follows', async () => {
    const at = await chatting();
    const run = await at.chat(['/quit', 'one'], await scripted(at.repository, [says('never')]));
    expect(run.exit).toBe(0);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain('0 messages');
  });

  test('no input at all is the end of it', async () => {
    const at = await chatting();
    const words = await scripted(at.repository, [says('never')]);
    const run = await bnerd(['chat', ...words], { place: at.place, cwd: at.repository });
    expect(run.exit).toBe(0);
  });

  test('a message without an answer is told; when it was the last, exit 1', async () => {
    const at = await chatting();
    const fail = { steps: [{ fail: { kind: 'fatal', code: 'bad-key', message: 'no such key' } }] };
    const run = await at.chat(['one'], await scripted(at.repository, [fail]));
    expect(run.exit).toBe(1);
    expect(run.stderr).toContain('  no answer: bad-key: ');
    expect(run.stderr).toContain('no such key');
  });

  test('what needs a confirmation is refused as a result, since nobody is there; a flag answers it', async () => {
    const at = await chatting();
    const model = await scripted(
      at.repository,
      [
        {
          steps: [
            { calls: [{ tool: 'fs_write_file', args: { path: 'made', content: 'x' } }] },
            { capture: { said: '^(.+)$' }, text: '{{said}}' },
          ],
        },
      ],
      'code',
    );
    const run = await at.chat(['write it'], ['--mode', 'code', ...model]);
    expect(run.stdout).toBe(
      'denied, not run: it needs a confirmation (write fs_write_file: confirmation needed), and nobody is at a terminal to give it\n',
    );
    expect(await readdir(at.repository)).not.toContain('made');
    const allowed = await at.chat(['write it'], ['--mode', 'code', '--auto-approve', 'all', ...model]);
    expect(allowed.exit).toBe(0);
    expect(await readdir(at.repository)).toContain('made');
  });

  test('nothing of it is kept: no file is written', async () => {
    const at = await chatting();
    const run = await at.chat(['one'], await scripted(at.repository, [says('first')]));
    expect(run.exit).toBe(0);
    expect(await readdir(at.place.state).catch(() => [])).toEqual([]);
    expect(await readdir(at.place.home)).toEqual([]);
  });
});

describe('/skills and /skill', () => {
  const OWN = {
    'skills/mine.md': skill('mine', 'My words.', ['keywords: [minekey]']),
    'skills/for-code/SKILL.md': skill('for-code', 'Code.', ['applies_to: [code]']),
    'rules/off.md': skill('off', 'Off.', ['always_on: false']),
    'rules/on.md': skill('on', 'On.'),
  };

  test('marks follow what is loaded and unloaded, and what is told stands on stderr', async () => {
    const at = await chatting(OWN, { '.bnerd/skills/strange.md': skill('strange', 'Strange.') });
    const model = await scripted(at.repository, [says('ok')]);
    const run = await at.chat(
      [
        '/skills',
        '/skill load off',
        '/skill load for-code',
        '/skill unload on',
        'the minekey',
        '/skills',
        '/skill load strange',
      ],
      model,
    );
    expect(run.exit).toBe(0);
    const [before = '', after = ''] = run.stdout.split(LEGEND);
    const marks = (listing: string): Record<string, string> =>
      Object.fromEntries(
        listing.split('\n').flatMap((line) => {
          const [, mark = '', name = ''] = /^([*+ ]) (\S+) +\[(?:rule|skill)\]/.exec(line) ?? [];
          return ['mine', 'for-code', 'off', 'on', 'strange'].includes(name) ? [[name, mark]] : [];
        }),
      );
    expect(marks(before)).toEqual({ off: ' ', on: '*', 'for-code': ' ', mine: '+' });
    expect(marks(after)).toEqual({ off: '*', on: ' ', 'for-code': '*', mine: '*' });
    expect(run.stderr).toContain('  "off" is loaded\n');
    expect(run.stderr).toContain('  "on" is unloaded\n');
    expect(run.stderr).toContain('  mine is active (keyword "minekey")\n');
    expect(run.stderr).toMatch(/ {2}"strange" was not loaded: not used: nobody has approved it/);
    expect(run.stderr).toContain('not used: .bnerd/skills/strange.md (untrusted; bnerd trust)\n');
    expect(run.stdout).not.toContain('strange');
  });

  test('what it says of the three built-in entries of the sample is the sample, byte for byte', async () => {
    const at = await chatting();
    const run = await at.chat(
      ['/skills'],
      ['--mode', 'chat', ...(await scripted(at.repository, [says('x')]))],
    );
    const named = /^. (?:k8s-security|flux|terraform) |^(?!. .*\])/;
    const lines = run.stdout.split('\n').filter((line) => named.test(line));
    expect(lines.join('\n')).toBe(
      `* k8s-security         [rule]  Pod Security Standards and securityContext hardening (builtin)
+ flux                 [skill] Flux v2 API types, reconciliation loop, and image automation (builtin)
  terraform            [skill] Terraform provider usage and module patterns (builtin)
${LEGEND}`,
    );
  });

  test('chat.skills of the settings limits what is offered', async () => {
    const at = await chatting(OWN);
    await writeFile(join(at.place.home, '.bnerd.yaml'), 'chat: { skills: ["fl*"] }\n');
    const run = await at.chat(['/skills'], await scripted(at.repository, [says('x')]));
    const offered = run.stdout.split('\n').filter((line) => line.startsWith('+ '));
    expect(offered.map((line) => line.split(/ +/)[1])).toEqual(['flux']);
  });

  test.each([
    ['/skill', 'write /skill load <name> or /skill unload <name>'],
    ['/skill load', 'write /skill load <name> or /skill unload <name>'],
    ['/skill eat it', 'write /skill load <name> or /skill unload <name>'],
    [
      '/skils',
      '/skils is no command here; /help lists them, and a line that begins with a blank is sent as it is',
    ],
    ['/skill load flx', '"flx" was not loaded: no rule or skill is called that; did you mean "flux"?'],
    ['/skill unload flx', 'no rule or skill is called "flx"'],
  ])('%s is told how to write it', async (line, told) => {
    const at = await chatting();
    const run = await at.chat([line], await scripted(at.repository, [says('never')]));
    expect(run.stderr).toContain(`  ${told}\n`);
    expect(run.stdout).toBe('');
    expect(run.exit).toBe(0);
  });
});

describe('a chat is refused before it begins, with exit 2', () => {
  test.each([
    [
      'an unknown mode',
      ['--mode', 'talk'],
      '--mode: error bad-value "talk" is not allowed here; allowed: chat, code, pa',
    ],
    ['an unknown role', ['--role', 'code-reviwer'], 'did you mean "code-reviewer"?'],
    [
      'a looser safety',
      ['--safety', 'full'],
      '--safety full is looser than the floor of the mode chat read-only; allowed: read-only',
    ],
    ['no model', [], 'no-model'],
  ])('%s', async (_, words, told) => {
    const place = await bnerdPlace();
    const run = await bnerd(['chat', ...words], { place, stdin: 'hello\n' });
    expect(run.exit).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain(told);
  });

  test('a governed source with an error, of which every finding is printed', async () => {
    const place = await bnerdPlace();
    const mission = join(place.root, 'mission');
    await putFiles(mission, {
      '.bnerd/context.md': '---\nskills: governed\n---\n',
      'orchestrator/skills/bad/SKILL.md': '---\nname: bad\n---\nx\n',
    });
    await writeFile(
      join(place.work, 'talk.yaml'),
      stringify({ script: 1, roles: { chat: { turns: [says('x')] } } }),
    );
    const words = ['chat', '--mission-repo', mission, '--model', 'script/talk.yaml'];
    const run = await bnerd(words, { place, stdin: 'hello\n' });
    expect(run.exit).toBe(2);
    expect(run.stderr).toMatch(/orchestrator\/skills\/bad\/SKILL\.md.*error/);
  });

  test('a rule that was kept is told once, in the words of the contract', async () => {
    const at = await chatting({ 'skills/k8s-security.md': skill('k8s-security', 'Mine.') });
    const run = await at.chat(['/skills', '/skills'], await scripted(at.repository, [says('x')]));
    expect(run.stderr.split('Warning: global "k8s-security" declares kind "skill"').length - 1).toBe(1);
    expect(run.exit).toBe(0);
  });
});

describe('--role', () => {
  test('plays the role: its tools as far as the mode admits them, the model of its name', async () => {
    const at = await chatting({
      'roles/keeper.md':
        '---\nname: keeper\ndescription: Keeps\ntools: Read, Write, Bash\npermissionMode: plan\n---\nYou keep.\n',
    });
    const model = await scripted(
      at.repository,
      [
        {
          steps: [
            { calls: [{ tool: 'fs_write_file', args: {} }] },
            { capture: { said: '^(.+)$' }, text: '{{said}}' },
          ],
        },
      ],
      'keeper',
    );
    const run = await at.chat(['write'], ['--role', 'Keeper', '--mode', 'code', ...model]);
    expect(run.stdout).toBe('unknown tool "fs_write_file"; did you mean "fs_read_file"?\n');
    expect(run.stderr).toContain('`permissionMode: plan` is not in effect in a chat');
    expect(run.exit).toBe(0);
  });

  test('a role that lists a skill nobody has is refused', async () => {
    const at = await chatting({
      'roles/keeper.md': '---\nname: keeper\ndescription: Keeps\nskills: [flx]\n---\nYou keep.\n',
    });
    const run = await at.chat(
      ['hi'],
      ['--role', 'keeper', ...(await scripted(at.repository, [says('x')], 'keeper'))],
    );
    expect(run.exit).toBe(2);
    expect(run.stderr).toContain('did you mean "flux"?');
  });
});
