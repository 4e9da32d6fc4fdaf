import { expect, test } from 'vitest';
import { parseRole } from '../../../src/catalog/roles/parse-role.js';
import { unseenFindings } from '../../../src/runtime/trust/unseen-findings.js';

const linesOf = (text: string): unknown[] =>
  unseenFindings('x.md', text, false).map(({ code, line }) => [code, line]);

test('an escape in a role that only a repair makes readable is seen as well', () => {
  const text = '---\nname: scribe\ndescription: Use: this\nmodel: "op\\u200Bus"\n---\nBody.\n';
  expect(parseRole({ path: 'x.md', tier: 'project', text }).kind).toBe('loaded');
  expect(linesOf(text)).toEqual([['unseen-character', 4]]);
});

test('what a repair takes literally is what stands there, escapes included', () => {
  const text = '---\nname: scribe\ndescription: Use: a \\u200B b\n---\nBody.\n';
  const load = parseRole({ path: 'x.md', tier: 'project', text });
  expect(load).toMatchObject({ kind: 'loaded', role: { description: 'Use: a \\u200B b' } });
  expect(linesOf(text)).toEqual([]);
});
