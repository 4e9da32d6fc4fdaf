import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceReferences, supportBadge } from '../../src/skills/support.js';

const CLEAN = { body: 'Plain prose.', values: ['a', 'b'], declaresTools: false };

describe('the badge', () => {
  test('is full for plain frontmatter and prose', () => {
    expect(supportBadge(CLEAN)).toBe('full');
  });

  test('is partial when tools are declared', () => {
    expect(supportBadge({ ...CLEAN, declaresTools: true })).toBe('partial');
  });

  test('is partial when the body refers to a file of the bundle', () => {
    expect(supportBadge({ ...CLEAN, body: 'Run scripts/x.py now.' })).toBe('partial');
  });

  test('is partial when a frontmatter value refers to one and the body is clean', () => {
    expect(supportBadge({ ...CLEAN, values: ['a', 'scripts/x'] })).toBe('partial');
  });
});

describe('what is a reference', () => {
  test.each([
    ['Run scripts/x.py now.', 'Run (not available here) now.'],
    ['Read `references/guide.md`.', 'Read `(not available here)`.'],
    ['See references/guide.md.', 'See (not available here).'],
    ['See references/guide.md: it says', 'See (not available here): it says'],
    ['All of assets/ is there', 'All of (not available here) is there'],
    ['Run `./scripts/run.sh --all`', 'Run `(not available here) --all`'],
    ['python {baseDir}/scripts/tmdb.py search', 'python (not available here) search'],
    ['$\x7bCLAUDE_SKILL_ROOT}/scripts/a.sh', '(not available here)'],
    ['[the guide](references/guide.md)', '[the guide](not available here)'],
    ['![](assets/logo.png) shows it', '![](not available here) shows it'],
    ['(see scripts/a)', '(see (not available here))'],
    ['**references/a.md** and *scripts/b*', '**(not available here)** and *(not available here)*'],
    ['scripts/*.py', '(not available here)'],
    ['references/<topic>.md', '(not available here)'],
    ['`assets/[file].json`', '`(not available here)`'],
    ['[references/a](references/a)', '[(not available here)](not available here)'],
    ['<references/a.md>', '<(not available here)>'],
    ['scripts/a, scripts/b; scripts/c', '(not available here), (not available here); (not available here)'],
    ['x="scripts/a"', 'x="(not available here)"'],
    ['@references/ui.md#top', '@(not available here)'],
  ])('%j reads %j', (written, read) => {
    expect(replaceReferences(written)).toBe(read);
  });

  test.each([
    'Node.js and Vue.js are programs.',
    'https://example.com/assets/logo.png',
    'http://assets/x and ftp://scripts/y',
    'See https://example.com/?file=scripts/x for more',
    'src/assets/logo.png belongs to the project',
    '../scripts/x leads out of the bundle',
    'shared-references/a.md',
    'docs/{folder}/assets/',
    'my_scripts/x',
    'manuscripts/x',
    'the scripts folder, the assets, the references',
    'Scripts/X on another shelf',
    '$scripts/x',
  ])('%j is left alone', (written) => {
    expect(replaceReferences(written)).toBe(written);
    expect(supportBadge({ ...CLEAN, body: written })).toBe('full');
  });

  test('a bundle in reach is referred to by the path that its tools accept', () => {
    const text = 'Run `./scripts/a.py` or [this](references/b.md), not https://x.org/scripts/c.';
    expect(replaceReferences(text, 'orchestrator/skills/s')).toBe(
      'Run `orchestrator/skills/s/scripts/a.py` or [this](orchestrator/skills/s/references/b.md), not https://x.org/scripts/c.',
    );
  });
});

describe('a bundle in reach', () => {
  test.each([
    ['scripts/a.py', 'skills/s', 'skills/s/scripts/a.py'],
    ['./scripts/a.py', 'skills/s/', 'skills/s/scripts/a.py'],
    ['$\x7bCLAUDE_SKILL_ROOT}/scripts/a.sh -x', 'skills/s', 'skills/s/scripts/a.sh -x'],
    ['[the guide](references/guide.md#top).', 'skills/s', '[the guide](skills/s/references/guide.md#top).'],
    ['![](assets/logo.png)', 'skills/s', '![](skills/s/assets/logo.png)'],
    ['```sh\nbash scripts/a.sh\n```', 'skills/s', '```sh\nbash skills/s/scripts/a.sh\n```'],
    ['`references/<topic>.md`', 'skills/s', '`skills/s/references/<topic>.md`'],
    ['All of assets/.', 'skills/s', 'All of skills/s/assets/.'],
    ['scripts/a.py', '.', 'scripts/a.py'],
    ['./scripts/a.py', '.', 'scripts/a.py'],
    ['scripts/a.py', 'my skills/s', 'my skills/s/scripts/a.py'],
  ])('%j in %j reads %j', (written, bundle, read) => {
    expect(replaceReferences(written, bundle)).toBe(read);
  });

  test('is not left by a reference', () => {
    expect(replaceReferences('scripts/../../../etc/passwd', 'skills/s')).toBe('(not available here)');
    expect(replaceReferences('scripts/../references/a.md', 'skills/s')).toBe(
      'skills/s/scripts/../references/a.md',
    );
  });

  test.each(['a\nb', 'a\u2028b', '```a', 'a`b', '~~~', ' a', 'a ', ''])(
    'whose path is %j cannot be named in a text: it counts as out of reach',
    (bundle) => {
      expect(replaceReferences('scripts/a.py', bundle)).toBe('(not available here)');
    },
  );
});

describe('replacing', () => {
  const word = fc.constantFrom(
    'scripts/a.py',
    './assets/x.png',
    '[l](references/r.md)',
    '```',
    '~~~',
    '```sh scripts/b',
    '`scripts/c`',
    'https://h.org/assets/',
    'prose',
    '    ',
    '(',
    ')',
    '\\',
    '**',
  );
  const document = fc
    .array(fc.array(word, { maxLength: 5 }).map((words) => words.join(' ')))
    .map((lines) => lines.join('\n'));
  const bundlePath = fc.constantFrom(null, 'skills/s', '.', '/abs/s', '```', '~~~', '- a', '> b');
  const fencesOf = (text: string): string[] => text.match(/^ {0,3}(?:`{3,}|~{3,})/gm) ?? [];

  test('keeps every line and every fence in its place', () => {
    fc.assert(
      fc.property(document, bundlePath, (text, bundle) => {
        const read = replaceReferences(text, bundle);
        expect(read.split('\n')).toHaveLength(text.split('\n').length);
        expect(fencesOf(read)).toEqual(fencesOf(text));
        expect(read.match(/`/g)).toEqual(text.match(/`/g));
      }),
    );
  });

  test('leaves nothing to replace', () => {
    fc.assert(
      fc.property(document, (text) => {
        const once = replaceReferences(text);
        expect(replaceReferences(once)).toBe(once);
      }),
    );
  });

  test.each([
    'a'.repeat(65_536),
    'a.'.repeat(32_768),
    `scripts/${'.'.repeat(65_000)}`,
    'scripts/a '.repeat(6_500),
  ])('is linear on long texts (%#)', (text) => {
    expect(replaceReferences(text).length).toBeGreaterThan(0); // a quadratic search would outlast the test
  });
});
