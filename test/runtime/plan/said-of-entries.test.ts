// spec/skills.md §3, §4, §6: what a run and its description say of an entry that more than one thing keeps back is true:
// switched off and not approved, switched off and shadowed, of the operator's own folders as reference text.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describePrompt } from '../../../src/runtime/describe-prompt.js';
import { loadEntries } from '../../../src/runtime/load-entries.js';
import { standings } from '../../../src/skills/inventory/standing.js';
import { skillText, writeBesideProject } from '../../helpers/heard.js';
import { putFiles } from '../../helpers/repository.js';
import type { Mission, TestHouse } from '../../helpers/team.js';
import { errorsOf, mission, planOf, promptOf, seatOf, settled, textOf } from './plans.js';

const SETTINGS = '~/.bnerd.yaml:2';
const off = (...names: readonly string[]) => names.map((name) => ({ name, place: SETTINGS }));
const WISHES = { slug: 'job', variables: new Map(), safety: null };
const RULE = ['kind: rule', 'always_on: true'];

/** @param own files of the operator's folder, @param theirs of the project */
async function among(
  plan: Partial<Mission>,
  own: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>> = {},
): Promise<TestHouse> {
  const at = await writeBesideProject(mission(plan), theirs);
  const { home } = at.house;
  await putFiles(home, own);
  const global = { bnerd: home, claude: join(home, '.claude'), agents: join(home, '.agents') };
  return { ...at, house: { ...at.house, global } };
}

/** How each file of a name stands, by tier. */
async function standing(at: TestHouse, name: string): Promise<Readonly<Record<string, string>>> {
  const files = standings(await loadEntries(at.house)).filter((one) => one.name === name);
  return Object.fromEntries(files.map(({ file, standing: { kind } }) => [file.place.tier, kind]));
}

describe('switched off, and approved by nobody', () => {
  const skill = { '.bnerd/skills/t/SKILL.md': skillText('t', 'The word is merlin.') };
  const rule = { '.bnerd/rules/t.md': skillText('t', 'The word is merlin.', RULE) };

  test.each([
    ['a skill', 'skill', skill],
    ['a rule, for which an approval would change nothing', 'rule', rule],
  ])(
    '%s that a role names is refused as switched off, and that alone is said',
    async (_what, kind, files) => {
      const at = settled(await among({ roles: { worker: { skills: ['t'] } } }, {}, files), {
        disabled: off('t'),
      });
      const refusal = {
        code: 'entry-disabled',
        path: expect.stringMatching(/worker\.md$/),
        message: `${kind} "t" is disabled by ${SETTINGS}`,
        remedy: `take it off the list, or take it out of \`disabled\` in ${SETTINGS}`,
      };
      expect(await errorsOf(at)).toMatchObject([refusal]);
      const described = await describePrompt(at.house, WISHES, 'worker');
      if (described.kind === 'found') throw new Error('it was described');
      expect(described.findings.filter(({ severity }) => severity === 'error')).toMatchObject([refusal]);
      expect(described.findings.map(({ code }) => code)).not.toContain('reference-text');
    },
  );

  test('one that nobody names is not approved, and no fact says that a member lacks it', async () => {
    const at = settled(await among({}, {}, { ...skill, ...rule }), { disabled: off('t') });
    const plan = await planOf(at);
    expect(plan.entries).toEqual([]);
    const said = plan.findings.filter(({ path }) => path.includes('/clone/'));
    expect(said.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      ['untrusted', 'info', 'not used: nobody has approved it'],
      ['untrusted', 'info', 'not used: nobody has approved it'],
    ]);
    expect(JSON.stringify([...plan.prompts, plan.inputTexts])).not.toContain('merlin');
  });
});

describe('switched off, and shadowed', () => {
  const own = {
    'rules/r.md': skillText('r', 'The word is osprey.', RULE),
    'skills/s/SKILL.md': skillText('s', 'The word is hobby.'),
  };
  const skills = {
    r: skillText('r', 'The word is kestrel.', RULE),
    s: skillText('s', 'The word is merlin.'),
  };

  test('a rule that would come along is left out once for each member: no other file takes its place', async () => {
    const at = settled(await among({ skills }, own), { disabled: off('r') });
    const plan = await planOf(at);
    for (const member of ['boss', 'worker']) {
      expect(promptOf(plan, member)).not.toMatch(/kestrel|osprey/);
      expect(seatOf(plan, member).entries.map(({ name }) => name)).not.toContain('r');
      const detail = `r is disabled by ${SETTINGS}`;
      expect(plan.entries.filter((fact) => fact.member === member)).toEqual([
        { type: 'entry.omitted', member, entry: 'r', reason: 'disabled', detail },
      ]);
    }
    expect(await standing(at, 'r')).toEqual({ global: 'shadowed', mission: 'disabled' });
  });

  test('a skill that a role names is refused once', async () => {
    const at = await among({ skills, roles: { worker: { skills: ['s'] } } }, own);
    expect(await errorsOf(settled(at, { disabled: off('s') }))).toMatchObject([
      { code: 'entry-disabled', message: `skill "s" is disabled by ${SETTINGS}` },
    ]);
  });
});

describe('own folders as reference text', () => {
  const own = {
    'skills/g/SKILL.md': skillText('g', 'The word is kestrel.', ['always_on: true']),
    'skills/unnamed/SKILL.md': skillText('unnamed', 'The word is harrier.'),
    'rules/evidence-first.md': skillText('evidence-first', 'The word is osprey.', RULE),
  };
  const reference = { globalTrust: 'reference' } as const;

  test('a skill that is named is shown, for the reason that is true; a rule hides nothing; each is said once', async () => {
    const at = settled(await among({ roles: { worker: { skills: ['g'] } } }, own), reference);
    const plan = await planOf(at);
    const worker = seatOf(plan, 'worker');
    expect(textOf(plan, worker.reference?.sha256 ?? '')).toContain('The word is kestrel.');
    expect(promptOf(plan, 'worker')).toContain('[Rule: evidence-first]');
    expect(JSON.stringify([...plan.prompts])).not.toMatch(/kestrel|osprey|harrier/);
    const byName = (name: string) => worker.entries.filter((entry) => entry.name === name);
    expect(byName('g')).toMatchObject([
      { tier: 'global', trust: 'reference', level: 'role', approval: null },
    ]);
    expect(byName('evidence-first')).toMatchObject([{ tier: 'builtin', trust: 'instruction' }]);
    const said = plan.findings.filter(({ message }) => message.includes('global-trust'));
    expect(said.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      [
        'reference-text',
        'info',
        'skill "g" is used as reference text, not as an instruction: skills.global-trust is reference',
      ],
      [
        'reference-only',
        'info',
        'not used: skills.global-trust is reference, and a rule is no reference text',
      ],
    ]);
    for (const { message, remedy } of said) expect(message + remedy).not.toMatch(/approved it|bnerd trust/);
    const described = await describePrompt(at.house, WISHES, 'worker');
    expect(described).toMatchObject({
      kind: 'found',
      value: { reference: { sha256: worker.reference?.sha256, entries: [{ name: 'g', tier: 'global' }] } },
    });
    expect(described.kind === 'found' && described.value.sha256).toBe(worker.prompt_sha256);
  });

  test('one that is switched off as well is refused as that, and nothing says that it is shown', async () => {
    const at = settled(await among({ roles: { worker: { skills: ['g'] } } }, own), {
      ...reference,
      disabled: off('g'),
    });
    expect(await errorsOf(at)).toMatchObject([
      { code: 'entry-disabled', message: `skill "g" is disabled by ${SETTINGS}` },
    ]);
    const described = await describePrompt(at.house, WISHES, 'worker');
    expect(JSON.stringify(described)).not.toContain('reference-text');
  });
});
