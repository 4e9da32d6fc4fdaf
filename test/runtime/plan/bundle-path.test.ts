// What a partial entry says of the files of its bundle (spec/skills.md §5), by the plan of a run.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { skillText, writeBesideProject } from '../../helpers/heard.js';
import { mission, planOf, promptOf } from './plans.js';

describe('the files of a bundle', () => {
  const partial = skillText('a', 'Run scripts/check.sh first.');

  test('in the workspace a reference is a path that tools take; elsewhere it is not available', async () => {
    const at = await writeBesideProject(
      mission({ skills: { a: partial }, roles: { worker: { skills: ['a'] } } }),
      {},
    );
    expect(promptOf(await planOf(at), 'worker')).toContain('Run (not available here) first.');
    const inside = mission({ roles: { worker: { skills: ['a'] }, boss: { tools: [], skills: ['a'] } } });
    const beside = await writeBesideProject(inside, {});
    const bundle = join(beside.workspace, '.bnerd/skills/a');
    await mkdir(dirname(join(bundle, 'x')), { recursive: true });
    await writeFile(join(bundle, 'SKILL.md'), partial);
    const house = { ...beside.house, project: { root: beside.workspace, folders: [beside.workspace] } };
    const plan = await planOf({
      ...beside,
      house: {
        ...house,
        trust: {
          ...house.trust,
          placeTrusted: async () => true,
          verdict: async () => ({ kind: 'trusted', by: 'a test' }),
        },
      },
    });
    expect(promptOf(plan, 'worker')).toContain('Run .bnerd/skills/a/scripts/check.sh first.');
    // A member that cannot read files is told of none.
    expect(promptOf(plan, 'boss')).toContain('Run (not available here) first.');
    for (const member of ['boss', 'worker']) expect(promptOf(plan, member)).not.toContain(beside.workspace);
  });
});
