// The process of a recipe (spec/skills.md §7), by the plan of a run.
import { describe, expect, test } from 'vitest';
import { describePrompt } from '../../../src/runtime/describe-prompt.js';
import { lintCatalogue } from '../../../src/runtime/lint.js';
import { skillText, writeBesideProject } from '../../helpers/heard.js';
import type { Mission } from '../../helpers/team.js';
import { JOB } from '../job.js';
import { A, errorsOf, mission, planOf, promptOf, seatOf, settled } from './plans.js';

describe('the process of a recipe', () => {
  const triage = skillText('triage', 'First look, then act.', ['process: true', 'page: none']);
  const named = (more: Partial<Mission> = {}): Mission =>
    mission({
      recipe: { process: 'triage' },
      skills: { triage, a: A },
      roles: { boss: { skills: ['a'] } },
      ...more,
    });

  test('it is a part of its own in the prompt of the lead, ahead of rules and skills, and of nobody else', async () => {
    const plan = await planOf(await writeBesideProject(named(), {}));
    const names = (plan.prompts.get('boss') ?? []).map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['preamble', 'role', 'process']);
    expect(names.indexOf('skill:a')).toBeGreaterThan(names.indexOf('process'));
    const part = plan.prompts.get('boss')?.find(({ name }) => name === 'process');
    expect(part?.text).toMatch(
      /^## Active process\n\nThis process governs the order of steps and the structure of answers; the other rules and skills keep governing wording, terms and safety\.\n\n\[Skill: triage\]\nAbout triage\.\n\nFirst look, then act\.$/,
    );
    expect(promptOf(plan, 'worker')).not.toContain('First look');
    expect(seatOf(plan, 'boss').entries[0]).toMatchObject({
      name: 'triage',
      level: 'process',
      trust: 'instruction',
      tier: 'mission',
    });
  });

  test('described, it has the file it comes from', async () => {
    const at = await writeBesideProject(named(), {});
    const order = { slug: 'job', variables: new Map<string, string>(), safety: null };
    const found = await describePrompt(at.house, order, 'lead');
    if (found.kind === 'refused') throw new Error('refused');
    expect(found.value.parts.find(({ name }) => name === 'process')).toMatchObject({
      origin: expect.stringMatching(/skills\/triage\/SKILL\.md$/),
      tier: 'mission',
    });
  });

  test.each([
    [
      'an untrusted one',
      named({ skills: {} }),
      { '.bnerd/skills/triage/SKILL.md': triage },
      {},
      'untrusted',
      /bnerd trust .*or trust its repository/,
    ],
    [
      'a skill that is none',
      named({ skills: { triage: A.replace('name: a', 'name: triage') } }),
      {},
      {},
      'not-a-process',
      /process: true/,
    ],
    [
      'a rule',
      named({ skills: { triage: triage.replace('process: true', 'kind: rule\nprocess: true') } }),
      {},
      {},
      'not-a-process',
      /process: true/,
    ],
    [
      'one that is disabled',
      named(),
      {},
      { disabled: [{ name: 'triage', place: '~/.bnerd.yaml' }] },
      'entry-disabled',
      /~\/\.bnerd\.yaml/,
    ],
    [
      'one that a guard keeps out',
      named(),
      {},
      { guards: { sizeCap: 5, exfiltration: false } },
      'process-rejected',
      /take process out/,
    ],
  ] as const)('%s refuses the run', async (_what, given, theirs, skills, code, remedy) => {
    const at = settled(await writeBesideProject({ ...given, roles: JOB.roles }, theirs), skills);
    expect(await errorsOf(at)).toMatchObject([{ code, remedy: expect.stringMatching(remedy) }]);
    expect((await lintCatalogue(at.house, ['job'])).findings).toContainEqual(
      expect.objectContaining({ code }),
    );
  });

  test('from the list of a role it is left out, with an event and a warning', async () => {
    const at = await writeBesideProject(
      mission({ skills: { triage }, roles: { worker: { skills: ['triage'] } } }),
      {},
    );
    const plan = await planOf(at);
    expect(plan.entries).toMatchObject([
      { type: 'entry.omitted', member: 'worker', entry: 'triage', reason: 'process' },
    ]);
    expect(plan.findings).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        message: expect.stringMatching(/^worker starts without skill triage/),
      }),
    );
    expect(promptOf(plan, 'worker')).not.toContain('First look');
  });

  test('one whose page is required refuses a run without a page, by default and when it says so', async () => {
    for (const more of [
      ['process: true'],
      ['process: true', 'page: Required'],
      ['process: true', 'page: sometimes'],
    ]) {
      const at = await writeBesideProject(
        named({ skills: { triage: skillText('triage', 'x', more), a: A } }),
        {},
      );
      expect(await errorsOf(at)).toMatchObject([
        { code: 'page-missing', remedy: 'name one with --page <url-or-path>, or with page: in the recipe' },
      ]);
      expect((await planOf(at, { page: 'docs/a.md' })).started.page).toBe('docs/a.md');
    }
  });
});
