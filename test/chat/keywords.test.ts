import { describe, expect, test } from 'vitest';
import { keywordIn } from '../../src/chat/keywords.js';

describe('a keyword in a message of the user', () => {
  test.each([
    ['helm', 'Fix the HELM chart', 'helm'],
    ['helm', 'fix it (helm).', 'helm'],
    ['Ärger', 'viel ärger heute', 'Ärger'],
    ['café', 'a cafe\u0301 in Paris', 'café'],
    ['pull request', 'the pull\n  request is open', 'pull request'],
    ['c++', 'some c++ code', 'c++'],
    ['развертывание', 'Развертывание упало', 'развертывание'],
    ['flux', 'flux-system is broken', 'flux'],
  ])('%j is found in %j', (keyword, message, found) => {
    expect(keywordIn(['other', keyword], message)).toBe(found);
  });

  test.each([
    ['helm', 'overwhelm and helmet'],
    ['ser', 'Straßer'],
    ['cafe', 'a café'],
    ['plan', 'plan_b and 1plan'],
    ['pull request', 'pullrequest'],
    ['a.b', 'axb'],
    ['', 'anything'],
    ['  ', 'anything  else'],
    ['日本', '日本語'],
  ])('%j is not found in %j: whole words, every character for itself', (keyword, message) => {
    expect(keywordIn([keyword], message)).toBeUndefined();
  });
});
