import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PermissionRule } from '../../../src/events/facts/frozen.js';
import { shellWord } from '../../../src/shared/shell-word.js';
import {
  allowingRules,
  grantMatches,
  ruleHits,
  ruleMayHit,
} from '../../../src/team/policy/permission-match.js';
import { type PolicyVerdict, policy } from '../../../src/team/policy/policy.js';
import { shellMatter } from '../../helpers/shell-lines.js';

type Decision = PermissionRule['decision'];

function rule(decision: Decision, match: string | null, tool = 'shell_exec'): PermissionRule {
  return { tool, match, decision, origin: 'settings' };
}

async function allows(line: string, ...matches: (string | null)[]): Promise<boolean> {
  const rules = matches.map((match) => rule('allow', match));
  return allowingRules(rules, await shellMatter(line)) !== undefined;
}

const hits = async (match: string | null, line: string): Promise<boolean> =>
  ruleHits(rule('deny', match), await shellMatter(line));

/** Lines that are more than commands which begin with `npm test`. */
const MORE = [
  'npm test; rm -rf /',
  'npm test ;rm -rf /',
  'npm test && rm -rf /',
  'npm test || rm -rf /',
  'npm test | sh',
  'npm test |& sh',
  'npm test & rm -rf /',
  'npm test &',
  'npm test\nrm -rf /',
  'npm test\r\nrm -rf /',
  'npm test\rrm -rf /',
  'npm test $(rm -rf /)',
  'npm test "$(rm -rf /)"',
  'npm test `rm -rf /`',
  'npm test $HOME',
  `npm test $\{HOME}`,
  "npm test $'\\n'rm",
  'npm test > /etc/passwd',
  'npm test >> ~/.bashrc',
  'npm test <(rm -rf /)',
  'npm test << EOF',
  '(npm test)',
  '{ npm test; }',
  'npm test {a,b}',
  'npm test *',
  'CI=1 npm test',
  'if npm test; then npm test; fi',
];

describe('an allow rule for a shell line', () => {
  test.each(MORE)('never answers for %j', async (line) => {
    for (const match of ['npm test', 'npm test*', 'npm test *', line]) {
      expect([match, await allows(line, match)]).toEqual([match, false]);
    }
  });

  test('has to match every simple command; several rules may', async () => {
    expect(await allows('npm test', 'npm test')).toBe(true);
    expect(await allows('  npm   test  ', 'npm test')).toBe(true);
    expect(await allows('npm test && npm run build', 'npm *')).toBe(true);
    expect(await allows('npm test && git status', 'npm *')).toBe(false);
    expect(await allows('npm test && git status', 'npm *', 'git status')).toBe(true);
    expect(await allows('npm test 2>&1 | tail -5', 'npm test*')).toBe(false);
    expect(await allows('npm test 2>&1 | tail -5', 'npm test*', 'tail *')).toBe(true);
    expect(await allows('npm test; rm x', 'npm test', null)).toBe(true);
  });

  test('matches from the first character of a command to its last', async () => {
    expect(await allows('npm test --watch', 'npm test')).toBe(false);
    expect(await allows('sudo npm test', 'npm test')).toBe(false);
    expect(await allows('npm test --watch', 'npm test *')).toBe(true);
    expect(await allows('npm test', 'npm test *')).toBe(true);
    expect(await allows('npm tests', 'npm test *')).toBe(false);
    expect(await allows('git --version', '* --version')).toBe(true);
  });

  test('takes no letter of its pattern for anything but itself, * apart', async () => {
    expect(await allows('npm run axb', 'npm run a.b')).toBe(false);
    expect(await allows('npm', '^npm')).toBe(false);
  });

  test('matches the files that are the input of a command with it', async () => {
    expect(await allows('psql app < drop.sql', 'psql app')).toBe(false);
    expect(await allows('psql app < drop.sql', 'psql app < drop.sql')).toBe(true);
    expect(await allows('psql app < drop.sql', 'psql *')).toBe(true);
    expect(await allows('psql app < /dev/null', 'psql app')).toBe(true);
  });

  test('is not fooled by quotes: what stands in them is one word', async () => {
    expect(await allows('"npm test"', 'npm test')).toBe(false);
    expect(await allows('npm "test; rm x"', 'npm test*')).toBe(false);
    expect(await allows("git commit -m 'a; b'", 'git commit -m *')).toBe(true);
  });

  test('without a pattern answers for what can be seen through, and for nothing else', async () => {
    expect(await allows('npm test > out.txt', null)).toBe(true);
    expect(await allows('$X', null)).toBe(false);
    expect(await allows("cat 'x", null)).toBe(false);
    const unparsed = { tool: 'shell_exec', subject: 'npm test' };
    expect(allowingRules([rule('allow', null), rule('allow', '*')], unparsed)).toBeUndefined();
  });

  test('never answers for a line with a character that a shell expands outside of quotes', async () => {
    const special = fc.constantFrom('$x', '`id`', '$(id)', '*', '?', '~', '> x', '&', '(', '{a,b}');
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z ]{0,8}$/), special, async (head, sign) => {
        expect(await allows(`npm ${head} ${sign}`, 'npm *')).toBe(false);
      }),
    );
  });
});

/** Ways to write the program, and ways to run a command: what they are put together to is about `rm` in the end. */
const SPELLINGS = ['rm', '\\rm', '"rm"', "r''m", '/bin/rm', 'RM', 'r\\\nm', './../bin/rm'];
const WAYS: readonly ((command: string) => string)[] = [
  (command) => `ls; ${command}`,
  (command) => `ls\n${command}`,
  (command) => `ls | ${command}`,
  (command) => `! ls && ${command}`,
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `if ls; then ${command}; fi`,
  (command) => `for i in a; do ${command}; done`,
  (command) => `case x in x) ${command};; esac`,
  (command) => `f() { ${command}; }; f`,
  (command) => `echo "$(${command})"`,
  (command) => `env X=1 ${command}`,
  (command) => `timeout 5 nice -n 3 ${command}`,
  (command) => `ls | xargs -n1 ${command}`,
  (command) => `find . -exec ${command} ';'`,
  (command) => `command -- ${command}`,
  (command) => `sh -c ${shellWord(command)}`,
  (command) => `eval ${shellWord(command)}`,
  (command) => `trap ${shellWord(command)} EXIT`,
  (command) => `sh <<'END'\n${command}\nEND\n`,
  (command) => `git rebase -x ${shellWord(command)} main`,
  (command) => `GIT_EDITOR=${shellWord(command)} git commit`,
  (command) => `ssh host ${shellWord(command)}`,
];

test('a deny rule finds its command in whatever it is wrapped, or the line cannot be seen through', async () => {
  const deny = rule('deny', 'rm *');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SPELLINGS),
      fc.array(fc.constantFrom(...WAYS), { maxLength: 4 }),
      async (program, ways) => {
        const line = ways.reduce((command, way) => way(command), `${program} -f x`);
        const matter = await shellMatter(line);
        expect([line, ruleHits(deny, matter) || ruleMayHit(deny, matter)]).toEqual([line, true]);
      },
    ),
    { numRuns: 500 },
  );
});

describe('a rule about a path', () => {
  const about = (decision: Decision) => rule(decision, 'Secrets/*', 'fs_write_file');
  const write = (subject: string) => ({ tool: 'fs_write_file', subject });

  test('that denies or asks finds it in every case and width; one that allows as it is written', () => {
    for (const path of ['Secrets/a', 'secrets/a', 'SECRETS/a', 'ｓecrets/a'])
      expect(ruleHits(about('deny'), write(path))).toBe(true);
    expect(ruleHits(about('deny'), write('secret/a'))).toBe(false);
    expect(allowingRules([about('allow')], write('Secrets/a'))).toBeDefined();
    expect(allowingRules([about('allow')], write('secrets/a'))).toBeUndefined();
  });
});

describe('a rule that denies or asks', () => {
  test.each([
    ['git push *', 'git -C . push origin main'],
    ['git push *', 'git --no-pager -c a.b=c push'],
    ['git push *', 'git --git-dir .git push'],
    ['git push *', '/usr/bin/GIT push'],
    ['npm publish *', 'npm --silent publish'],
    ['npm publish *', 'npm --prefix sub publish --tag x'],
    ['docker rm *', 'docker --context x rm y'],
    ['gh pr merge *', 'gh -R a/b pr merge 1'],
    ['cargo publish *', 'cargo +nightly publish'],
  ])('about %j finds %j, whatever options stand in front', async (match, line) => {
    expect(await hits(match, line)).toBe(true);
  });

  test.each(MORE.filter((line) => line.includes('rm -rf /')))(
    'finds the second command of %j',
    async (line) => {
      expect(await hits('rm *', line)).toBe(true);
    },
  );

  test.each([
    'env rm x',
    'env -i A=b nice rm x',
    'ls | xargs rm x',
    "sh -c 'rm x'",
    'bash -c "ls && rm x"',
    "eval 'rm x'",
    'find . -exec rm {} +',
    '/bin/rm x',
    '"rm" x',
    'r\\m x',
    'echo "$(ls; rm x)"',
    'cat <<EOF\n$(rm x)\nEOF',
    "sh <<'EOF'\nrm x\nEOF",
    "trap 'rm x' EXIT",
    'f() { rm x; }; f',
    'case x in x) rm x;; esac',
    "find . -exec sh -c 'rm x' ';'",
    'RM x',
    '/BIN/Rm x',
    'busybox rm x',
    'setpriv --no-new-privs rm x',
    'npm exec -- rm x',
    "sh /dev/stdin <<'EOF'\nrm x\nEOF",
    "f() { sh; }; f <<'EOF'\nrm x\nEOF",
    "sh -c '. /dev/stdin' <<'EOF'\nrm x\nEOF",
    "GIT_PAGER='rm x' git log",
    "export GIT_EDITOR='rm x'; git commit",
    "git rebase -ix 'rm x' HEAD~2",
    'eval -- rm x',
    "trap -- 'rm x' EXIT",
    "vim -c '!rm x' y",
  ])('finds what runs inside of %j', async (line) => {
    expect(await hits('rm *', line)).toBe(true);
  });

  test('is not evaded by the width of a blank', async () => {
    expect(await hits('rm *', 'rm\t-rf /')).toBe(true);
    expect(await hits('git push *', 'git  push   origin')).toBe(true);
    expect(await hits('git push *', 'git push')).toBe(true);
  });

  test('without a pattern speaks of every line', async () => {
    for (const line of MORE) expect(await hits(null, line)).toBe(true);
  });

  test('does not speak of what only holds its words', async () => {
    expect(await hits('rm *', 'echo rm -rf')).toBe(false);
    expect(await hits('rm *', 'npm test')).toBe(false);
  });
});

describe('a line that cannot be seen through', () => {
  const UNCLEAR = ["cat 'x", '$X -rf /', 'ls | sh', 'sh -c "$X"', 'cat x &> y'];

  async function verdict(line: string, ...rules: PermissionRule[]): Promise<PolicyVerdict['kind']> {
    return policy({
      ...(await shellMatter(line)),
      class: 'destructive',
      safety: 'full',
      planPending: false,
      autoApprove: 'all',
      rules,
      patterns: [],
    }).kind;
  }

  test.each(UNCLEAR)(
    '%j is asked about where any pattern denies or asks, --auto-approve all or not',
    async (line) => {
      expect(await verdict(line)).toBe('allow');
      expect(await verdict(line, rule('deny', 'git push *'))).toBe('ask');
      expect(await verdict(line, rule('ask', 'git push *'))).toBe('ask');
      expect(await verdict(line, rule('deny', 'git push *'), rule('allow', null))).toBe('ask');
      expect(await verdict(line, rule('deny', null))).toBe('deny');
      expect(await verdict(line, rule('deny', 'x', 'web_fetch'))).toBe('allow');
      expect(ruleMayHit(rule('deny', null), await shellMatter(line))).toBe(false);
    },
  );

  test('a pattern of the role that denies, denies it', async () => {
    const asked = {
      ...(await shellMatter('$X y')),
      class: 'destructive' as const,
      safety: 'full' as const,
      planPending: false,
      autoApprove: 'all' as const,
      rules: [],
    };
    expect(policy({ ...asked, patterns: [rule('deny', 'git push:*')] }).kind).toBe('deny');
    expect(policy({ ...asked, patterns: [rule('allow', '$X:*')] }).kind).toBe('deny');
  });
});

test('another tool is matched on its whole subject, and only by its own rules', () => {
  const allowed = (tool: string, match: string | null, called: string, subject: string): boolean =>
    allowingRules([rule('allow', match, tool)], { tool: called, subject }) !== undefined;
  expect(allowed('web_fetch', 'docs.example.org', 'web_fetch', 'docs.example.org')).toBe(true);
  expect(allowed('web_fetch', 'Docs.Example.ORG', 'web_fetch', 'docs.example.org')).toBe(true);
  expect(allowed('web_fetch', '*.example.org', 'web_fetch', 'evil.org')).toBe(false);
  expect(allowed('web_fetch', 'example.org', 'web_fetch', 'example.org.evil')).toBe(false);
  expect(allowed('fs_write_file', 'a;b', 'fs_write_file', 'a;b')).toBe(true);
  expect(allowed('fs_write_file', null, 'fs_delete', 'a')).toBe(false);
  expect(allowed('*', null, 'fs_delete', 'a')).toBe(true);
});

test('what was allowed for good is the very line that was approved', () => {
  const granted = rule('allow', 'npm test > out.txt');
  expect(grantMatches(granted, { tool: 'shell_exec', subject: 'npm test > out.txt' })).toBe(true);
  expect(grantMatches(granted, { tool: 'shell_exec', subject: 'npm test > out.txt; rm x' })).toBe(false);
  expect(grantMatches(rule('allow', '*'), { tool: 'shell_exec', subject: 'ls' })).toBe(false);
});
