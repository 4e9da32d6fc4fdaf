// spec/team.md §8 `bnerd config show --origin`, `bnerd schema`: what holds here, and why.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';

const FILE = `other-program: {token: theirs}
model: anthropic/claude
run:
  grace: 9s
skills:
  disabled: [old-style]
  guards: {exfiltration: off}
chat: {skills: []}
`;

describe('config show', () => {
  test('every setting with its value and its origin; keys are only said to be set', async () => {
    const place = await bnerdPlace();
    await writeFile(join(place.home, '.bnerd.yaml'), FILE);
    const env = { ANTHROPIC_API_KEY: 'sk-ant-hush-1234567890', BNERD_QUIET: 'yes' };
    const show = await bnerd(['config', 'show', '--origin', '--auto-approve', 'safe'], { place, env });
    expect(show).toMatchObject({ exit: 0, stderr: '' });
    const line = (name: string) => show.stdout.split('\n').find((one) => one.startsWith(`${name} `)) ?? '';
    expect(line('auto-approve')).toMatch(/ safe +--auto-approve$/);
    expect(line('quiet')).toMatch(/ yes +BNERD_QUIET$/);
    expect(line('grace')).toMatch(/ 9s +~\/\.bnerd\.yaml:4$/);
    expect(line('model')).toMatch(/ anthropic\/claude +~\/\.bnerd\.yaml:2$/);
    expect(line('safety')).toMatch(/ the recipe's floor; .* +default$/);
    expect(line('skills.disabled[0]')).toMatch(/ old-style +~\/\.bnerd\.yaml:6$/);
    expect(line('skills.guards.exfiltration')).toMatch(/ off +~\/\.bnerd\.yaml:7$/);
    expect(line('chat.skills')).toMatch(/ \[\] +~\/\.bnerd\.yaml:8$/);
    expect(line('ANTHROPIC_API_KEY')).toMatch(/ set \(ANTHROPIC_API_KEY\) +ANTHROPIC_API_KEY$/);
    expect(show.stdout).not.toMatch(/hush|theirs|other-program/);
    const plain = await bnerd(['config', 'show'], { place, env });
    expect(plain.stdout).toMatch(/^grace +9s$/m);
    const { v, settings } = JSON.parse((await bnerd(['config', 'show', '--json'], { place, env })).stdout);
    expect(v).toBe(1);
    expect(settings).toContainEqual({
      name: 'grace',
      values: ['9s'],
      default: '5s',
      origin: { kind: 'file', place: '~/.bnerd.yaml', line: 4 },
    });
  });

  test('a bad value is shown and said to be bad: exit 1', async () => {
    const show = await bnerd(['config', 'show'], { env: { BNERD_SAFETY: 'none' } });
    expect(show.exit).toBe(1);
    expect(show.stdout).toMatch(/^safety +none$/m);
    expect(show.stderr).toMatch(/^BNERD_SAFETY: error bad-value "none" .*read-only/m);
  });

  test('a broken settings file hides nothing else: exit 1 with the line', async () => {
    const place = await bnerdPlace();
    await writeFile(join(place.home, '.bnerd.yaml'), 'a: 1\nrun: {grac: 3s}\n');
    const show = await bnerd(['config', 'show'], { place });
    expect(show.exit).toBe(1);
    expect(show.stdout).toMatch(/^grace +5s$/m);
    expect(show.stderr).toMatch(/^~\/\.bnerd\.yaml:2: error unknown-key .*did you mean "grace"/m);
  });

  test('a bound that is not read is said with the default that holds: exit 0', async () => {
    const place = await bnerdPlace();
    await writeFile(join(place.home, '.bnerd.yaml'), 'skills: {max-bytes: -5}\n');
    const show = await bnerd(['config', 'show'], { place });
    expect(show.exit).toBe(0);
    expect(show.stderr).toMatch(/^~\/\.bnerd\.yaml:1: warning default-max-bytes .* 24000 bytes holds/m);
  });

  test('a variable that nothing reads is said', async () => {
    const show = await bnerd(['config', 'show'], { env: { BNERD_SAFTEY: 'full' } });
    expect(show.exit).toBe(0);
    expect(show.stderr).toMatch(/^BNERD_SAFTEY: warning unknown-variable .*did you mean "BNERD_SAFETY"/m);
  });
});

test.each([
  ['recipe', 'urn:bnerd:schema:recipe:1'],
  ['role', 'urn:bnerd:schema:role:1'],
  ['events', 'urn:bnerd:schema:event-line:1'],
])('schema %s prints one JSON Schema with a name of its own', async (kind, id) => {
  const schema = await bnerd(['schema', kind]);
  expect(schema).toMatchObject({ exit: 0, stderr: '' });
  expect(JSON.parse(schema.stdout)).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    title: expect.stringContaining('bnerd'),
  });
});
