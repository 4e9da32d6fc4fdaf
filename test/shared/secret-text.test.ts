import { expect, test } from 'vitest';
import { looksLikeKey, withoutUserInfo } from '../../src/shared/secret-text.js';

test.each([
  ['https://ann:secret@docs.example/a', 'https://…@docs.example/a'],
  ['https://ann@docs.example', 'https://…@docs.example'],
  ['HTTPS://ann:secret@docs.example', 'HTTPS://…@docs.example'],
  ['https://ann:sec@ret@docs.example', 'https://…@docs.example'],
  ['ftp://ann:secret@docs.example', 'ftp://…@docs.example'],
  ['git+ssh://ann:secret@docs.example', 'git+ssh://…@docs.example'],
  [' https://ann:secret@docs.example', ' https://…@docs.example'],
  [
    'see https://ann:secret@a.example and http://ben:secret@b.example',
    'see https://…@a.example and http://…@b.example',
  ],
  // As a browser reads them.
  ['https:ann:secret@docs.example', 'https:…@docs.example'],
  ['https:/ann:secret@docs.example', 'https:/…@docs.example'],
  ['https:\\\\ann:secret@docs.example', 'https:\\\\…@docs.example'],
  ['https:///ann:secret@docs.example', 'https:///…@docs.example'],
])('%j is shown as %j', (text, shown) => {
  expect(withoutUserInfo(text)).toBe(shown);
});

test.each([
  'https://docs.example/@ann',
  'https://docs.example?mail=ann@docs.example',
  'https://example.org/skills@v1.2.0',
  'docs/ann@home.md',
  'openai:model@date',
  'mailto:ann@docs.example',
])('%j has no user and stays', (text) => {
  expect(withoutUserInfo(text)).toBe(text);
});

test.each([
  ['sk-abcdefgh12345678', true],
  ['Bearer abc', true],
  ['AKIAABCDEFGHIJKL', true],
  ['claude-sonnet-4-5', false],
  ['ANTHROPIC_API_KEY', false],
])('%j looks like a key: %s', (text, is) => {
  expect(looksLikeKey(text)).toBe(is);
});
