import { describe, expect, test } from 'vitest';
import { noAdditions, parseAdditions } from '../../../src/skills/choose/additions.js';

const parse = (text: string): ReturnType<typeof parseAdditions> => parseAdditions(text, 'BNERD_AGENT_SKILLS');

describe('the text of additions', () => {
  test.each(['', '  \n'])('%j adds nothing', (text) => {
    expect(parse(text)).toEqual({ additions: noAdditions('BNERD_AGENT_SKILLS'), findings: [] });
  });

  test('plain names are for every role', () => {
    expect(parse('a, b').additions).toMatchObject({ everyone: ['a', 'b'], byRole: new Map() });
  });

  test('role=a,b;role2=c names roles, blanks do not count', () => {
    const { additions } = parse(' writer = a , b ; code-reviewer=c ');
    expect(additions.everyone).toEqual([]);
    expect(additions.byRole).toEqual(
      new Map([
        ['writer', ['a', 'b']],
        ['codereviewer', ['c']],
      ]),
    );
  });

  test('two spellings of one role are one role', () => {
    expect(parse('code-reviewer=a;Code Reviewer=b').additions.byRole).toEqual(
      new Map([['codereviewer', ['a', 'b']]]),
    );
  });

  test.each(['a,,b', ',a', 'a,', 'r=', 'r=a,', '=a', 'r=a;', ';', 'r=a;b', 'r=a=b', 'r=a;;s=b'])(
    '%j is bad syntax: an error and nothing added',
    (text) => {
      const { additions, findings } = parse(text);
      expect(additions).toEqual(noAdditions('BNERD_AGENT_SKILLS'));
      expect(findings.length).toBeGreaterThan(0);
      for (const finding of findings) {
        expect(finding).toMatchObject({
          code: 'additions-syntax',
          severity: 'error',
          path: 'BNERD_AGENT_SKILLS',
        });
      }
    },
  );
});
