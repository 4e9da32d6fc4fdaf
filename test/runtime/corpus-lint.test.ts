// `team lint` by path over the role files of strangers: shape, tools and skills, in one call.
import { describe, expect, test } from 'vitest';
import { fileOutcome } from '../../src/catalog/files/file-outcome.js';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { formatFinding } from '../../src/shared/findings.js';
import { corpusFiles, expectedOutcome, hasCorpus } from '../helpers/role-corpus.js';
import { writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

describe.skipIf(!hasCorpus)('needs the corpus: lint by path', () => {
  const files = hasCorpus ? corpusFiles() : [];

  test('says of each file what an independent reading of its shape and tools says', async () => {
    const { house } = await writeMission(JOB);
    const report = await lintCatalogue(house, files);
    expect(report.checked).toEqual(files);
    const counts = new Map<string, number>();
    const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const path of files) {
      const expected = expectedOutcome(path, 'with-tools');
      const errors = report.findings.filter(
        (finding) => finding.path === path && finding.severity === 'error',
      );
      expect([path, fileOutcome(path, report.findings)]).toEqual([path, expected.kind]);
      const none = expected.kind === 'refused' && expected.why === 'no-tools';
      expect([path, errors.some(({ code }) => code === 'no-tools-resolve')]).toEqual([path, none]);
      count(expected.kind === 'refused' ? `refused: ${expected.why}` : expected.kind);
    }
    expect([...counts.values()].reduce((sum, one) => sum + one, 0)).toBe(737);
    for (const what of [
      'loaded',
      'repaired',
      'refused: no-frontmatter',
      'refused: yaml',
      'refused: no-tools',
    ])
      expect([what, counts.get(what) ?? 0]).toEqual([what, expect.toSatisfy((number: number) => number > 0)]);
    // Severity of skills: nobody here has what strangers name, and their files are no worse for it.
    const codes = new Set(report.findings.map(({ code, severity }) => `${severity} ${code}`));
    expect(codes).toContain('warning unknown-skill');
    expect(codes).not.toContain('error unknown-skill');
    expect(codes).not.toContain('error unknown-tool');
  });

  test('says of a file alone what it says of it among others', async () => {
    const { house } = await writeMission(JOB);
    const lines = async (targets: readonly string[]): Promise<string[]> =>
      (await lintCatalogue(house, targets)).findings.map(formatFinding);
    const some = files.filter((_, at) => at % 37 === 0);
    const alone: string[] = [];
    for (const path of some) alone.push(...(await lines([path])));
    expect((await lines([...some].reverse())).sort()).toEqual([...alone].sort());
    expect(alone.length).toBeGreaterThan(0);
  });
});
