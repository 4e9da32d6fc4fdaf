import { expect, test } from 'vitest';
import { assertNever } from '../../src/shared/assert-never.js';

test('a value that should not exist is named in the error', () => {
  const value = { kind: 'surprise' } as never;
  expect(() => assertNever(value, 'outcome')).toThrow('unhandled outcome: {"kind":"surprise"}');
});
