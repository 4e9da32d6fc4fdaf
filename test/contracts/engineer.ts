/**
 * What every engineer is (`src/delegate/engineers/engineer.ts`), as far as it can be said of all: how it is given its
 * order, and that reading it is total. What a program is held to, and that nothing of a repository is in effect in it, is
 * tried on the real ones (`test/delegate/engineers`).
 */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Engineer, EngineerOrder } from '../../src/delegate/engineers/engineer.js';
import { engineerOrder } from '../helpers/engineers/run-plan.js';

const ORDER: EngineerOrder = engineerOrder('/briefs/1/tree', { settings: { path: 'program' } });

/** Lines of no protocol, of others, cut and odd. */
const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json({ maxDepth: 3 }),
  fc
    .tuple(
      fc.constantFrom(
        'result',
        'system',
        'assistant',
        'turn.completed',
        'turn.failed',
        'item.completed',
        'error',
      ),
      fc.dictionary(
        fc.constantFrom(
          'subtype',
          'result',
          'usage',
          'message',
          'item',
          'status',
          'is_error',
          'errors',
          'text',
        ),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    )
    .map(([type, fields]) => JSON.stringify({ type, ...fields })),
);

const exit = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((code) => ({ kind: 'exited' as const, code })),
  fc.constantFrom('SIGKILL', 'SIGSEGV').map((signal) => ({ kind: 'signalled' as const, signal })),
);

/** The suite of one kind. */
export function engineerContract(engineer: Engineer): void {
  describe(`the engineer ${engineer.kind}`, () => {
    test('A1 its prompt goes over standard input, and nowhere else', () => {
      const prompt = 'Words that stand nowhere but in the prompt.\u2028\n"quoted" $(x) `y`\n';
      const plan = engineer.plan({ ...ORDER, prompt });
      if (plan.kind === 'refused') throw new Error(plan.detail);
      const { stdin, args, env, files } = plan.start;
      expect(stdin).toBe(prompt);
      expect(JSON.stringify([args, env, files])).not.toContain('Words that stand');
    });

    test('A1 the same order is started in the same way', () => {
      expect(engineer.plan(ORDER)).toEqual(engineer.plan(ORDER));
    });

    test('A4 any lines and any exit give events and one end', () => {
      void fc.assert(
        fc.property(fc.array(line, { maxLength: 12 }), exit, (lines, how) => {
          const reader = engineer.reader();
          for (const text of lines)
            for (const event of reader.line(text)) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
          const end = reader.end(how);
          expect(['success', 'failure', 'none']).toContain(end.kind);
          if (end.kind === 'failure') expect(end.detail.trim()).not.toBe('');
          const { costUsd, ...counts } = reader.usage();
          expect(costUsd === null || costUsd >= 0).toBe(true);
          for (const count of Object.values(counts))
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }),
        { numRuns: 300 },
      );
    });

    test('A4 without a line nothing was a success, unless the exit is all that this kind has to say', () => {
      const end = engineer.reader().end({ kind: 'exited', code: 0 });
      expect(end.kind).toBe(engineer.announces ? 'none' : 'success');
      expect(engineer.reader().end({ kind: 'exited', code: 1 }).kind).not.toBe('success');
    });
  });
}
