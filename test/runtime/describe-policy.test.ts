// spec/team.md §3 "`describe --policy` prints it": the cells are written out here by hand, from the specification.
import { describe, expect, test } from 'vitest';
import { policyText } from '../../src/cli/texts/policy-text.js';
import { type DescribedPolicy, describePolicy } from '../../src/runtime/describe-policy.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { WORK_TOOLS } from '../../src/tools/catalogue.js';
import { writeBesideProject } from '../helpers/heard.js';
import { type PolicyTableRow, policyRows } from '../helpers/policy-table.js';
import { type Mission, ORDER, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

async function described(mission: Mission = JOB, wish: 'read-only' | null = null): Promise<DescribedPolicy> {
  const found = await describePolicy((await writeMission(mission)).house, 'job', wish);
  if (found.kind === 'refused') throw new Error(JSON.stringify(found.findings));
  return found.value;
}

const FULL: Mission = { ...JOB, recipe: { ...JOB.recipe, safety: 'full' } };

/** What a call of a tool in a class meets in a mode, for never, safe and all. */
function cell(policy: DescribedPolicy, safety: string, toolClass: string, tool: string): string {
  const rows = policy.tables.find((table) => table.safety === safety && !table.planPending)?.rows ?? [];
  const row = rows.filter((one) => one.class === toolClass && one.tools.includes(tool));
  return row.map(({ never, safe, all }) => `${never} ${safe} ${all}`).join(' and ');
}

/** The cells of the printed tables, by mode, class, tool, rule and flag. */
function printedCells(text: string): Map<string, string> {
  const cells = new Map<string, string>();
  let mode = '';
  let row = { class: '', tools: [''] };
  for (const line of text.split('\n')) {
    mode = /^(\S.*?) {2,}never +safe +all /.exec(line)?.[1] ?? mode;
    const found = /^ {2}(read|write|destructive) +(\w+) +(\w+) +(\w+) +(.*)$/.exec(line);
    if (found !== null) row = { class: found[1] ?? '', tools: (found[5] ?? '').split(', ') };
    const ruled = /^ {4}with an? (allow|ask|deny) rule +(\w+) +(\w+) +(\w+)$/.exec(line);
    const verdicts = ruled ?? found;
    if (verdicts === null) continue;
    for (const tool of row.tools)
      for (const [at, flag] of ['never', 'safe', 'all'].entries())
        cells.set([mode, row.class, tool, ruled?.[1] ?? 'none', flag].join(' / '), verdicts[at + 2] ?? '');
  }
  return cells;
}

describe('the policy of a recipe', () => {
  test.each([
    ['read-only', 'read', 'fs_read_file', 'free free free'],
    ['read-only', 'read', 'git_log', 'free free free'],
    ['read-only', 'read', 'shell_exec', 'ask allow allow'],
    ['read-only', 'write', 'fs_write_file', 'deny deny deny'],
    ['read-only', 'write', 'shell_exec', 'deny deny deny'],
    ['read-only', 'destructive', 'fs_delete', 'deny deny deny'],
    ['non-destructive', 'read', 'shell_exec', 'ask allow allow'],
    ['non-destructive', 'write', 'fs_edit_file', 'ask ask allow'],
    ['non-destructive', 'write', 'git_commit', 'ask ask allow'],
    ['non-destructive', 'write', 'shell_exec', 'ask ask allow'],
    ['non-destructive', 'destructive', 'shell_exec', 'deny deny deny'],
    ['full', 'read', 'fs_grep', 'free free free'],
    ['full', 'write', 'shell_exec', 'ask ask allow'],
    ['full', 'destructive', 'fs_delete', 'ask ask allow'],
    ['full', 'destructive', 'shell_exec', 'ask ask allow'],
  ])('%s, %s %s: %s', async (safety, toolClass, tool, verdicts) => {
    expect(cell(await described(FULL), safety, toolClass, tool)).toBe(verdicts);
  });

  test('every work tool has its row in every mode, and no mode is looser than the floor', async () => {
    const full = await described(FULL);
    expect(full.tables.map(({ safety }) => safety)).toEqual(['read-only', 'non-destructive', 'full']);
    for (const { rows } of full.tables) {
      const tools = new Set(rows.flatMap((row) => row.tools));
      expect([...tools].sort()).toEqual(WORK_TOOLS.map(({ name }) => name).sort());
    }
    const tight = await described(FULL, 'read-only');
    expect(tight.tables.map(({ safety }) => safety)).toEqual(['read-only']);
  });

  test('a member in plan mode has a table of its own: nothing but reading before the plan is approved', async () => {
    const policy = await described({
      ...FULL,
      recipe: { ...FULL.recipe, plan_approval: true },
      roles: { boss: {}, worker: { base: 'write', permissionMode: 'plan' } },
    });
    const pending = policy.tables.filter(({ planPending }) => planPending);
    expect(pending.map(({ safety }) => safety)).toEqual(['read-only', 'non-destructive', 'full']);
    for (const row of pending.flatMap(({ rows }) => rows)) {
      if (row.class !== 'read') expect([row.never, row.safe, row.all]).toEqual(['deny', 'deny', 'deny']);
    }
  });

  test('the table by hand, what is described, and what is printed agree in every cell', async () => {
    const skills = {
      deeds: `---\nname: deeds\ndescription: About deeds.\ntools:\n${['read', 'write', 'destructive']
        .map((name) => `  - {name: provided-${name}, description: Does it, run: [cat], class: ${name}}`)
        .join('\n')}\n---\nUse them.\n`,
    };
    const policy = await described({
      ...FULL,
      skills,
      recipe: { ...FULL.recipe, plan_approval: true },
      roles: { boss: { skills: ['deeds'] }, worker: { base: 'write', permissionMode: 'plan' } },
    });
    const printed = printedCells(policyText(policy));
    const tools: Partial<Record<PolicyTableRow['calls'], Readonly<Record<string, string>>>> = {
      own: { read: 'fs_read_file', write: 'fs_write_file', destructive: 'fs_delete' },
      shell: { read: 'shell_exec', write: 'shell_exec', destructive: 'shell_exec' },
      web: { read: 'web_fetch' },
      provided: {
        read: 'provided-read',
        write: 'provided-write',
        destructive: 'provided-destructive',
      },
    };
    let compared = 0;
    for (const { calls, title, question, rule, verdict } of policyRows()) {
      const { safety, class: toolClass, planPending, autoApprove } = question;
      const tool = tools[calls]?.[toolClass];
      if (tool === undefined) continue;
      const row = policy.tables
        .find((table) => table.safety === safety && table.planPending === planPending)
        ?.rows.find((one) => one.class === toolClass && one.tools.includes(tool));
      const cells = rule === 'none' ? row : row?.ruled[rule];
      const place = [
        planPending ? `${safety}, plan not approved` : safety,
        toolClass,
        tool,
        rule,
        autoApprove,
      ];
      expect([title, cells?.[autoApprove], printed.get(place.join(' / '))]).toEqual([
        title,
        verdict,
        verdict,
      ]);
      compared++;
    }
    expect(compared).toBe((18 + 18 + 6 + 18) * 12);
  });

  test('rules and patterns are listed with where they stand, and a shell that writes is called what it is', async () => {
    const policy = await described({
      ...FULL,
      recipe: {
        ...FULL.recipe,
        permissions: [{ tool: 'shell_exec', match: 'git diff *', decision: 'allow' }],
        edits_agents: true,
      },
      roles: { boss: {}, worker: { tools: 'Read, Bash(npm test:*)' } },
    });
    expect(policy.rules).toEqual([
      { tool: 'shell_exec', match: 'git diff *', decision: 'allow', origin: 'recipe' },
    ]);
    const worker = policy.members.find(({ name }) => name === 'worker');
    expect(worker?.tools).toContain('shell_exec');
    expect(worker?.patterns).toMatchObject([{ tool: 'shell_exec', decision: 'allow' }]);
    const text = policyText(policy);
    expect(text).toMatch(/^policy of job; a run has safety full /);
    expect(text).toMatch(/^ {2}allow shell_exec git diff \*, of the recipe$/m);
    expect(text).toMatch(/^ {4}allow shell_exec .*, of its role$/m);
    expect(text).toMatch(/^ {2}destructive +ask +ask +allow +fs_delete, shell_exec, delegate_engineer$/m);
    expect(text).toContain('no boundary for it');
    expect(text).toContain('ask every write into an agent folder');
  });

  test('without such a shell it is not said', async () => {
    const text = policyText(await described(JOB, 'read-only'));
    expect(text).not.toContain('no boundary');
    expect(text).toContain('  none\n');
  });

  test('who holds web_fetch can send out what it reads, read-only or not; without one it is not said', async () => {
    const told = 'can send what it reads to any host';
    for (const wish of ['read-only', null] as const)
      expect(policyText(await described(JOB, wish))).toContain(told);
    const disallowedTools = ['web_fetch'];
    const roles = { boss: { disallowedTools }, worker: { base: 'write', disallowedTools } };
    expect(policyText(await described({ ...JOB, roles }))).not.toContain(told);
  });

  describe('tools that entries provide', () => {
    const provider = (name: string, ...tools: readonly string[]): string =>
      `---\nname: ${name}\ndescription: About ${name}.\ntools:\n${tools.join('\n')}\n---\nUse them.\n`;
    const one = (name: string, toolClass: string): string =>
      `  - {name: ${name}, description: Does it, run: [cat], class: ${toolClass}}`;
    const skills = {
      speech: provider('speech', one('say', 'write'), one('hear', 'read'), one('forget', 'destructive')),
      song: provider('song', one('say', 'read')),
    };
    const providing: Mission = {
      ...FULL,
      skills,
      roles: {
        boss: { skills: ['song'] },
        worker: { base: 'write', skills: ['speech'], disallowedTools: ['forget'] },
      },
    };

    test.each([
      ['read-only', 'read', 'hear', 'ask ask allow'],
      ['read-only', 'write', 'say', 'deny deny deny'],
      ['non-destructive', 'read', 'hear', 'ask ask allow'],
      ['non-destructive', 'write', 'say', 'ask ask allow'],
      ['non-destructive', 'destructive', 'forget', 'deny deny deny'],
      ['full', 'destructive', 'forget', 'ask ask allow'],
      // Another entry provides a tool of this name to another member, in another class.
      ['full', 'read', 'say', 'ask ask allow'],
      ['full', 'write', 'hear', ''],
    ])('%s, %s %s: %s', async (safety, toolClass, tool, verdicts) => {
      expect(cell(await described(providing), safety, toolClass, tool)).toBe(verdicts);
    });

    test('each member has those that it would be offered, with class and entry; what it is not offered is said', async () => {
      const policy = await described(providing);
      const of = (name: string) => policy.members.find((member) => member.name === name);
      expect(of('boss')?.provided).toEqual([{ name: 'say', class: 'read', entry: 'song' }]);
      expect(of('worker')?.provided).toEqual([
        { name: 'say', class: 'write', entry: 'speech' },
        { name: 'hear', class: 'read', entry: 'speech' },
      ]);
      expect(of('worker')?.tools).toEqual([
        ...WORK_TOOLS.map(({ name }) => name).filter((name) => of('worker')?.tools.includes(name)),
        'say',
        'hear',
      ]);
      expect(policy.findings).toContainEqual(
        expect.objectContaining({
          code: 'tool-not-offered',
          message: expect.stringContaining('worker is not offered forget (destructive)'),
        }),
      );
      const text = policyText(policy);
      expect(text).toMatch(/^ {2}worker: fs_read_file, .*, say, hear$/m);
      expect(text).toMatch(/^ {4}say \(write\) is provided by its entry speech$/m);
      expect(text).toMatch(/^ {4}hear \(read\) is provided by its entry speech$/m);
      expect(text).toMatch(/^ {2}boss: .*say$/m);
      expect(text).toMatch(/^ {4}say \(read\) is provided by its entry song$/m);
      expect(text).toMatch(
        /^ {2}destructive +ask +ask +allow +fs_delete, shell_exec, delegate_engineer, forget$/m,
      );
      // The verdicts are those that a run would record: the tools are those of its seats.
      const prepared = await prepareRun((await writeMission(providing)).house, ORDER);
      const seats = prepared.kind === 'ready' ? prepared.plan.started.seats : [];
      for (const { member, tools } of seats)
        expect(tools.filter(({ entry }) => entry !== null)).toEqual(of(member)?.provided);
    });

    test('what nobody has approved provides none; two tools of one name refuse as they refuse the run', async () => {
      const at = await writeBesideProject(
        { ...FULL, roles: { boss: {}, worker: { skills: ['speech'] } } },
        { '.bnerd/skills/speech/SKILL.md': skills.speech },
      );
      const found = await describePolicy(at.house, 'job', null);
      expect(found.kind === 'found' && found.value.members.flatMap(({ provided }) => provided)).toEqual([]);
      expect(JSON.stringify(found)).not.toMatch(/"(?:say|hear|forget)"/);
      const colliding = { ...providing, roles: { boss: {}, worker: { skills: ['speech', 'song'] } } };
      const refused = await describePolicy((await writeMission(colliding)).house, 'job', null);
      expect(refused).toMatchObject({ kind: 'refused' });
      expect(JSON.stringify(refused)).toContain('tool-collision');
    });
  });
});
