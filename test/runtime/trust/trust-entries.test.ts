import { expect, test } from 'vitest';
import { operatorsDesk } from '../../helpers/trust-desk.js';

const skill = (name: string): string => `---\nname: ${name}\ndescription: d\n---\nx\n`;

test('names that look alike are told with both, whichever of the two is looked at, and those of other tiers too', async () => {
  const at = await operatorsDesk({
    '.bnerd/skills/deploy.md': skill('deploy'),
    '.claude/skills/second/SKILL.md': skill('dерlоу'),
    '.bnerd/skills/alone.md': skill('alone'),
    // Like one of the package.
    '.bnerd/skills/third.md': skill('lеading-a-team'),
  });
  const told = async (name: string): Promise<readonly string[]> => {
    const { state } = await at.subject(name);
    return state.findings.filter(({ code }) => code === 'look-alike-name').map(({ message }) => message);
  };
  expect(await told('deploy')).toEqual([
    expect.stringMatching(/"deploy" looks like "dерlоу" of .*second\/SKILL\.md$/),
  ]);
  expect(await told('dерlоу')).toEqual([
    expect.stringMatching(/"dерlоу" looks like "deploy" of .*deploy\.md$/),
  ]);
  expect(await told('alone')).toEqual([]);
  expect(await told('lеading-a-team')).toEqual([expect.stringContaining('looks like "leading-a-team" of ')]);
});
