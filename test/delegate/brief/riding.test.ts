import { describe, expect, test } from 'vitest';
import { arrived, ride } from '../../../src/delegate/brief/riding.js';
import { anEntry } from '../../skills/entries.js';

const craft = anEntry({ name: 'craft', version: '1.2.0', origin: 'proprietary', body: 'Small steps.' });
const rule = anEntry({
  kind: 'rule',
  name: 'a-rule',
  version: '0.1.0',
  origin: 'third-party',
  license: 'MIT',
  upstream: 'https://example.org/x@v1',
  allowedTools: [],
  appliesTo: ['team'],
  keywords: ['x'],
});

function riding() {
  const made = ride([craft, rule]);
  if (made.kind === 'refused') throw new Error(JSON.stringify(made.refusals));
  return JSON.parse(JSON.stringify(made.riding)) as typeof made.riding;
}

describe('an entry rides', () => {
  test('sorted by name, and arrives as it was', () => {
    const sent = riding();
    expect(sent.map(({ name }) => name)).toEqual(['a-rule', 'craft']);
    const there = arrived(sent);
    expect(there).toMatchObject({ kind: 'entries' });
    if (there.kind === 'entries') expect(ride(there.entries)).toEqual({ kind: 'rides', riding: sent });
  });

  test.each([
    ['a body', { body: 'Small steps!' }],
    ['a description', { description: 'another' }],
    ['a version', { version: '1.2.1' }],
    ['that it is always on', { always_on: true }],
    ['allowed tools that were not declared', { allowed_tools: [] }],
    ['a capability', { requires: ['shell' as const] }],
  ])('not with %s that was changed on the way: all are refused, this one by name', (_, change) => {
    const sent = riding().map((one) => (one.name === 'craft' ? { ...one, ...change } : one));
    expect(arrived(sent)).toMatchObject({
      kind: 'refused',
      refusals: [{ name: 'craft', reason: expect.stringContaining('the brief names 1:') }],
    });
  });

  test('not when it is rendered in another way where it arrives', () => {
    const sent = riding().map((one) => ({ ...one, rendered_sha256: '0'.repeat(64) }));
    expect(arrived(sent)).toMatchObject({
      refusals: [
        { name: 'a-rule', reason: expect.stringContaining('rendered in another way') },
        { name: 'craft' },
      ],
    });
  });

  const tool = { name: 't', description: '', parameters: {}, run: ['x'], class: 'read' as const };
  test.each([
    ['no version', { version: null }, 'no semantic version'],
    ['no origin', { origin: null }, 'origin is neither'],
    [
      'a foreign one without licence',
      { origin: 'third-party', license: null },
      'does not name licence and source',
    ],
    ['tools of its own', { tools: [tool] }, 'brings tools of its own'],
    [
      'a source that would close its comment',
      { origin: 'third-party', license: 'MIT', upstream: 'https://x@a-->' },
      'end of the comment',
    ],
  ])('not with %s', (_, change, reason) => {
    const made = ride([rule, anEntry({ name: 'bad', version: '1.0.0', origin: 'proprietary', ...change })]);
    expect(made).toEqual({
      kind: 'refused',
      refusals: [{ name: 'bad', reason: expect.stringContaining(reason) }],
    });
  });
});
