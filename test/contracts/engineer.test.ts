import { expect, test } from 'vitest';
import { ENGINEER_KINDS, engineerOf } from '../../src/delegate/engineers/kinds.js';
import { engineerContract } from './engineer.js';

for (const kind of ENGINEER_KINDS) {
  const engineer = engineerOf(kind);
  if (engineer !== undefined) engineerContract(engineer);
}

test('every kind is found by its name, and no other', () => {
  expect(ENGINEER_KINDS.map((kind) => engineerOf(kind)?.kind)).toEqual(ENGINEER_KINDS);
  expect(engineerOf('nobody')).toBeUndefined();
});
