import { expect, test } from 'vitest';
import { shownPath, valueAt } from '../../src/shared/key-path.js';

test('a path is shown as it would be written in a program', () => {
  expect(shownPath(['tasks', 1, 'gates', 0])).toBe('tasks[1].gates[0]');
  expect(shownPath([])).toBe('');
});

test.each([
  [['a', 1, 'b'], 'found'],
  [[], { a: [0, { b: 'found' }] }],
  [['a', 7], undefined],
  [['a', 'length'], 2],
  [['constructor'], undefined],
  [['a', 0, 'toFixed'], undefined],
])('at %j stands %j, and nothing that is inherited', (path, value) => {
  expect(valueAt({ a: [0, { b: 'found' }] }, path)).toEqual(value);
});
