// What the parser reads of a plain list is what /bin/sh reads: the line as it came and the list written down again run the same.
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { knownTexts, listText } from '../../../src/tools/shell/line.js';
import { shellReader } from '../../../src/tools/shell/parse.js';
import { tempDir } from '../../helpers/temp-dir.js';

const read = await shellReader();

/** Programs that tell their words: `yes` ends well, `no` does not. */
async function programs(): Promise<string> {
  const folder = await tempDir('shell-parse');
  const telling = `#!/bin/sh\nprintf '%s' "$\{0##*/}"\nfor word; do printf '[%s]' "$word"; done\necho\n`;
  for (const [name, exit] of [
    ['yes', 0],
    ['no', 1],
  ] as const) {
    await writeFile(join(folder, name), `${telling}exit ${exit}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

function told(folder: string, line: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: folder } };
    execFile('/bin/sh', ['-c', line], options, (error, stdout) =>
      resolve(`${stdout}exit ${error === null ? 0 : error.code}`),
    );
  });
}

const WORDS = [
  'a',
  'x=1',
  '-n',
  '"a b"',
  "'c;d'",
  'e\\ f',
  '"g\\"h"',
  '"i\\\\j"',
  '"k\\l"',
  "'m\"n'",
  "''",
  'o"p"q',
  '\\;',
  '#r',
  's#t',
  '{u}',
  '!',
  '"v\nw"',
  'x\\\ny',
  '\\$z',
  '"\\`"',
  '2',
  'é',
];
const BETWEEN = [' ', '\t', '  ', ' \\\n'];
const JOINS = [
  ' | ',
  ' && ',
  ' || ',
  '; ',
  '\n',
  ' ;\n',
  '|',
  '&&',
  ' # note\n',
  ' ( ',
  ' ) ',
  ' ;; ',
  ' & ',
  ' 2>&1 ',
  '\n\n',
];

const command = fc
  .tuple(
    fc.constantFrom('yes', 'no', '"yes"', 'n\\o'),
    fc.array(fc.tuple(fc.constantFrom(...BETWEEN), fc.constantFrom(...WORDS)), { maxLength: 4 }),
  )
  .map(([program, words]) => program + words.map(([between, word]) => between + word).join(''));
const line = fc
  .tuple(command, fc.array(fc.tuple(fc.constantFrom(...JOINS), command), { maxLength: 3 }))
  .map(([first, more]) => first + more.map(([join, next]) => join + next).join(''));

test('a plain list, written down again, runs as the line does', { timeout: 60_000 }, async () => {
  const folder = await programs();
  let lists = 0;
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      const reading = read(text);
      if (reading.kind === 'unclear' || reading.line.list === undefined) return;
      lists++;
      const again = listText(reading.line.list);
      expect([text, again, await told(folder, again)]).toEqual([text, again, await told(folder, text)]);
    }),
    { numRuns: 150 },
  );
  expect(lists).toBeGreaterThan(30);
});

test('words are what the program gets', async () => {
  const folder = await programs();
  const text = `yes ${WORDS.filter((word) => word !== '#r').join(' ')}`;
  const reading = read(text);
  if (reading.kind === 'unclear') throw new Error(reading.reason);
  const words = knownTexts(reading.line.list?.[0]?.command.words ?? []) ?? [];
  expect(
    `${words[0]}${words
      .slice(1)
      .map((word) => `[${word}]`)
      .join('')}\nexit 0`,
  ).toBe(await told(folder, text));
});

test.each([
  ['npm (', 'out of place'],
  ['npm ( a', 'out of place'],
  ['ls && && ls', 'cannot be parsed'],
  ["cat 'x", 'cannot be parsed'],
  ['cat <<EOF\nx', 'without an end'],
  ['[[ -f x ]]', '[['],
  ['ls &> x', '&>'],
  ['cat {a,b}', 'braces'],
  ['f() { f; }; f', 'calls itself'],
  ['ls\u200b', 'taken for others'],
  ['cat x\uff1b', 'looks like one of the shell'],
  ['cat \u202ex', 'turns the writing round'],
])('%j is unclear, and it is said why', (text, why) => {
  expect(read(text)).toEqual({ kind: 'unclear', reason: expect.stringContaining(why) });
});

test('a deep or long line is read in bounded time, or is unclear', () => {
  const deep = `${'$('.repeat(10_000)}ls${')'.repeat(10_000)}`;
  expect(read(`echo ${deep}`).kind).toBe('unclear');
  const long = Array.from({ length: 8_000 }, () => 'ls').join(';');
  expect(read(long)).toMatchObject({ kind: 'line', line: { list: { length: 8_000 } } });
});
