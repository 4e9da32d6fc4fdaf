import { expect, test } from 'vitest';
import { sha256 } from '../../src/shared/digest.js';
import { REQUEST_TOOLS, requestCall } from '../../src/tools/request-tools.js';

test('a question and a plan carry their whole text and its digest', () => {
  expect(requestCall('ask_question', { question: 'Which one?' })).toEqual({
    kind: 'request',
    request: 'question',
    text: 'Which one?',
    digest: sha256('Which one?'),
    arguments: { question: 'Which one?' },
  });
  expect(requestCall('team_plan_submit', { plan: 'first\nthen' })).toMatchObject({
    request: 'plan',
    text: 'first\nthen',
    digest: sha256('first\nthen'),
  });
});

test.each([
  ['nothing', undefined, 'found nothing'],
  ['an empty question', { question: '' }, 'argument "question": found ""'],
  ['no text', { question: 7 }, 'argument "question": found 7'],
  ['another name', { qestion: 'x' }, 'unknown argument "qestion"; did you mean "question"?'],
  ['raw text', '{"question": ', 'not a JSON object'],
])('%s is refused by name', (_what, args, says) => {
  const asked = requestCall('ask_question', args);
  expect(asked).toMatchObject({ kind: 'refused', text: expect.stringContaining(says) });
});

test('both show an object schema without room for other arguments', () => {
  for (const { parameters } of Object.values(REQUEST_TOOLS))
    expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
});
