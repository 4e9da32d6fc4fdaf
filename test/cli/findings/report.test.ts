import { describe, expect, test } from 'vitest';
import { type REPORT_FORMATS, reportText, summaryLine } from '../../../src/cli/findings/report.js';
import type { Finding } from '../../../src/shared/findings.js';
import { folders, ODD } from './odd-findings.js';
import { readSarif } from './sarif-shape.js';

const finding: Finding = {
  code: 'odd',
  severity: 'error',
  path: '/repo/sub/a.md',
  line: 3,
  message: 'm',
  remedy: 'r',
};

function report(format: (typeof REPORT_FORMATS)[number], findings: readonly Finding[]): string {
  return reportText(format, { checked: ['/repo/sub/a.md'], findings }, folders, '1.2.3');
}

describe('text', () => {
  test('is a finding a line, with the path from the working directory', () => {
    expect(report('text', [finding, { ...finding, path: '/repo/roles/b.md' }])).toBe(
      'a.md:3: error odd m (r)\n/repo/roles/b.md:3: error odd m (r)\n',
    );
  });

  test('what was typed stays as it was typed', () => {
    for (const path of ['./x/../a.md', '~/.bnerd.yaml', '--var', 'slug'])
      expect(report('text', [{ ...finding, path }])).toBe(`${path}:3: error odd m (r)\n`);
  });

  test.each(ODD)('%s: one line, which no reader of logs takes for a command', (_, odd) => {
    const text = report('text', [odd]);
    expect(text.trimEnd().split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(1);
    expect(text).not.toMatch(/^\s*::|##\[/);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u{e0041}]/u);
  });
});

describe('json', () => {
  test('has the version, the files with what became of each, and the findings with their paths', () => {
    expect(JSON.parse(report('json', [finding]))).toEqual({
      v: 1,
      files: 1,
      outcomes: [{ path: 'a.md', outcome: 'refused' }],
      findings: [{ ...finding, path: 'a.md' }],
    });
  });

  test.each(ODD)('%s: comes back as it was, and no terminal obeys it on the way', (_, odd) => {
    const text = report('json', [odd]);
    expect(JSON.parse(text).findings).toEqual([odd]);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe('sarif', () => {
  test('each code is one rule, each finding a result with level, file and line', () => {
    const run = readSarif(
      report('sarif', [
        finding,
        { ...finding, severity: 'info', code: 'other', path: '/repo/roles/b.md' },
        { code: 'odd', severity: 'warning', path: '/elsewhere/c.md', message: 'm2', remedy: 'r2' },
      ]),
    );
    expect(run.tool.driver.rules.map(({ id }) => id)).toEqual(['odd', 'other']);
    expect(run.tool.driver.rules[0]).toMatchObject({
      shortDescription: { text: 'Odd' },
      defaultConfiguration: { level: 'error' },
    });
    expect(run.results).toEqual([
      {
        ruleId: 'odd',
        ruleIndex: 0,
        level: 'error',
        message: { text: 'm (r)' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'sub/a.md', uriBaseId: '%SRCROOT%' },
              region: { startLine: 3 },
            },
          },
        ],
      },
      expect.objectContaining({ ruleId: 'other', ruleIndex: 1, level: 'note' }),
      {
        ruleId: 'odd',
        ruleIndex: 0,
        level: 'warning',
        message: { text: 'm2 (r2)' },
        locations: [{ physicalLocation: { artifactLocation: { uri: 'file:///elsewhere/c.md' } } }],
      },
    ]);
    expect(run.invocations).toEqual([{ executionSuccessful: true, toolConfigurationNotifications: [] }]);
  });

  test('a path is percent-encoded, segment by segment', () => {
    const path = "/repo/a b/c#d?e%20[f]/ü:\\'.md";
    const [result] = readSarif(report('sarif', [{ ...finding, path }])).results;
    const location = result?.locations[0]?.physicalLocation.artifactLocation;
    expect(location?.uri).toBe("a%20b/c%23d%3Fe%2520%5Bf%5D/%C3%BC%3A%5C'.md");
    expect(decodeURIComponent(location?.uri ?? '')).toBe(path.slice('/repo/'.length));
  });

  test('what is no file of the tree is a notification of the run, which then did not go well', () => {
    const run = readSarif(report('sarif', [{ ...finding, path: '~/.bnerd.yaml' }]));
    expect(run.results).toEqual([]);
    expect(run.tool.driver.notifications.map(({ id }) => id)).toEqual(['odd']);
    expect(run.invocations[0]).toEqual({
      executionSuccessful: false,
      toolConfigurationNotifications: [
        { descriptor: { id: 'odd' }, level: 'error', message: { text: '~/.bnerd.yaml: m (r)' } },
      ],
    });
  });

  test('without findings it is a whole log with nothing in it', () => {
    expect(readSarif(report('sarif', [])).results).toEqual([]);
  });

  test.each(ODD)('%s: a log that fits, and no terminal obeys it', (_, odd) => {
    const text = report('sarif', [odd]);
    expect(readSarif(text).results).toHaveLength(1);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

test('the summary counts what became of the files, and severities', () => {
  expect(summaryLine({ checked: ['/repo/sub/a.md'], findings: [finding] })).toBe(
    '1 file: 0 loaded, 0 repaired, 1 refused; 1 error, 0 warnings, 0 remarks',
  );
  const repaired: Finding = { ...finding, code: 'repaired-frontmatter', severity: 'info', path: 'b' };
  expect(summaryLine({ checked: ['a', 'b', 'c'], findings: [repaired] })).toBe(
    '3 files: 2 loaded, 1 repaired, 0 refused; 0 errors, 0 warnings, 1 remark',
  );
});
