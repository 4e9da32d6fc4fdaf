// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scanned texts hold templates.

import { describe, expect, test } from 'vitest';
import { lineOf, scanSource } from './scan-source.js';

const imports = (text: string): (string | undefined)[] =>
  scanSource(text).imports.map((one) => one.specifier);
const strings = (text: string): string[] => scanSource(text).strings.map((one) => one.text);

describe('imports', () => {
  test.each([
    ["import { a } from './a.js';", './a.js'],
    ["import type { A } from './a.js';", './a.js'],
    ['import {\n  a, // why\n  b,\n} from "zod";', 'zod'],
    ["import './effect.js';", './effect.js'],
    ["export * from './a.js';", './a.js'],
    ["export type { A } from './a.js';", './a.js'],
    ["const a = await import('./a.js');", './a.js'],
    ["const a = await import(\n  './a.js'\n);", './a.js'],
    ["type A = import('./a.js').A;", './a.js'],
    ["const a = require('ioredis');", 'ioredis'],
    ['const a = await import(`./a.js`);', './a.js'],
  ])('%j is found', (text, specifier) => {
    expect(imports(text)).toEqual([specifier]);
  });

  test.each([
    "// import { a } from './a.js';",
    "/* import './a.js'; */",
    'const text = "import x from \'./a.js\'";',
    "const text = `export * from './a.js'`;",
    "Array.from('abc');",
    "const from = 'x';",
    "important('x');",
    "log('a from', 'b');",
  ])('%j holds none', (text) => {
    expect(imports(text)).toEqual([]);
  });

  test('an import of something computed is shown as one', () => {
    expect(imports('const m = await import(path);')).toEqual([undefined]);
    expect(imports('const url = import.meta.url; x.import(path);')).toEqual([]);
  });
});

describe('code and strings', () => {
  test('keeps every offset and every line', () => {
    const text =
      "#!/usr/bin/env node\n// one\nconst a = 'b';\n/* two\n three */ const c = `d\n${e}`; // 😀\nf();\n";
    const { code } = scanSource(text);
    expect(code).toHaveLength(text.length);
    expect(code.split('\n').map((line) => line.trimEnd())).toEqual([
      '',
      '',
      "const a = ' ';",
      '',
      '          const c = `',
      '${e}`;',
      'f();',
      '',
    ]);
    expect(lineOf(text, text.indexOf('f();'))).toBe(7);
  });

  test('finds strings and the pieces of templates, also nested ones', () => {
    expect(strings("f('a', \"b'c\", 'd\\'e');")).toEqual(['a', "b'c", "d\\'e"]);
    expect(strings('`a${b ? `c${{ d: 1 }.d}e` : "f"}g`')).toEqual(['a', 'c', 'e', 'f', 'g']);
    expect(scanSource('`a${process.env}b`').code).toContain('process.env');
  });

  test('tells a regular expression from a division', () => {
    expect(scanSource('const a = /[\'"`]/g.test(b); process.env;').strings).toEqual([]);
    expect(scanSource("return /[/']/;").strings).toEqual([]);
    expect(strings("const a = b / 2; const c = 'd' / e;")).toEqual(['d']);
    expect(strings("const a = (b) / 2 + 'x' / 3;")).toEqual(['x']);
    expect(scanSource('x = /console/;').code).not.toContain('console');
  });

  test('reads a file that ends in the middle of something', () => {
    for (const text of ["const a = 'b", 'const a = `b', '/* open', '`${a', 'a = /b', "'\\"]) {
      expect(scanSource(text).code).toHaveLength(text.length);
    }
  });
});
