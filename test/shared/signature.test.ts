import { createPublicKey, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBrief, readResult } from '../../src/delegate/brief/read.js';
import { checkSignature, newKeyPair, readPublicKey, signed } from '../../src/shared/signature.js';
import { aBrief, accepted, briefOrder, resultOrder } from '../helpers/briefs.js';

const worker = newKeyPair();
const runner = newKeyPair();
const keys = [accepted(worker, 'worker'), accepted(runner, 'runner')];

const A_RULE = {
  tool: 'shell_exec',
  match: 'rm *',
  form: 'rule',
  decision: 'deny',
  origin: 'recipe',
} as const;

describe('a signature', () => {
  test('of an accepted key is taken, and says whose it is', () => {
    expect(checkSignature('brief', aBrief(worker), keys)).toEqual({ kind: 'signed', by: keys[0] });
    const result = signed('result', resultOrder(aBrief(worker)), runner);
    expect(checkSignature('result', result, keys)).toMatchObject({ kind: 'signed', by: { role: 'runner' } });
  });

  test('is plain Ed25519 over the domain line and the sorted JSON', () => {
    const value = signed('brief', { b: 'é\n', a: [1.5, null, { d: true, c: 1e21 }] }, worker);
    const text = `bnerd brief 1\n{"a":[1.5,null,{"c":1e+21,"d":true}],"b":"é\\n","key_id":"${worker.id}"}`;
    const spki = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(worker.key, 'base64url'),
    ]);
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(verify(null, Buffer.from(text), key, Buffer.from(value.signature, 'base64url'))).toBe(true);
  });

  test('holds for a value that has been to JSON and back, in any order of members', () => {
    const brief = aBrief(worker, { goal: 'Ünïcode \u2028 😀 "quoted"' });
    const turned = Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(brief))).reverse());
    expect(checkSignature('brief', turned, keys).kind).toBe('signed');
  });

  test('does not hold for any value in which one byte is another', () => {
    const text = JSON.stringify(aBrief(worker, { constraints: ['none'], labels: ['gpu'], deny: [A_RULE] }));
    const bytes = Buffer.from(text);
    void fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ flip;
        const read = readBrief(changed.toString('utf8'));
        if (read.kind === 'refused') return;
        expect(checkSignature('brief', read.value, keys).kind).toBe('refused');
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['none', { ...aBrief(worker), signature: '' }, keys, 'unsigned'],
    ['one of a stranger', aBrief(newKeyPair()), keys, 'unknown_key'],
    ['one of a retired key', aBrief(worker), [accepted(worker, 'worker', { retired: true })], 'retired_key'],
    ['a runner’s under a brief', aBrief(runner), keys, 'wrong_role'],
    [
      'another brief’s',
      { ...aBrief(worker), signature: aBrief(worker, { goal: 'x' }).signature },
      keys,
      'bad_signature',
    ],
    [
      'a result’s under a brief',
      { ...briefOrder(), ...signed('result', briefOrder(), worker) },
      keys,
      'bad_signature',
    ],
  ])('refused: %s', (_, value, known, code) => {
    expect(checkSignature('brief', value, known)).toMatchObject({ kind: 'refused', code });
  });

  test('of a worker makes no result', () => {
    const result = signed('result', resultOrder(aBrief(worker)), worker);
    expect(checkSignature('result', result, keys)).toMatchObject({ code: 'wrong_role' });
    expect(readResult(JSON.stringify(result)).kind).toBe('read');
  });
});

describe('a public key', () => {
  test('is read as it is written, and named by its id', () => {
    expect(readPublicKey(worker.key)).toEqual({ id: worker.id, key: worker.key });
  });

  test.each([[''], [`${worker.key}A`], [`${worker.key.slice(0, -1)}!`]])('refused: %j', (text) => {
    expect(readPublicKey(text)).toBeUndefined();
  });

  test('has one text: of the 64 letters at its end, the 16 without stray bits are read', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const read = [...letters].filter((last) => readPublicKey(worker.key.slice(0, -1) + last) !== undefined);
    expect(read).toEqual([...letters].filter((_, value) => value % 4 === 0));
  });
});
