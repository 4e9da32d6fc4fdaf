import { expect, test } from 'vitest';
import { resultCause, resultStatus } from '../../src/delegate/brief/result.js';
import { STEPS } from '../../src/delegate/runner/lines.js';
import { briefCause, briefEnd, briefStep } from '../../src/events/facts/briefs.js';
import { newKeyPair } from '../../src/shared/signature.js';
import type { BriefResult } from '../../src/team/command.js';
import { aBrief, resultOrder } from '../helpers/briefs.js';
import { delegated, ending } from '../helpers/build-brief.js';

test('the record has a word for every end, cause and step that a runner can tell', () => {
  expect(briefEnd.options).toEqual(resultStatus.options);
  expect(briefCause.options).toEqual([...resultCause.options, 'block_mismatch']);
  expect(briefStep.options).toEqual([...STEPS, 'stalled']);
});

test('a result as a runner signs it is one as the team decides by', () => {
  const { team, brief } = delegated({}, { verify: [] });
  const result: BriefResult = resultOrder(aBrief(newKeyPair()), { sent_block: 'b'.repeat(64) });
  expect(team.ok({ ...ending(team.state, brief), result, delivery: { kind: 'nothing' } })).toContainEqual(
    expect.objectContaining({ type: 'brief.ended', status: 'completed', cost_usd: 0.1 }),
  );
});
