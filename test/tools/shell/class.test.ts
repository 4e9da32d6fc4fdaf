import { describe, expect, test } from 'vitest';
import { shellClass as classed, type ShellClass } from '../../../src/tools/shell/class.js';
import { shellReader } from '../../../src/tools/shell/parse.js';

const read = await shellReader();
const shellClass = (command: string, isPath: (word: string) => boolean): ShellClass =>
  classed(command, read, isPath).class;

const isPath = (word: string): boolean => word === 'a.txt' || word.startsWith('src/');
const kind = (command: string): string => shellClass(command, isPath).kind;

test.each([
  'pwd',
  'ls',
  'ls -la src',
  '  ls\t-l  ',
  'cat a.txt b.txt',
  'cat -n a.txt',
  'head -n 20 a.txt',
  'head -20 a.txt',
  'tail -c 100 a.txt',
  'tail -n +5 a.txt',
  'wc -l a.txt',
  'file a.txt',
  'stat a.txt',
  'basename /x/y.txt .txt',
  'dirname /x/y',
  'echo x',
  'grep x a.txt',
  'find src',
  'ls !x',
  'cat #x',
  'cat a\\ b',
  "cat 'a'",
  'cat "a b"',
  'cat a.txt | wc -l',
  'cat < a.txt',
])('%j is class Read', (command) => {
  expect(kind(command)).toBe('read');
});

test.each([
  'git status',
  'git status -sb',
  'git log',
  'git log --oneline -5',
  'git log -n 3 main..HEAD -- src/a.ts',
  'git log -n3',
  'git diff',
  'git diff --staged',
  'git diff HEAD~2 HEAD',
  'git diff main...feature/x',
  'git diff a.txt',
  'git show',
  'git show HEAD~1 --stat',
  'git show HEAD:src/a.ts',
  'git blame a.txt',
  'git blame -L 10,20 HEAD -- a.txt',
])('%j is answered by the git tools', (command) => {
  expect(kind(command)).toBe('git');
});

test.each([
  // Anything that a shell would do something with.
  'cat a.txt > b.txt',
  'ls; id',
  'ls && id',
  'ls &',
  'ls\nid',
  'cat $HOME/x',
  'cat `id`',
  'cat $(id)',
  'cat *.txt',
  'cat a?.txt',
  'cat [a].txt',
  'cat ~/x',
  'A=1 ls',
  'PATH=. ls',
  // Programs and options that are not on the list.
  '/bin/cat a.txt',
  './ls',
  'cat -',
  'cat --unknown a.txt',
  'tail -f a.txt',
  'tail --pid=1 a.txt',
  'file -C -m x',
  'file -m x a.txt',
  'file -f names',
  'wc --files0-from=x',
  'ls --hyperlink',
  'ls -L x',
  'pwd x',
  'less a.txt',
  'env',
  'node -e 1',
  // Git that writes, runs something, or is not understood.
  'git fetch',
  'git commit -m x',
  'git --git-dir=x status',
  'git log -p',
  'git log --output=x',
  'git log --format=%G?',
  'git log --exec=x',
  'git diff --ext-diff',
  'git diff --output=x',
  'git diff --no-index a b',
  'git diff a b c',
  'git show --textconv HEAD:x',
  'git show HEAD HEAD~1',
  'git blame',
  'git blame --contents x a.txt',
  'git status --ignored=x',
  'git status src/x',
  'git',
])('%j is class Write', (command) => {
  expect(kind(command)).toBe('write');
});

test.each([
  ['rm -rf x', 'rm'],
  ['/bin/rm x', 'rm'],
  ['\\rm x', 'rm'],
  ["'rm' x", 'rm'],
  ['r""m x', 'rm'],
  ['ls; rm x', 'rm'],
  ['ls && rm x', 'rm'],
  ['ls | xargs rm', 'rm'],
  ['ls | xargs -n 1 rm -f', 'rm'],
  ['(rm x)', 'rm'],
  ['{ rm x; }', 'rm'],
  ['if true; then rm x; fi', 'rm'],
  ['A=1 rm x', 'rm'],
  ['env A=1 rm x', 'rm'],
  ['nohup rm x &', 'rm'],
  ['timeout 5 rm x', 'rm'],
  ['time rm x', 'rm'],
  ['echo $(rm x)', 'rm'],
  ['echo "$(rm x)"', 'rm'],
  ['echo `rm x`', 'rm'],
  ['sh -c "rm x"', 'rm'],
  ["bash -c 'ls; rm x'", 'rm'],
  ["eval 'rm x'", 'rm'],
  ['env bash -c "rm x"', 'rm'],
  ['find . -delete', 'find -delete'],
  ['git -c core.pager=x log', 'program of its settings'],
  ['ls\r\nid', 'control character'],
  ['cat {a,b}.txt', 'list in braces'],
  ['[[ -f x ]]', '[['],
  ['$X y', 'not told before'],
  ['curl x | sh', 'comes out of a pipe'],
  ["cat 'x", 'cannot be parsed'],
  ['find . -exec rm {} +', 'rm'],
  ["cat <<E\nit's\nE\nrm x", 'rm'],
  ['rmdir x', 'rmdir'],
  ['shred x', 'shred'],
  ['dd if=/dev/zero of=x', 'dd'],
  ['mkfs.ext4 /dev/sda', 'mkfs.ext4'],
  ['kill 1', 'kill'],
  ['pkill node', 'pkill'],
  ['shutdown now', 'shutdown'],
  ['sudo ls', 'sudo'],
  ['cat x > /dev/sda', 'disk'],
  ['git push', 'git push'],
  ['git -C x push --force', 'git push'],
  ['git -c a=b push', 'git push'],
  ['git reset --hard HEAD~1', 'git reset'],
  ['git clean -fd', 'git clean'],
  ['git checkout -- .', 'git checkout'],
  ['git restore a.txt', 'git restore'],
  ['git branch -D x', 'git branch'],
  ['git stash drop', 'git stash'],
])('%j is Destructive', (command, reason) => {
  expect(shellClass(command, isPath)).toEqual({
    kind: 'destructive',
    reason: expect.stringContaining(reason),
  });
});

test.each([
  'git reset a.txt',
  'git restore --staged a.txt',
  'git commit -m "rm the old files"',
  'npm run rm',
  'git branch x',
])('%j only speaks of it', (command) => {
  expect(kind(command)).toBe('write');
});

describe('what is no command', () => {
  test.each(['', '   ', '\n', 'ls\0', 'x'.repeat(40_000)])('%#: is refused', (command) => {
    expect(shellClass(command, isPath)).toMatchObject({
      kind: 'refused',
      text: expect.stringMatching(/^the command/),
    });
  });
});

test('a git line says what it asks of the git tools', () => {
  expect(shellClass('git log -7 --stat main..HEAD -- src/a.ts', isPath)).toEqual({
    kind: 'git',
    request: { kind: 'log', revisions: ['main..HEAD'], limit: 7, stat: true, paths: ['./src/a.ts'] },
  });
  expect(shellClass('git blame -L 10,+5 a.txt', isPath)).toEqual({
    kind: 'git',
    request: { kind: 'blame', revision: undefined, path: './a.txt', first: 10, count: 5 },
  });
  // In a shell `reads:1/x` is a file of that name.
  expect(shellClass('git diff -- reads:1/x', isPath)).toMatchObject({ request: { paths: ['./reads:1/x'] } });
});
