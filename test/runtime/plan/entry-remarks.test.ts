// What a lint says of entries that do not fit their members well (spec/skills.md §1).
import { describe, expect, test } from 'vitest';
import { lintCatalogue } from '../../../src/runtime/lint.js';
import type { Finding } from '../../../src/shared/findings.js';
import { skillText, writeBesideProject } from '../../helpers/heard.js';
import { mission, planOf, promptOf } from './plans.js';

describe('what lint says of entries that fit ill', () => {
  test('applies_to elsewhere is a note; allowed and suggested tools that are lacking are warnings; a run says none', async () => {
    const at = await writeBesideProject(
      mission({
        skills: {
          a: skillText('a', 'x', ['applies_to: [chat, pa]']),
          b: skillText('b', 'x', ['allowed-tools: [Read, WebFetch, "Bash(git diff:*)"]']),
          c: skillText('c', 'x', ['metadata: {suggested-tools: "Grep, browser"}']),
        },
        roles: { worker: { base: 'read', tools: ['Read', 'Grep'], skills: ['a', 'b', 'c'] } },
      }),
      {},
    );
    const said = (await lintCatalogue(at.house, ['job'])).findings;
    const of = (code: string): readonly Finding[] => said.filter((finding) => finding.code === code);
    expect(of('applies-elsewhere')).toMatchObject([
      {
        severity: 'info',
        path: expect.stringMatching(/worker\.md$/),
        message: 'skill a applies to chat, pa; worker gets it all the same, since it is named',
      },
    ]);
    expect(of('allowed-tools-lacking')).toMatchObject([
      {
        severity: 'warning',
        message: 'skill b counts on WebFetch, Bash(git diff:*) (allowed-tools), which worker does not have',
      },
    ]);
    expect(of('suggested-tool-unknown')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('"browser"') },
    ]);
    const plan = await planOf(at);
    const codes = plan.findings.map(({ code }) => code);
    for (const code of ['applies-elsewhere', 'allowed-tools-lacking', 'suggested-tool-unknown'])
      expect(codes).not.toContain(code);
    expect(promptOf(plan, 'worker')).toContain('[Skill: a]');
  });
});
