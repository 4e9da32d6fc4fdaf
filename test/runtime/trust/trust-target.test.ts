// Which file a word means, in a repository whose author chooses the names of everything in it.
import { expect, test } from 'vitest';
import type { TrustSubject } from '../../../src/runtime/trust/trust-subjects.js';
import { revokedFile, targetOf } from '../../../src/runtime/trust/trust-target.js';

function role(name: string, path: string): TrustSubject {
  const file = { kind: 'role', tier: 'project', root: '/repo', path } as const;
  return { kind: 'role', name, path: `/repo/${path}`, file, state: { kind: 'unreadable', findings: [] } };
}

const reviewer = role('code-reviewer', '.claude/agents/code-reviewer.md');
const evil = role('.claude/agents/code-reviewer.md', '.claude/agents/evil.md');
const subjects = [evil, reviewer];

/** A word typed in the root of the repository; `real` where a link of that name leads to. */
const target = (typed: string, real = `/repo/${typed}`) =>
  targetOf(subjects, typed, [`/repo/${typed}`, real]);

test('a path as it is written means that file, whatever other files are called', () => {
  expect(target('.claude/agents/code-reviewer.md')).toEqual({ kind: 'found', subject: reviewer });
});

test.each(['code-reviewer', 'Code_Reviewer'])(
  '%s means the role, unless a link of that name leads to another file',
  (typed) => {
    expect(target(typed)).toEqual({ kind: 'found', subject: reviewer });
    expect(target(typed, reviewer.path)).toEqual({ kind: 'found', subject: reviewer });
    const confused = target(typed, evil.path);
    expect(confused).toMatchObject({ kind: 'refused', findings: [{ code: 'ambiguous-name' }] });
    expect(revokedFile(subjects, [], typed, [`/repo/${typed}`, evil.path])).toEqual(confused);
  },
);

test('a link that is called like no other file means the one it leads to', () => {
  expect(target('link', evil.path)).toEqual({ kind: 'found', subject: evil });
});
