import { describe, expect, test } from 'vitest';
import { toolSchema } from '../../../src/skills/parse/tool-schema.js';

function whyNot(parameters: Record<string, unknown>): string {
  const schema = toolSchema(parameters);
  return schema.kind === 'usable' ? 'usable' : schema.why;
}

function problems(parameters: Record<string, unknown>, args: unknown): readonly string[] {
  const schema = toolSchema(parameters);
  if (schema.kind === 'unusable') throw new Error(schema.why);
  return schema.problems(args);
}

describe('S1 what cannot be checked whole is unusable', () => {
  test.each([
    ['an unknown keyword', { properties: { a: { type: 'string', maxLenght: 3 } } }, /maxLenght/],
    ['an unknown type', { properties: { a: { type: 'text' } } }, /type/],
    ['a limit that is no number', { properties: { a: { type: 'string', maxLength: 'three' } } }, /maxLength/],
    ['a reference out of it', { properties: { a: { $ref: 'https://example.org/a.json' } } }, /example\.org/],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }, /none/],
    ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }, /leads in a circle/],
    ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }, /draft-04/],
    ['a pattern that is none', { properties: { a: { type: 'string', pattern: '(' } } }, /\(/],
    ['properties that are none', { properties: 'all' }, /properties/],
  ])('%s', (_what, parts, says) => {
    expect(whyNot({ type: 'object', ...parts })).toMatch(says);
  });

  test.each([
    ['format', { properties: { a: { type: 'string', format: 'no-such-format' } } }],
    ['its own definitions', { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } }],
    ['several types', { properties: { a: { type: ['string', 'null'] } } }],
    [
      'a default, a title and examples',
      { properties: { a: { type: 'string', title: 'A', default: '', examples: ['x'] } } },
    ],
    ['the draft by name', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['nothing more', {}],
  ])('%s is usable', (_what, parts) => {
    expect(whyNot({ type: 'object', ...parts })).toBe('usable');
  });
});

describe('S2 it describes one object', () => {
  test.each([
    [{}, /type: object/],
    [{ type: 'string' }, /type: object/],
    [{ type: ['object', 'null'] }, /type: object/],
    [{ type: 'object', anyOf: [{}] }, /"anyOf" may not stand at its top/],
    [{ type: 'object', $ref: '#/$defs/a', $defs: { a: {} } }, /"\$ref" may not stand at its top/],
    [{ type: 'object', $async: true }, /"\$async" may not stand at its top/],
  ])('%j', (parameters, says) => {
    expect(whyNot(parameters)).toMatch(says);
  });
});

describe('what is wrong with arguments', () => {
  const parameters = {
    type: 'object',
    properties: {
      env: { enum: ['staging', 'prod'] },
      where: {
        type: 'object',
        properties: { host: { type: 'string' } },
        required: ['host'],
        additionalProperties: false,
      },
      left: { type: 'string', pattern: '^l' },
      right: { type: 'string', pattern: '^r' },
    },
    required: ['env'],
    additionalProperties: false,
  };

  test('each argument by its path, with what was found and what is allowed', () => {
    expect(problems(parameters, { env: 'prod', left: 'l', right: 'r' })).toEqual([]);
    expect(problems(parameters, { evn: 'x', where: { prot: 1 }, left: 'r', right: 'l' })).toEqual([
      'argument "env": found nothing; allowed: a value',
      'unknown argument "evn"; did you mean "env"?',
      'argument "where.host": found nothing; allowed: a value',
      'unknown argument "where.prot"; known: host',
      'argument "left": found "r"; allowed: must match pattern "^l"',
      'argument "right": found "l"; allowed: must match pattern "^r"',
    ]);
    expect(problems(parameters, { env: 'production' })).toEqual([
      'argument "env": found "production"; allowed: equal to one of the allowed values: ["staging","prod"]',
    ]);
  });

  test('what is no object, and keys that mean something to programs, are found out', () => {
    for (const args of [undefined, null, 7, 'text', []]) {
      expect(problems(parameters, args)).toEqual([
        expect.stringMatching(/^found .*; allowed: a JSON object$/),
      ]);
    }
    const hostile: unknown = JSON.parse('{"env":"prod","__proto__":{"a":1},"constructor":1}');
    expect(problems(parameters, hostile)).toHaveLength(2);
  });
});
