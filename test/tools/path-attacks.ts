/** Ways out of the roots, onto what is no file, and into protected places: one table for every file tool. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, symlink, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { House } from './house.js';

/** Stands in every file outside the roots: no answer may hold it, and no write may change it. */
export const SECRET = 'outside-content-3f9a';

export interface Attack {
  readonly what: string;
  /** Lays the trap and gives the path that a model would name. */
  readonly path: (at: House) => Promise<string> | string;
  /** What fs_write_file, fs_edit_file and fs_delete refuse it with. */
  readonly says: RegExp;
  /** What fs_read_file, fs_list, fs_glob and fs_grep refuse it with; the same unless given. */
  readonly reads?: RegExp;
  /** What fs_edit_file refuses it with, which reads first; as the other two unless given. */
  readonly edits?: RegExp;
  /** Tools that give an answer all the same, and what it says. */
  readonly fine?: Readonly<Record<string, RegExp>>;
}

type Path = Attack['path'];

const link =
  (target: (at: House) => string, place: string, path = place): Path =>
  async (at) => {
    await symlink(target(at), join(at.roots.workspace, place));
    return path;
  };

const put =
  (files: Readonly<Record<string, string>>, path: string): Path =>
  async (at) => {
    for (const [name, text] of Object.entries(files)) await at.put(name, text);
    return path;
  };

const outside = (at: House): string => join(at.top, 'outside');

const LISTED = { fs_list: /./, fs_glob: /./, fs_grep: /./ };

const LEADS_OUT: readonly (readonly [what: string, path: Path])[] = [
  ['one step up', () => '../outside/file.txt'],
  ['up from below', () => 'deep/../../outside/file.txt'],
  ['up behind a dot', () => './././../outside/file.txt'],
  ['up behind doubled slashes', () => 'deep//..//..//outside/file.txt'],
  ['up through what does not exist', () => 'nowhere/../../outside/file.txt'],
  ['up at the end', () => 'deep/../..'],
  ['many steps up', () => `${'../'.repeat(60)}etc/passwd`],
  ['up out of a read root', () => 'reads:1/../outside/file.txt'],
  ['from a read root into the workspace', () => 'reads:1/../workspace/inside.txt'],
  ['an absolute path outside', (at) => join(outside(at), 'file.txt')],
  ['an absolute path of the system', () => '/etc/passwd'],
  ['an absolute path with doubled slashes', () => '//etc//passwd'],
  ['a neighbour whose name begins like the workspace', (at) => join(at.top, 'workspace-neighbour/file.txt')],
  ['an absolute path inside that goes up', (at) => `${at.roots.workspace}/../outside/file.txt`],
  ['the folder that holds the workspace', (at) => at.top],
  ['the root of the file system', () => '/'],
  ['the root of this process', (at) => `/proc/self/root${at.top}/outside/file.txt`],
  ['the working directory of this process', () => '/proc/self/cwd/package.json'],
  ['the environment of this process', () => '/proc/self/environ'],
  ['a descriptor of this process', () => '/dev/fd/0'],
];

const NO_PATH: readonly Attack[] = [
  { what: 'a NUL that cuts the name', path: () => 'inside.txt\0.png', says: /NUL/ },
  { what: 'a NUL before a step up', path: () => 'a\0/../../outside/file.txt', says: /NUL/ },
  { what: 'no path', path: () => '', says: /is empty/ },
  { what: 'a path of 5,000 characters', path: () => 'a/'.repeat(2_500), says: /longer than/ },
  { what: 'a name of 300 characters', path: () => 'a'.repeat(300), says: /too long|does not exist/ },
  { what: 'a read root that does not exist', path: () => 'reads:2/file.txt', says: /does not exist/ },
  { what: 'a directory', path: () => 'deep', says: /directory/, fine: LISTED },
  { what: 'the workspace', path: () => '.', says: /directory/, fine: LISTED },
  { what: 'a file with a slash behind', path: () => 'inside.txt/', says: /directory/ },
  { what: 'a file with a dot behind', path: () => 'inside.txt/.', says: /directory/ },
  { what: 'a name below a file', path: () => 'inside.txt/x', says: /not a directory/ },
];

const LINKS: readonly Attack[] = [
  { what: 'a link to a file', path: link((at) => `${outside(at)}/file.txt`, 'l'), says: /link/ },
  { what: 'a relative link to a file', path: link(() => '../outside/file.txt', 'l'), says: /link/ },
  { what: 'a link to a directory', path: link(outside, 'd', 'd/file.txt'), says: /link/ },
  { what: 'a new file behind a link', path: link(outside, 'd', 'd/new.txt'), says: /link/ },
  { what: 'a new directory behind a link', path: link(outside, 'd', 'd/new/new.txt'), says: /link/ },
  { what: 'a link two levels down', path: link(outside, 'deep/d', 'deep/d/deep/file.txt'), says: /link/ },
  {
    what: 'a link to a link',
    path: async (at) => {
      await symlink('second', join(at.roots.workspace, 'first'));
      await symlink('../outside', join(at.roots.workspace, 'second'));
      return 'first/file.txt';
    },
    says: /link/,
  },
  {
    what: 'a link to the root of this process',
    path: link(() => '/proc/self/root', 'r', 'r/etc/passwd'),
    says: /link/,
  },
  { what: 'a link to the root of the file system', path: link(() => '/', 'r', 'r/etc/passwd'), says: /link/ },
  { what: 'a link that stays inside', path: link(() => 'inside.txt', 'same'), says: /link/ },
  { what: 'a link that leads nowhere', path: link(() => 'nowhere', 'dangling'), says: /link/ },
  {
    what: 'a link to a file outside that is not there yet',
    path: link(() => '../outside/new.txt', 'new.txt'),
    says: /link/,
  },
  { what: 'a link to itself', path: link(() => 'loop', 'loop'), says: /link/ },
  { what: 'a circle of links', path: link(() => 'loop/x', 'loop', 'loop/x/y'), says: /link/ },
  { what: 'a link with a slash behind', path: link(() => '../outside', 'd', 'd/'), says: /link|directory/ },
  { what: 'a link with a dot behind', path: link(() => '../outside', 'd', 'd/.'), says: /link|directory/ },
  {
    what: 'a file in a read root that is a link out',
    path: async (at) => {
      await symlink('../outside/file.txt', join(at.roots.reads[0] ?? '', 'l'));
      return 'reads:1/l';
    },
    says: /only read/,
    reads: /link/,
  },
  {
    what: 'a workspace that was replaced by a link',
    path: async (at) => {
      await rename(at.roots.workspace, join(at.top, 'moved'));
      await symlink('outside', at.roots.workspace);
      return 'file.txt';
    },
    says: /its root is a symbolic link/,
  },
];

const NO_FILES: readonly Attack[] = [
  {
    what: 'a named pipe',
    path: (at) => {
      execFileSync('mkfifo', [join(at.roots.workspace, 'pipe')]);
      return 'pipe';
    },
    says: /pipe, socket or device/,
    reads: /pipe, socket or device|not a directory/,
  },
  {
    what: 'a socket',
    path: async (at) => {
      const server = createServer();
      server.listen(join(at.roots.workspace, 's'));
      await once(server, 'listening');
      onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
      return 's';
    },
    says: /pipe, socket or device/,
    reads: /pipe, socket or device|not a directory/,
  },
  {
    what: 'a file of 300 MiB without a byte on disk',
    path: async (at) => {
      await at.put('huge', '');
      await truncate(join(at.roots.workspace, 'huge'), 300 * 1024 * 1024);
      return 'huge';
    },
    says: /bytes/,
    reads: /bytes|not a directory/,
    fine: { fs_grep: /left out: 1 over 2 MiB/ },
  },
];

const IN_GIT = /nothing is ever written below|is, or would become, a git directory/;

/** Nothing is there, or it is a file with secrets: what reading tools say of the names below. */
const UNREAD = /does not exist|not a directory|with secrets/;

const GIT: readonly Attack[] = [
  ...[
    '.git/hooks/pre-commit',
    '.GIT/HEAD',
    '.gıt/HEAD', // upper-cased, a dotless i is an I
    '.g\u200cit/HEAD', // HFS+ ignores it
    '.g\u00adit/HEAD', // as ext4 does where it folds case
    '.git\ufe0f/HEAD',
    '.ｇit/HEAD',
    '.git./HEAD',
    '.git /HEAD',
    '.git::$INDEX_ALLOCATION/HEAD', // a stream of NTFS is the folder itself
    '.git:x',
    'git~1/HEAD',
    'GIT~1/HEAD',
    'a/b/.git/HEAD',
    '.git',
    'sub/.git', // of a submodule, or of a linked work tree
    'deep/../.git/HEAD',
  ].map(
    (path): Attack => ({
      what: `git: ${JSON.stringify(path)}`,
      path: () => path,
      says: IN_GIT,
      reads: UNREAD,
    }),
  ),
  {
    what: 'the file by which a linked work tree finds its repository',
    path: put({ '.git': 'gitdir: ../outside\n' }, '.git'),
    says: IN_GIT,
    reads: /not a directory/,
    fine: { fs_read_file: /gitdir/, fs_grep: /gitdir/ },
  },
  ...(
    [
      [
        'a file in a bare repository of another name',
        { 'v/HEAD': 'x', 'v/objects/a': '', 'v/refs/a': '' },
        'v/config',
      ],
      ['a hook of one', { 'v/HEAD': 'x', 'v/objects/a': '', 'v/refs/a': '' }, 'v/hooks/post-checkout'],
      ['the last piece of one', { 'v/objects/a': '', 'v/refs/a': '' }, 'v/HEAD'],
      ['the last piece of one in another case', { 'v/objects/a': '', 'v/refs/a': '' }, 'v/head'],
      ['the last folder of one', { 'v/HEAD': 'x', 'v/objects/a': '' }, 'v/refs/heads/main'],
      ['the git directory of a linked work tree', { 'v/HEAD': 'x' }, 'v/commondir'],
    ] as const
  ).map(
    ([what, files, path]): Attack => ({
      what,
      path: put(files, path),
      says: IN_GIT,
      reads: UNREAD,
      edits: /does not exist/,
    }),
  ),
];

const AGENTS: readonly Attack[] = [
  '.bnerd/roles/x.md',
  '.BNERD/roles/x.md',
  '.bnerd.yaml',
  '.claude/agents/x.md',
  '.Claude/settings.json',
  'a/b/c/.claude/settings.json',
  '.claude./agents/x.md',
  '.cl\u200baude/agents/x.md',
  'CLAUDE~1/agents/x.md',
  '.agents/skills/x/SKILL.md',
  'orchestrator/teams/x/team.md',
  'ORCHESTRATOR/x',
  'a/orcheſtrator/x', // upper-cased, a long s is an S
  'orches~1/x',
].map(
  (path): Attack => ({
    what: `agents: ${JSON.stringify(path)}`,
    path: () => path,
    says: /edits_agents|with secrets/,
    reads: UNREAD,
  }),
);

/** The secret stands in the workspace itself here. */
const SECRETS: readonly Attack[] = [
  '.env',
  '.Env',
  '.env.local',
  '.env.example.d/../.env',
  'ENV~1',
  'deep/.env.production',
  'id_rsa',
  'deep/ID_ED25519',
  '.ssh/anything',
  '.npmrc',
  'a/.aws/credentials',
  '.git-credentials',
].map(
  (path): Attack => ({
    what: `secrets: ${JSON.stringify(path)}`,
    path: put({ [path]: SECRET }, path),
    says: /with secrets/,
    reads: /with secrets|not a directory/,
  }),
);

const READ_ONLY: readonly Attack[] = [
  {
    what: 'a file of a read root',
    path: async (at) => {
      await at.put('../library/guide.md', 'guide');
      return 'reads:1/guide.md';
    },
    says: /only read/,
    reads: /not a directory/,
    fine: { fs_read_file: /guide/, fs_grep: /guide/ },
  },
  {
    what: 'a new file of a read root, by its absolute path',
    path: (at) => join(at.roots.reads[0] ?? '', 'new.md'),
    says: /only read/,
    reads: /does not exist/,
  },
];

/** Each is refused by every file tool, but where its row says otherwise. */
export const ATTACKS: readonly Attack[] = [
  ...LEADS_OUT.map(([what, path]): Attack => ({ what, path, says: /leads out/ })),
  ...NO_PATH,
  ...LINKS,
  ...NO_FILES,
  ...GIT,
  ...AGENTS,
  ...SECRETS,
  ...READ_ONLY,
];

/** Those that what lies on the disk decides, and not the text of the path. */
export const ON_DISK: readonly Attack[] = [...LINKS, ...NO_FILES];

/** Spellings that lead out elsewhere: here they are names, and whatever a tool does with them stays inside. */
export const NAMES: readonly string[] = [
  '..\\outside\\file.txt',
  '..\\..\\outside\\file.txt',
  'C:\\Windows\\win.ini',
  '\\\\host\\share\\x',
  '%2e%2e/outside/file.txt',
  '..%2foutside%2ffile.txt',
  '．．/outside/file.txt',
  '。。/outside/file.txt',
  '.. /outside/file.txt',
  '.../outside/file.txt',
  '..\u200b/outside/file.txt',
  '~/outside/file.txt',
  '$HOME/file.txt',
  'file:///etc/passwd',
  'inside.txt\n../outside/file.txt',
  '-rf',
  '`id`',
  'con',
  'aux.txt',
  `${'d/'.repeat(300)}x`,
];

/** Patterns of globs that lead out elsewhere. */
export const PATTERNS: readonly string[] = [
  '../**',
  '../outside/*',
  '**/../outside/**',
  '{..,.}/outside/**',
  '@(..)/outside/*',
  '[.][.]/outside/*',
  '/**',
  '/etc/*',
  '{/etc,/tmp}/**',
  '**',
  '*/**',
  '!(x)/**',
  '.*/**',
  '~/**',
];

/** A house with something inside, something outside, and a neighbour whose name begins alike. */
export async function furnish(at: House): Promise<House> {
  await at.put('inside.txt', 'inside\n');
  await at.put('deep/er/inside.txt', 'inside\n');
  await at.put('../outside/file.txt', SECRET);
  await at.put('../outside/deep/file.txt', SECRET);
  await at.put('../workspace-neighbour/file.txt', SECRET);
  await mkdir(join(at.top, 'outside/empty'));
  return at;
}
