import { describe, expect, test } from 'vitest';
import { didYouMean, nameRemedy } from '../../src/shared/did-you-mean.js';

const ALLOWED = ['lead', 'writer', 'reviewer'];

describe('didYouMean', () => {
  test.each([
    ['wirter', 'writer'],
    ['reviwer', 'reviewer'],
    ['lad', 'lead'],
    ['writers', 'writer'],
  ])('%s is a slip for %s', (found, meant) => {
    expect(didYouMean(found, ALLOWED)).toBe(meant);
  });

  test.each(['architect', 'xx', 'q', ''])('"%s" is a slip for none of them', (found) => {
    expect(didYouMean(found, ALLOWED)).toBeUndefined();
  });

  test('a short name of which no letter is right is no slip', () => {
    expect(didYouMean('ab', ['xy'])).toBeUndefined();
    expect(didYouMean('a', ['b'])).toBeUndefined();
  });

  test('nothing is near when nothing is allowed', () => {
    expect(didYouMean('lead', [])).toBeUndefined();
  });
});

describe('nameRemedy', () => {
  test('asks about the nearest name, else lists what is known in order', () => {
    expect(nameRemedy('leed', ALLOWED)).toBe('did you mean "lead"?');
    expect(nameRemedy('architect', ALLOWED)).toBe('known: lead, reviewer, writer');
    expect(ALLOWED).toEqual(['lead', 'writer', 'reviewer']);
  });

  test('says so when there is none', () => {
    expect(nameRemedy('lead', [])).toBe('none is known here');
  });
});
