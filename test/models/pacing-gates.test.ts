import { expect, test } from 'vitest';
import { Gates, gateOf } from '../../src/models/pacing-gates.js';
import type { ProviderDoor } from '../../src/models/providers/door.js';
import { openFar, WIRES } from '../helpers/providers/open-far.js';

const door = (key: string, more: Partial<ProviderDoor> = {}): ProviderDoor => ({
  baseUrl: null,
  region: null,
  credential: { kind: 'key', variable: 'ANTHROPIC_API_KEY', key },
  ...more,
});

test('models of one provider and key share a gate; another key, provider or address has its own', () => {
  const gate = gateOf('anthropic', door('one'));
  expect(gateOf('anthropic', door('one'))).toBe(gate);
  const others = [
    gateOf('anthropic', door('two')),
    gateOf('openai', door('one')),
    gateOf('anthropic', door('one', { baseUrl: 'http://127.0.0.1:1' })),
    gateOf('anthropic', door('one', { region: 'eu-central-1' })),
    gateOf('anthropic', door('', { credential: { kind: 'token', variable: 'T', token: 'one' } })),
    gateOf('anthropic', door('', { credential: { kind: 'none' } })),
  ];
  expect(new Set([gate, ...others]).size).toBe(7);
});

test.each(WIRES)(
  'models of %s that are opened with one key stand before one gate, with another key not',
  async (wire) => {
    const gates = new Gates();
    const url = 'http://127.0.0.1:9';
    const one = await openFar(wire, url, { name: 'one' });
    const other = await openFar(wire, url, { name: 'other' });
    const credential = { kind: 'key', variable: 'TEST_API_KEY', key: 'sk-test-another-one' } as const;
    const elsewhere = await openFar(wire, url, { name: 'one', credential });
    expect(gates.of(other)).toBe(gates.of(one));
    expect(gates.of(elsewhere)).not.toBe(gates.of(one));
  },
);

test('the name of a gate says nothing of the key', () => {
  expect(gateOf('anthropic', door('sk-very-secret'))).toMatch(/^[0-9a-f]{64}$/);
});

test('a process has one pacer a gate, and one for each model that names none', () => {
  const gates = new Gates();
  const opus = gates.of({ id: 'anthropic/opus', gate: 'x' });
  expect(gates.of({ id: 'anthropic/haiku', gate: 'x' })).toBe(opus);
  expect(gates.of({ id: 'script/a.yaml' })).toBe(gates.of({ id: 'script/a.yaml' }));
  expect(gates.of({ id: 'script/b.yaml' })).not.toBe(gates.of({ id: 'script/a.yaml' }));
});
