import { array, assert, asyncProperty, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headFields } from '../../../src/catalog/files/head-fields.js';
import { scanFields } from '../../../src/catalog/files/scan-fields.js';
import { readRoleMapping } from '../../../src/catalog/roles/role-mapping.js';

const WANTED = ['name', 'description'];

describe('the scanner of one-line values', () => {
  test.each([
    ['name: a-b\ndescription: Reviews pull requests, quickly', ['a-b', 'Reviews pull requests, quickly']],
    ['name: "a b"\ndescription: \'it\'\'s "fine": really # yes\'', ['a b', 'it\'s "fine": really # yes']],
    ['# head\n\nname: x\ntasks:\n  - name: inner\nroles: [a]\ndescription: y', ['x', 'y']],
    ['roles:\n- a\n- b\nname: x\ndescription: see http://a.b/c', ['x', 'see http://a.b/c']],
    ['description: only', [undefined, 'only']],
  ])('reads %j', (text, [name, description]) => {
    const values = scanFields(text, WANTED);
    expect([values?.get('name'), values?.get('description')]).toEqual([name, description]);
  });

  test.each([
    'description: >\n  folded',
    'description: |',
    'description: one\n  two',
    'description: Use: this',
    'description: a # comment',
    'description: [a]',
    'description: *alias',
    'description: "a\\n"',
    'description: "open',
    'description: true',
    'description: Null',
    'description: 12',
    'description:',
    'name: a\nname: b',
    '"name": a',
    '? name',
    'name:\ta',
    '--- ',
  ])('hands %j to the parser', (text) => expect(scanFields(text, WANTED)).toBeUndefined());

  test('over generated frontmatter it gives what the parser gives, or nothing', async () => {
    const word = oneof(
      string({ maxLength: 12 }),
      constantFrom(
        'true',
        'null',
        '~',
        '1e3',
        '0x1F',
        'a: b',
        "it's",
        '"q"',
        "'q'",
        '- x',
        'x #y',
        'é',
        '!t',
        '&a',
        '%',
        '|',
      ),
    );
    const line = tuple(constantFrom('name: ', 'description: ', 'other: ', '  ', '- ', '#', ''), word).map(
      ([a, b]) => a + b,
    );
    await assert(
      property(array(line, { maxLength: 5 }), (lines) => {
        const frontmatter = `${lines.join('\n')}\n`;
        const read = readRoleMapping('x.md', `---\n${frontmatter}---\n`);
        const scanned = scanFields(frontmatter, WANTED);
        // A file that is no YAML elsewhere may still be listed; reading it whole refuses it.
        if (scanned === undefined || read.kind === 'refused') return;
        for (const key of WANTED) expect(scanned.get(key)).toBe(read.mapping.fields[key]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('what a listing shows is the same with and without the scanner', async () => {
    await assert(
      asyncProperty(string({ maxLength: 30 }), async (text) => {
        const line = JSON.stringify(text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ''));
        const plain = await headFields('x.md', `---\ndescription: ${line}\n---\n`, WANTED, 'role');
        const folded = await headFields(
          'x.md',
          `---\nother: >\n  x\n"k": 1\ndescription: ${line}\n---\n`,
          WANTED,
          'role',
        );
        expect(plain).toEqual(folded);
      }),
    );
  });

  test('values are trimmed, and what is no text is left out', async () => {
    const head = await headFields('x.md', '---\nname: 12\ndescription: "  "\n---\n', WANTED, 'role');
    expect(head).toEqual({ kind: 'read', values: new Map() });
    expect(await headFields('x.md', '---\nname: " a "\n---\n', WANTED, 'role')).toEqual({
      kind: 'read',
      values: new Map([['name', 'a']]),
    });
  });

  test('a file without frontmatter is broken, with the finding', async () => {
    expect(await headFields('x.md', 'text', WANTED, 'role')).toMatchObject({
      kind: 'broken',
      findings: [{ code: 'no-frontmatter' }],
    });
  });
});
