// The section `shell` of the settings file.
import { expect, test } from 'vitest';
import { NO_SETTINGS } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';

const parsed = (text: string) => parseSettings(text);

test('names a program and its words, as they are written', () => {
  const found = parsed('shell: {wrap: [bwrap, --ro-bind, /, /, "--dev", /dev, "two words"]}');
  expect(found).toMatchObject({
    value: { shell: { wrap: ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', 'two words'] } },
  });
});

test.each(['', 'shell: {}', 'shell: {wrap: []}'])('nothing is said by %j', (text) => {
  expect(parsed(text)).toMatchObject({ value: { shell: NO_SETTINGS.shell } });
});

test.each([
  ['shell: {wrap: bwrap}', 'shell.wrap', 'list'],
  ['shell: {wrap: [""]}', 'shell.wrap', 'a program and its words'],
  ['shell: {wrap: [1]}', 'shell.wrap[0]', 'text'],
  ['shell: {wraps: [x]}', '"wraps" is no key of shell', 'wrap'],
  ['shell: {Wrap: [x]}', 'Wrap', 'allowed: "wrap"'],
  ['Shell: {wrap: [x]}', 'Shell', 'allowed: "shell"'],
])('%j is refused: %s', (text, place, allowed) => {
  const found = parsed(text);
  if (found.kind !== 'refused') throw new Error('it was taken');
  const [finding] = found.findings;
  expect(`${finding?.message} ${finding?.remedy}`).toContain(place);
  expect(`${finding?.message} ${finding?.remedy}`).toContain(allowed);
});
