import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BugError,
  CancelledError,
  CodedError,
  errorText,
  FatalError,
  RetryableError,
  systemCode,
  UserError,
} from '../../src/shared/errors.js';
import type { Finding } from '../../src/shared/findings.js';

describe('the five kinds', () => {
  test.each([
    ['UserError', UserError],
    ['RetryableError', RetryableError],
    ['FatalError', FatalError],
    ['CancelledError', CancelledError],
    ['BugError', BugError],
  ] as const)('%s has its name, a code, a message and its cause', (name, Kind) => {
    const cause = new Error('root');
    const error = new Kind('some-code', 'what happened', { cause });
    expect(error).toBeInstanceOf(CodedError);
    expect(error).toBeInstanceOf(Error);
    expect({ name: error.name, code: error.code, message: error.message, cause: error.cause }).toEqual({
      name,
      code: 'some-code',
      message: 'what happened',
      cause,
    });
  });

  test('a UserError carries its findings, none unless given', () => {
    const finding: Finding = {
      code: 'unknown-role',
      severity: 'error',
      path: 'r.md',
      message: 'no role "x"',
      remedy: 'known: lead',
    };
    expect(new UserError('bad-recipe', 'm', { findings: [finding] }).findings).toEqual([finding]);
    expect(new UserError('bad-recipe', 'm').findings).toEqual([]);
  });

  test('a RetryableError carries the wait that the far side asked for, when it did', () => {
    expect(new RetryableError('busy', 'm', { retryAfterMs: 250 }).retryAfterMs).toBe(250);
    expect(new RetryableError('busy', 'm').retryAfterMs).toBeUndefined();
  });
});

describe('errorText', () => {
  test('is the message of an error, else its name', () => {
    expect(errorText(new Error('no space'))).toBe('no space');
    expect(errorText(new TypeError())).toBe('TypeError');
    expect(errorText('just a text')).toBe('just a text');
    expect(errorText(undefined)).toBe('undefined');
  });

  test('tells a bundle of errors by what it holds, unless it has a message of its own', () => {
    const parts = [new Error('::1 refused'), new Error('127.0.0.1 refused')];
    expect(errorText(new AggregateError(parts))).toBe('::1 refused; 127.0.0.1 refused');
    expect(errorText(new AggregateError(parts, 'no address answers'))).toBe('no address answers');
    expect(errorText(new AggregateError([]))).toBe('AggregateError');
  });

  test('gives a text for anything that can be thrown', () => {
    const nameless = new Error('');
    nameless.name = '';
    const hostile = {
      toString() {
        throw new Error('hostile');
      },
    };
    for (const thrown of ['', nameless, hostile, Object.create(null), Symbol('s'), null]) {
      expect(errorText(thrown)).not.toBe('');
    }
    fc.assert(fc.property(fc.anything({ withNullPrototype: true }), (thrown) => errorText(thrown) !== ''));
  });
});

describe('systemCode', () => {
  test('is the code of an error of the system, and undefined for what has none', () => {
    expect(systemCode(Object.assign(new Error('gone'), { code: 'ENOENT' }))).toBe('ENOENT');
    for (const thrown of [new Error('x'), { code: 7 }, 'ENOENT', null, undefined]) {
      expect(systemCode(thrown)).toBeUndefined();
    }
  });
});
