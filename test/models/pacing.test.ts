import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pacer } from '../../src/models/pacing.js';

/** Chance without chance: every gap is as long as it says, and nothing is added. */
const even = (): number => 0.5;
const none = (): number => 0;

/** A gate with its clock, and who passes it when each comes again as told. */
class Scene {
  readonly pacer: Pacer;
  now = 0;
  /** Who waits, and until when it was told to. */
  readonly waits = new Map<string, number>();
  readonly passed: string[] = [];

  constructor(random: () => number = even) {
    this.pacer = new Pacer(random);
  }

  /** Somebody comes; true when it passes. */
  come(who: string): boolean {
    const passage = this.pacer.enter(who, this.now);
    if (passage.kind === 'closed') {
      this.waits.set(who, this.now + passage.waitMs);
      return false;
    }
    this.waits.delete(who);
    this.passed.push(who);
    return true;
  }

  /** Somebody who asks is refused; gives how long it waits. */
  refuse(who: string, toldMs: number | null = 1_000): number {
    const waitMs = this.pacer.refused(who, this.now, toldMs, 'slow down');
    this.waits.set(who, this.now + waitMs);
    return waitMs;
  }

  /** The clock goes on to the next one whose time is there, who comes. */
  next(): string {
    const [first] = [...this.waits].sort(([, one], [, other]) => one - other);
    if (first === undefined) throw new Error('nobody waits');
    this.now = Math.max(this.now, first[1]);
    return this.come(first[0]) ? first[0] : this.next();
  }
}

describe('a provider that is well', () => {
  test('is asked by everybody at once', () => {
    const scene = new Scene();
    expect(['a', 'b', 'c', 'a'].map((who) => scene.come(who))).toEqual([true, true, true, true]);
  });
});

describe('P1 a refusal closes the gate', () => {
  test('for everybody, for as long as the provider said and never less', () => {
    const scene = new Scene();
    scene.come('a');
    scene.come('b');
    expect(scene.refuse('a', 12_000)).toBeGreaterThanOrEqual(12_000);
    expect(scene.pacer.enter('c', scene.now)).toMatchObject({ kind: 'closed', said: 'slow down' });
    scene.now = 11_999;
    expect(['a', 'c', 'd'].map((who) => scene.come(who))).toEqual([false, false, false]);
  });

  test('where it named no time, for 1, 2, 4 seconds and so on up to a minute', () => {
    const scene = new Scene(none);
    const waits = Array.from({ length: 8 }, () => {
      expect(scene.come('a')).toBe(true);
      const waitMs = scene.refuse('a', null);
      scene.now += waitMs;
      return waitMs;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  test.each([0, -5, Number.NaN])('a named time of %d is none', (toldMs) => {
    const scene = new Scene(none);
    scene.come('a');
    expect(scene.refuse('a', toldMs)).toBe(1_000);
  });

  test('a named time that is a slip of the far side is a day at most', () => {
    const scene = new Scene(none);
    scene.come('a');
    expect(scene.refuse('a', 1e300)).toBe(86_400_000);
  });

  test('a provider that names short times and goes on refusing is asked more and more seldom', () => {
    const scene = new Scene(none);
    const waits = Array.from({ length: 6 }, () => {
      scene.come('a');
      const waitMs = scene.refuse('a', 50);
      scene.now += waitMs;
      return waitMs;
    });
    expect(waits).toEqual([50, 50, 50, 1_000, 2_000, 4_000]);
  });

  test('a backoff is up to a quarter longer by chance, never shorter', () => {
    const longest = new Scene(() => 0.999_999);
    longest.come('a');
    const waitMs = longest.refuse('a', null);
    // And behind it half a gap of 312 ms at most, so that processes which were refused together come apart.
    expect(waitMs).toBeGreaterThan(1_249);
    expect(waitMs).toBeLessThan(1_250 + 157);
  });
});

describe('P2 who waits', () => {
  test('passes in the order in which it came, the refused ones first', () => {
    const scene = new Scene();
    for (const who of ['a', 'b', 'c']) scene.come(who);
    for (const who of ['a', 'b', 'c']) scene.refuse(who);
    for (const who of ['d', 'e']) expect(scene.come(who)).toBe(false);
    scene.passed.length = 0;
    for (let count = 0; count < 5; count++) scene.pacer.answered(scene.next());
    expect(scene.passed).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('a request that is refused for ever keeps nobody else out', () => {
    const scene = new Scene();
    for (const who of ['big', 'b', 'c']) scene.come(who);
    for (const who of ['big', 'b', 'c']) scene.refuse(who);
    const answered: string[] = [];
    for (let count = 0; count < 8; count++) {
      const who = scene.next();
      if (who === 'big') scene.refuse(who);
      else {
        scene.pacer.answered(who);
        answered.push(who);
      }
    }
    expect(answered.slice(0, 2)).toEqual(['b', 'c']);
  });

  test('somebody new does not pass before those who wait, although their time is near', () => {
    const scene = new Scene();
    for (const who of ['a', 'b']) scene.come(who);
    for (const who of ['a', 'b']) scene.refuse(who, 4_000);
    scene.now = Math.max(...scene.waits.values()) - 1;
    expect(scene.come('new')).toBe(false);
    expect(scene.waits.get('new')).toBeGreaterThan(scene.waits.get('b') ?? Number.POSITIVE_INFINITY);
  });
});

describe('P3 P4 behind a wait', () => {
  test('they come one by one, each gap half the one before', () => {
    const scene = new Scene();
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    for (const who of all) scene.come(who);
    for (const who of all) scene.refuse(who, 8_000);
    for (const who of all) scene.come(who);
    const times = all.map((who) => scene.waits.get(who) ?? 0);
    const gaps = times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0)));
    expect(gaps).toEqual([1_000, 500, 250, 125, 63, 31, 25]);
  });

  test('a refusal in between moves all who still wait behind its time', () => {
    const scene = new Scene();
    for (const who of ['a', 'b', 'c']) scene.come(who);
    for (const who of ['a', 'b', 'c']) scene.refuse(who);
    expect(scene.next()).toBe('a');
    scene.refuse('a', 5_000);
    const until = scene.now + 5_000;
    expect(scene.next()).toBe('b');
    expect(scene.now).toBeGreaterThanOrEqual(until);
  });

  test('an answer halves the gap for those who come later, until nothing is left of it', () => {
    const scene = new Scene();
    scene.come('a');
    scene.refuse('a', 8_000);
    scene.next();
    let narrow = 0;
    for (let count = 0; count < 10; count++) {
      scene.pacer.answered(scene.passed.at(-1) ?? '');
      if (scene.come(`new ${count}`)) continue;
      narrow++;
      scene.next();
    }
    expect(narrow, 'new ones that had to keep a gap').toBeGreaterThan(2);
    expect(narrow).toBeLessThan(10);
    expect(scene.come('x') && scene.come('y')).toBe(true);
  });
});

describe('P5 calls that were under way together', () => {
  test('are one refusal, however many are refused', () => {
    const alone = new Scene(none);
    alone.come('a');
    alone.refuse('a', null);
    alone.now = 1_000;
    alone.come('a');
    const once = alone.refuse('a', null);

    const together = new Scene(none);
    const all = ['a', 'b', 'c', 'd'];
    for (const who of all) together.come(who);
    for (const who of all) together.refuse(who, null);
    together.now = 1_000;
    together.come('a');
    expect(together.refuse('a', null) - once).toBeLessThan(2_000); // Behind its fellows, not after a longer backoff.
    expect(together.pacer.enter('b', 1_000)).toMatchObject({ kind: 'closed', waitMs: once });
  });

  test('an answer to what was asked before the refusal does not open the gate', () => {
    const scene = new Scene();
    scene.come('a');
    scene.come('b');
    scene.refuse('a', 9_000);
    scene.pacer.answered('b');
    expect(scene.come('b')).toBe(false);
  });

  test('a longer time that the second was told counts for all', () => {
    const scene = new Scene();
    scene.come('a');
    scene.come('b');
    scene.refuse('a', 1_000);
    scene.refuse('b', 20_000);
    scene.now = 19_999;
    expect(scene.come('a')).toBe(false);
  });
});

describe('P6 who waits and never comes again', () => {
  test('holds nobody up', () => {
    const scene = new Scene();
    for (const who of ['gone', 'b']) scene.come(who);
    for (const who of ['gone', 'b']) scene.refuse(who);
    scene.waits.delete('gone');
    expect(scene.next()).toBe('b');
  });

  test('has left its place when it said so, or a minute after its time', () => {
    const scene = new Scene(none);
    for (const who of ['gone', 'b', 'c']) scene.come(who);
    for (const who of ['gone', 'b']) scene.refuse(who);
    scene.pacer.left('b');
    scene.now = 70_000;
    expect(scene.come('d')).toBe(true);
    expect(scene.refuse('c'), 'nobody is before it').toBe(1_000);
  });
});

test('a provider that does not answer is left alone by the one who met it, longer each time and as long as it asked', () => {
  const pacer = new Pacer(none);
  const waits = [1, 2, 3, 4, 5, 6, 7].map((times) => pacer.unanswered('a', times, null));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(pacer.unanswered('a', 1, 45_000)).toBe(45_000);
  expect(pacer.enter('b', 0)).toEqual({ kind: 'open' });
});

test('those who wait since before this process keep their order, and the gate is closed to others', () => {
  const scene = new Scene();
  scene.pacer.remember([
    { who: 'b', at: 3_000, said: 'slow down' },
    { who: 'a', at: 2_000, said: 'slow down' },
  ]);
  expect(scene.come('new')).toBe(false);
  expect(scene.waits.get('new')).toBeGreaterThan(3_000);
  scene.waits.set('b', 3_000).set('a', 2_000);
  expect([scene.next(), scene.next(), scene.next()]).toEqual(['a', 'b', 'new']);
});

test('whatever a provider answers, nobody passes before the time that anybody was told, and everybody passes', async () => {
  const story = fc.record({
    members: fc.integer({ min: 1, max: 6 }),
    seed: fc.integer(),
    // How often the provider refuses at first, and what it says with it.
    refusals: fc.array(fc.option(fc.integer({ min: 1, max: 5_000 })), { maxLength: 12 }),
  });
  await fc.assert(
    fc.property(story, ({ members, seed, refusals }) => {
      let state = seed;
      const random = (): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
        return state / 0x80000000;
      };
      const scene = new Scene(random);
      const told = [...refusals];
      let closedUntil = 0;
      const open = new Set(Array.from({ length: members }, (_, index) => `m${index}`));
      for (const who of open) scene.come(who);
      const asking = [...scene.passed];
      for (let step = 0; open.size > 0; step++) {
        expect(step).toBeLessThan(200);
        const under = asking.shift();
        const who = under ?? scene.next();
        if (under === undefined) expect(scene.now).toBeGreaterThanOrEqual(closedUntil);
        if (told.length > 0 || asking.length > 0) {
          const toldMs = told.shift() ?? null;
          const waitMs = scene.refuse(who, toldMs);
          expect(waitMs).toBeGreaterThanOrEqual(toldMs ?? 0);
          closedUntil = Math.max(closedUntil, scene.now + (toldMs ?? 0));
        } else {
          scene.pacer.answered(who);
          open.delete(who);
        }
      }
    }),
  );
});
