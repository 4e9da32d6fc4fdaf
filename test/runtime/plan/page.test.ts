// The page of a run (spec/skills.md §7), by its plan.
import { describe, expect, test } from 'vitest';
import { skillText, writeBesideProject } from '../../helpers/heard.js';
import { JOB } from '../job.js';
import { mission, planOf, seatOf, settled, THEIRS, textOf } from './plans.js';

describe('the page of a run', () => {
  const page = 'https://docs.example/page';
  const entry = (name: string, ...more: string[]): string => skillText(name, 'x', more);
  const skills = {
    needs: entry('needs', 'page: required'),
    may: entry('may', 'page: OPTIONAL'),
    silent: entry('silent'),
    off: entry('off', 'page: none'),
  };
  /** Every rule that comes along is silent about pages, so a role of its own tells nothing: these have no rules. */
  const told = async (list: readonly string[], theirs = {}): Promise<boolean> => {
    const at = await writeBesideProject(mission({ skills, roles: { worker: { skills: list } } }), theirs);
    const bare = settled(at, { disabled: [{ name: 'evidence-first', place: 'here' }] });
    const plan = await planOf(bare, { page });
    return seatOf(plan, 'worker').page;
  };

  test('a member is told of it that carries an entry which is declared or defaulted to need it, and no other', async () => {
    expect(await told([])).toBe(false);
    expect(await told(['off'])).toBe(false);
    expect(await told(['off', 'needs'])).toBe(true);
    expect(await told(['may'])).toBe(true);
    expect(await told(['silent'])).toBe(true);
    expect(await told(['t'], THEIRS)).toBe(true);
  });

  test('the operator’s goes before the recipe’s; without any nobody is told, and who needs one is remarked on', async () => {
    const given = mission({
      recipe: { page: 'docs/recipe.md' },
      skills,
      roles: { worker: { skills: ['needs'] } },
    });
    const at = await writeBesideProject(given, {});
    expect((await planOf(at)).started.page).toBe('docs/recipe.md');
    expect((await planOf(at, { page })).started.page).toBe(page);
    const without = await planOf(await writeBesideProject({ ...given, recipe: JOB.recipe ?? {} }, {}));
    expect(without.started.page).toBeNull();
    expect(seatOf(without, 'worker').page).toBe(false);
    expect(without.findings.filter(({ code }) => code === 'page-missing')).toMatchObject([
      { severity: 'warning', path: expect.stringMatching(/needs\/SKILL\.md$/) },
    ]);
  });

  test('with a task it is told to whoever was not told before', async () => {
    const tasks = [{ id: 'one', subject: 'One', role: 'worker', skills: ['needs'] }];
    const at = await writeBesideProject(mission({ skills, recipe: { tasks } }), {});
    const bare = settled(at, { disabled: [{ name: 'evidence-first', place: 'here' }] });
    const plan = await planOf(bare, { page });
    const digest = plan.tasks[0]?.skills[0]?.sha256 ?? '';
    expect(textOf(plan, digest)).toMatch(
      /^Page of this run: https:\/\/docs\.example\/page\n\nRules and skills for this task:/,
    );
    const toldBefore = await planOf(at, { page });
    expect(textOf(toldBefore, toldBefore.tasks[0]?.skills[0]?.sha256 ?? '')).toMatch(
      /^Rules and skills for this task:/,
    );
  });
});
