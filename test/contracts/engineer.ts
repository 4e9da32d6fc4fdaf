/**
 * What every engineer is (`src/delegate/engineers/engineer.ts`), as far as it can be said of all: how it is given its
 * order, and that reading it is total. What a program is held to, and that nothing of a repository is in effect in it, is
 * tried on the real ones (`test/delegate/engineers`).
 */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Engineer, EngineerOrder } from '../../src/delegate/engineers/engineer.js';
import { engineerOrder, MUTE } from '../helpers/engineers/run-plan.js';

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
  fc
    .record(
      {
        id: fc.constantFrom(0, 1, 2, '0', null),
        method: fc.constantFrom('session/update', 'session/request_permission', 'fs/read_text_file', 'x'),
        params: fc.dictionary(
          fc.constantFrom('sessionId', 'update', 'toolCall', 'options'),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        result: fc.jsonValue({ maxDepth: 2 }),
        error: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    )
    .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })),
);

const exit = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((code) => ({ kind: 'exited' as const, code })),
  fc.constantFrom('SIGKILL', 'SIGSEGV').map((signal) => ({ kind: 'signalled' as const, signal })),
);

const rule = fc.record({
  tool: fc.constantFrom(
    '*',
    'shell_exec',
    'git_log',
    'git_commit',
    'fs_read_file',
    'fs_grep',
    'fs_edit_file',
    'fs_delete',
    'web_fetch',
    'team_mail',
  ),
  match: fc.oneof(
    fc.constant(null),
    fc.constantFrom(
      'rm *',
      'rm:*',
      '**',
      'src/**',
      '*.env',
      'a*b*c*d*e',
      'domain:x.org',
      '$(x)',
      'git commit *',
      '../x',
      'a,b) Bash(x',
    ),
    fc.string({ minLength: 1, maxLength: 12 }),
  ),
  form: fc.constantFrom('rule' as const, 'pattern' as const),
  decision: fc.constantFrom('deny' as const, 'ask' as const),
  origin: fc.constantFrom('settings', 'recipe', 'role:worker'),
});

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

    test('A5, E106 of what is denied each rule is held, or the order is refused with its name, before it is sent as well', () => {
      void fc.assert(
        fc.property(
          fc.array(rule, { minLength: 1, maxLength: 4 }),
          fc.constantFrom('read-only' as const, 'non-destructive' as const, 'full' as const),
          (deny, safety) => {
            const order = { ...ORDER, deny, safety, settings: { ...ORDER.settings, mayBeFull: true } };
            const plan = engineer.plan(order);
            const unheld = engineer.unheld(order);
            expect(unheld === null).toBe(plan.kind === 'start');
            if (plan.kind === 'refused') {
              expect(plan.detail).toBe(unheld);
              expect(
                deny.some(
                  ({ tool, origin }) => plan.detail.includes(`${tool}`) && plan.detail.includes(origin),
                ),
              ).toBe(true);
              return;
            }
            // One argument, whatever a rule is written with.
            const { args } = plan.start;
            const bare = engineer.plan({ ...order, deny: [] });
            const more =
              bare.kind === 'start' ? args.filter((word) => !bare.start.args.includes(word)) : args;
            expect(more.length).toBeLessThanOrEqual(1);
          },
        ),
        { numRuns: 300 },
      );
    });

    test('A4 any lines and any exit give events and one end', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(line, { maxLength: 12 }), exit, async (lines, how) => {
          const reader = engineer.reader(ORDER, MUTE);
          for (const text of lines)
            for (const event of reader.line(text)) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
          await reader.over?.();
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

    test('A4 without a line nothing was a success, unless the exit is all that this kind has to say', async () => {
      const endOf = async (code: number): Promise<string> => {
        const reader = engineer.reader(ORDER, MUTE);
        await reader.over?.();
        return reader.end({ kind: 'exited', code }).kind;
      };
      expect(await endOf(0)).toBe(engineer.announces ? 'none' : 'success');
      expect(await endOf(1)).not.toBe('success');
    });
  });
}
