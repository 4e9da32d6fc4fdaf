import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ride } from '../../../src/delegate/brief/riding.js';
import { blockDigest, composeBlock } from '../../../src/delegate/runner/compose.js';
import { anEntry } from '../../skills/entries.js';

const entry = (name: string, body = `Do ${name}.`) =>
  anEntry({ name, version: '1.0.0', description: '', origin: 'proprietary', body });
const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const tagged = (name: string, body = `Do ${name}.`) =>
  `<!-- provenance: skill=${name}; version=1.0.0; origin=proprietary -->\n[Skill: ${name}] v1.0.0\n${body}`;

function sent(...names: string[]) {
  const made = ride(names.map((name) => entry(name)));
  if (made.kind === 'refused') throw new Error('refused');
  return made.riding;
}

describe('the block of an engineer', () => {
  test('holds what was sent, sorted, each behind its tag; both digests are of it', () => {
    const text = `${tagged('alpha')}\n\n${tagged('beta')}`;
    expect(composeBlock(sent('beta', 'alpha'), [])).toEqual({
      kind: 'composed',
      text,
      sentBlock: sha(text),
      finalBlock: sha(text),
      additions: [],
    });
    expect(blockDigest([entry('beta'), entry('alpha')])).toBe(sha(text));
  });

  test('takes up what the runner adds, in its place; what was sent keeps its digest', () => {
    const middle = entry('b-runner');
    const composed = composeBlock(sent('alpha', 'gamma'), [middle]);
    const text = [tagged('alpha'), tagged('b-runner'), tagged('gamma')].join('\n\n');
    expect(composed).toMatchObject({
      text,
      sentBlock: sha([tagged('alpha'), tagged('gamma')].join('\n\n')),
      finalBlock: sha(text),
      additions: [
        {
          kind: 'skill',
          name: 'b-runner',
          version: '1.0.0',
          digest: middle.digest,
          rendered_sha256: sha('[Skill: b-runner] v1.0.0\nDo b-runner.'),
          origin: 'proprietary',
          license: null,
          upstream: null,
        },
      ],
    });
  });

  test('never lets a runner replace what was sent', () => {
    const composed = composeBlock(sent('alpha'), [entry('alpha', 'Something else.')]);
    expect(composed).toMatchObject({ text: tagged('alpha'), additions: [] });
  });

  test('is empty without entries', () => {
    expect(composeBlock([], [])).toMatchObject({ text: '', sentBlock: sha(''), finalBlock: sha('') });
  });

  test('is refused with an addition that could not ride', () => {
    expect(composeBlock([], [anEntry({ name: 'open', version: null })])).toMatchObject({
      kind: 'refused',
      refusals: [{ name: 'open' }],
    });
  });
});
