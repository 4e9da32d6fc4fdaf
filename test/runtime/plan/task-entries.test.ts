// Rules and skills that a recipe names for a task (spec/skills.md §6), by the plan of a run.
import { describe, expect, test } from 'vitest';
import type { TaskEntries } from '../../../src/events/facts/frozen.js';
import { lintCatalogue } from '../../../src/runtime/lint.js';
import type { RunPlan } from '../../../src/runtime/plan/run-order.js';
import { sha256 } from '../../../src/shared/digest.js';
import { skillText, writeBesideProject } from '../../helpers/heard.js';
import { A, B, errorsOf, mission, planOf, promptOf, seatOf, settled, THEIRS, textOf } from './plans.js';

describe('rules and skills of a task', () => {
  const tasks = [{ id: 'one', subject: 'One', role: 'worker', skills: ['b', 't', 'a'] }];
  const named = mission({ recipe: { tasks }, roles: { worker: { skills: ['a'] } }, skills: { a: A, b: B } });

  function ridersOf(plan: RunPlan): readonly TaskEntries[] {
    return plan.tasks[0]?.skills ?? [];
  }

  test('they ride as one text: what instructs, then what may only be read; in no prompt', async () => {
    const plan = await planOf(await writeBesideProject(named, THEIRS));
    const rider = ridersOf(plan).find(({ members }) => members.includes('worker'));
    const text = textOf(plan, rider?.sha256 ?? '');
    expect(text).toMatch(
      /^Rules and skills for this task:\n\n\[Skill: b\]\nThe word is osprey\.\n\nBetween the two fence marks [^\n]*\n<<reference text (~[0-9a-f]+)\n\[Skill: t\]\nAbout t\.\n\nThe word is merlin\.\n\1>>$/u,
    );
    expect(rider?.bytes).toBe(Buffer.byteLength(text));
    expect(rider?.entries.map(({ name, level, trust, tier }) => [name, level, trust, tier])).toEqual([
      ['b', 'task', 'instruction', 'mission'],
      ['t', 'task', 'reference', 'project'],
    ]);
    expect(rider?.entries[0]?.rendered_sha256).toBe(sha256('[Skill: b]\nThe word is osprey.'));
    expect(promptOf(plan, 'worker')).not.toMatch(/osprey|merlin/);
    expect(seatOf(plan, 'worker').reference).toBeNull();
  });

  test('a seat that is told something else has a text of its own: the boss lacks a', async () => {
    const plan = await planOf(await writeBesideProject(named, THEIRS));
    const [one, other] = [...ridersOf(plan)].sort(
      (left, right) => left.entries.length - right.entries.length,
    );
    expect([one?.members, other?.members]).toEqual([['worker'], ['boss']]);
    expect(other?.entries.map(({ name }) => name)).toEqual(['a', 'b', 't']);
  });

  test('one that requires what the member lacks, or that is a process, is told for that member and task', async () => {
    const governed = (name: string, ...more: string[]): string =>
      skillText(name, 'x', ['version: 1.0.0', 'origin: proprietary', ...more]);
    const at = await writeBesideProject(
      mission({
        governed: true,
        recipe: { tasks: [{ id: 'one', subject: 'One', role: 'worker', skills: ['a', 'b'] }] },
        skills: { a: governed('a', 'requires: [delegate]'), b: governed('b', 'process: true') },
      }),
      {},
    );
    const plan = await planOf(at);
    expect(plan.entries).toEqual([
      {
        type: 'entry.rejected',
        member: 'worker',
        entry: 'a',
        reason: 'capability',
        detail: 'a requires delegate, which this member is not granted (task one)',
      },
      {
        type: 'entry.omitted',
        member: 'worker',
        entry: 'b',
        reason: 'process',
        detail: 'b is a process entry; a recipe names it in process:, no list can (task one)',
      },
    ]);
    expect(ridersOf(plan)).toEqual([]);
    expect(
      plan.findings.filter(({ code }) => code === 'entry-rejected').map(({ message }) => message),
    ).toEqual([
      'worker does one without skill a: a requires delegate, which this member is not granted',
      'worker does one without skill b: b is a process entry; a recipe names it in process:, no list can',
    ]);
  });

  test('an unknown name refuses the run at the line of the list, and lint says it before', async () => {
    const at = await writeBesideProject(
      mission({ recipe: { tasks: [{ id: 'one', subject: 'One', role: 'worker', skills: ['nope'] }] } }),
      {},
    );
    const unknown = {
      code: 'unknown-skill',
      line: expect.any(Number),
      path: expect.stringMatching(/team\.md$/),
    };
    expect(await errorsOf(at)).toMatchObject([unknown]);
    expect((await lintCatalogue(at.house, ['job'])).findings).toContainEqual(
      expect.objectContaining(unknown),
    );
  });

  test('of the budget a task gets what the block of the role leaves; the entries of the role stay', async () => {
    const at = await writeBesideProject(
      mission({ recipe: { tasks }, roles: { worker: { skills: ['u'] } }, skills: { a: A, b: B } }),
      { ...THEIRS, '.bnerd/skills/u/SKILL.md': skillText('u', 'The word is harrier. '.repeat(20)) },
    );
    const { bytes = 0 } = seatOf(await planOf(at), 'worker').reference ?? {};
    const plan = await planOf(settled(at, { maxBytes: bytes + 10 }));
    expect(seatOf(plan, 'worker').reference?.bytes).toBe(bytes);
    expect(plan.entries).toMatchObject([
      {
        type: 'entry.omitted',
        member: 'worker',
        entry: 't',
        reason: 'budget',
        detail: expect.stringMatching(/\(task one\)$/),
      },
    ]);
    const rider = ridersOf(plan).find(({ members }) => members.includes('worker'));
    expect(rider?.entries.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  describe('the tools of an entry of a task', () => {
    const tools = [
      'tools: [{name: say, description: Says, run: [cat]}, {name: hear, description: Hears, run: [cat]}]',
    ];
    const speech = skillText('speech', 'The word is harrier.', tools);
    const of = (name: string) => [{ id: 'one', subject: 'One', role: 'worker', skills: [name] }];

    test('are offered to nobody: its text alone comes, which run and lint say at the line of the list', async () => {
      const given = mission({ recipe: { tasks: of('speech') }, skills: { speech } });
      const at = await writeBesideProject(given, {});
      const plan = await planOf(at);
      const said = {
        code: 'tool-not-offered',
        severity: 'warning',
        path: expect.stringMatching(/team\.md$/),
        line: expect.any(Number),
        message:
          'task one brings the text of skill speech and not its tools (say, hear): a task gives text alone',
        remedy: 'name speech in skills of the role that needs the tools',
      };
      expect(plan.findings.filter(({ code }) => code === 'tool-not-offered')).toEqual([said]);
      const linted = (await lintCatalogue(at.house, ['job'])).findings;
      expect(linted.filter(({ code }) => code === 'tool-not-offered')).toEqual([said]);
      for (const { tools: offered } of plan.started.seats)
        expect(offered.filter(({ entry }) => entry !== null)).toEqual([]);
      expect(textOf(plan, ridersOf(plan)[0]?.sha256 ?? '')).toContain('The word is harrier.');
    });

    test('a member that has the entry by its role has its tools, and nothing is said', async () => {
      const given = mission({
        recipe: { tasks: of('speech') },
        roles: { worker: { base: 'write', skills: ['speech'] } },
        skills: { speech },
      });
      const plan = await planOf(await writeBesideProject(given, {}));
      expect(plan.findings.filter(({ code }) => code === 'tool-not-offered')).toEqual([]);
      const offered = seatOf(plan, 'worker').tools.filter(({ entry }) => entry !== null);
      expect(offered.map(({ name }) => name)).toEqual(['say', 'hear']);
    });

    test('of a skill that may only be read nobody expects tools, and none is offered', async () => {
      const theirs = { '.bnerd/skills/speech/SKILL.md': speech };
      const at = await writeBesideProject(mission({ recipe: { tasks: of('speech') } }), theirs);
      const plan = await planOf(at);
      expect(plan.findings.filter(({ code }) => code === 'tool-not-offered')).toEqual([]);
      for (const { tools: offered } of plan.started.seats)
        expect(offered.filter(({ entry }) => entry !== null)).toEqual([]);
    });
  });
});
