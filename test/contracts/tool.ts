/** The contract of every work tool (src/agent/tool.ts, spec/team.md §2), run on each of them by its own test. */

import { expect, test } from 'vitest';
import type { Tool } from '../../src/agent/tool.js';

export interface ToolUnderTest {
  readonly tool: Tool;
  /** Arguments of a call that goes well. */
  readonly good: Readonly<Record<string, unknown>>;
  /** Wrong arguments, and the field that the refusal must name. */
  readonly bad: readonly { readonly args: unknown; readonly field: string }[];
  /** A call that would go on for long if nobody ended it; the good call unless given. */
  readonly long?: Readonly<Record<string, unknown>>;
  /** Paths of this machine that no answer may hold. */
  readonly secretPaths: readonly string[];
}

/** Longer than any grace: an end that needs it is a bug. Not an assertion about speed. */
const BOUND_MS = 10_000;

/** Longest answer of any tool, in characters. */
const LONGEST_TEXT = 64 * 1024;

const never = new AbortController().signal;

/** Registers the tests of the contract. `make` is called inside each test. */
export function toolContract(make: () => Promise<ToolUnderTest>): void {
  test('its definition is an object schema with a description of itself and of every argument', async () => {
    const { tool } = await make();
    const { name, description, parameters } = tool.definition;
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(description.length).toBeGreaterThan(20);
    expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    const properties = parameters['properties'] as Record<string, { description?: string }>;
    for (const [key, property] of Object.entries(properties)) {
      expect(property.description, key).toMatch(/\w/);
    }
    expect(JSON.parse(JSON.stringify(parameters))).toEqual(parameters);
  });

  test('bad arguments are refused with the field, what was found and what is allowed', async () => {
    const { tool, bad } = await make();
    expect(bad.length).toBeGreaterThan(0);
    for (const { args, field } of bad) {
      const prepared = await tool.prepare(args);
      expect(prepared).toMatchObject({ kind: 'refused', text: expect.stringContaining(`"${field}"`) });
      expect(prepared).toMatchObject({ text: expect.stringMatching(/found/) });
      expect(prepared).toMatchObject({ text: expect.stringMatching(/allowed/) });
    }
  });

  test('what is no JSON object is refused, and an unknown argument gets a suggestion', async () => {
    const { tool, good } = await make();
    for (const args of [undefined, null, 7, [], '{"path": ']) {
      expect(await tool.prepare(args)).toMatchObject({
        kind: 'refused',
        text: expect.stringMatching(/JSON object/),
      });
    }
    const unknown = await tool.prepare({ ...good, unknown_thing: 1 });
    expect(unknown).toMatchObject({ kind: 'refused', text: expect.stringContaining('"unknown_thing"') });
  });

  test('a good call is ready, says in one line what would run, and its arguments survive JSON', async () => {
    const { tool, good } = await make();
    const prepared = await tool.prepare(good);
    if (prepared.kind === 'refused') throw new Error(prepared.text);
    expect(['read', 'write', 'destructive']).toContain(prepared.class);
    expect(prepared.summary).toMatch(/^[^\n]+$/);
    expect(prepared.subject).not.toBe('');
    const stored: unknown = JSON.parse(JSON.stringify(prepared.arguments));
    const result = await tool.run(stored, never);
    expect(result).toMatchObject({ outcome: 'ok' });
    expect(result.text.length).toBeLessThan(LONGEST_TEXT);
  });

  test('no answer names a path of this machine', async () => {
    const { tool, good, bad, secretPaths } = await make();
    const prepared = await tool.prepare(good);
    const texts = [prepared.kind === 'refused' ? prepared.text : prepared.summary];
    if (prepared.kind === 'ready') texts.push((await tool.run(prepared.arguments, never)).text);
    for (const { args } of bad) {
      const refused = await tool.prepare(args);
      if (refused.kind === 'refused') texts.push(refused.text);
    }
    for (const text of texts) for (const path of secretPaths) expect(text).not.toContain(path);
  });

  test('stored arguments that are wrong give a failed result, not an exception', async () => {
    const { tool } = await make();
    for (const args of [undefined, {}, { path: 1 }, 'text']) {
      const result = await tool.run(args, never);
      expect(result.outcome === 'error' || tool.definition.parameters['required'] === undefined).toBe(true);
    }
  });

  test('a signal that fired before the call, and one that fires during it, end it as a result', async () => {
    const { tool, good, long } = await make();
    const prepared = await tool.prepare(long ?? good);
    if (prepared.kind === 'refused') throw new Error(prepared.text);
    const before = await tool.run(prepared.arguments, AbortSignal.abort());
    expect(before).toMatchObject({ outcome: 'error', text: expect.stringContaining('cancelled') });

    const controller = new AbortController();
    const running = tool.run(prepared.arguments, controller.signal);
    setImmediate(() => controller.abort());
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`not ended ${BOUND_MS} ms after the signal`)), BOUND_MS).unref();
    });
    expect((await Promise.race([running, late])).text).not.toBe('');
  });
}
