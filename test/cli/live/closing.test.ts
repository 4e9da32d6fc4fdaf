import { describe, expect, test } from 'vitest';
import { type Closing, closingLines } from '../../../src/cli/live/closing.js';

const ENDED: Closing['ended'] = {
  reason: 'done',
  exit: 0,
  cause: null,
  detail: null,
  result: 'the report',
  openTasks: [],
  openRequests: [],
  costUsd: 0.125,
  estimatedUsd: 0,
  resumable: false,
  recorded: true,
};

function lines(ended: Partial<Closing['ended']>, stdout: Closing['stdout'] = { kind: 'written' }): string[] {
  return closingLines({ team: 'run-x-01', workspace: '/work', ended: { ...ENDED, ...ended }, stdout });
}

describe('the last lines', () => {
  test('say reason, open tasks, cost and where the result is', () => {
    expect(lines({})).toEqual([
      'done (exit 0)',
      'open tasks: none',
      'cost: 0.1250 USD',
      'result: on stdout; again with bnerd team result run-x-01',
      'workspace: /work',
    ]);
  });

  test('say which part of the cost is an estimate', () => {
    expect(lines({ costUsd: 0.0123, estimatedUsd: 0.004 })).toContain('cost: 0.0123 USD (0.0040 estimated)');
    expect(lines({ costUsd: null, estimatedUsd: 0.004 })).toContain('cost: unknown');
  });

  test('give the exact resume command when one would help, and only then', () => {
    expect(lines({ resumable: true }).at(-1)).toBe('resume: bnerd team resume run-x-01');
    expect(lines({}).some((line) => line.includes('resume'))).toBe(false);
  });

  test.each(['budget', 'deadline'] as const)(
    'offer no resume after %s, which would meet the limit again',
    (reason) => {
      const last = lines({ reason, resumable: false }).at(-1);
      expect(last).toBe('a resume would meet the limit again: start a new team, with more room for it');
    },
  );

  test('name open tasks and requests, with the words that answer', () => {
    const said = lines({
      reason: 'needs_human',
      exit: 4,
      result: null,
      openTasks: ['#2', '#3'],
      openRequests: ['r1'],
    });
    expect(said).toContain('needs_human (exit 4)');
    expect(said).toContain('open tasks: #2, #3');
    expect(said).toContain('open requests: r1; answer: bnerd team answer run-x-01 <request> yes|no|<text>');
    expect(said).toContain('result: none');
  });

  test('say the cause, and that a cost is unknown rather than nothing', () => {
    const said = lines({
      reason: 'failed',
      exit: 1,
      cause: 'error',
      detail: 'it\nbroke\u001b[2J',
      costUsd: null,
    });
    expect(said.slice(0, 2)).toEqual(['failed (exit 1): error: it', '  │ broke[2J']);
    expect(said).toContain('cost: unknown');
  });

  test.each([
    [{ kind: 'not-asked' } as const, 'result: bnerd team result run-x-01'],
    [
      { kind: 'failed', why: 'EPIPE' } as const,
      'result: not written, stdout is closed (EPIPE); print it with bnerd team result run-x-01',
    ],
  ])('say where the result is when stdout does not have it: %j', (stdout, line) => {
    expect(lines({}, stdout)).toContain(line);
  });

  test('say when the end itself could not be recorded', () => {
    expect(lines({ recorded: false }).join('\n')).toContain('could not be recorded');
  });
});
