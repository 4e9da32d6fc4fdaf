import { createHash, randomBytes } from 'node:crypto';
import { access, chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Deliveries, type DeliveryOrder } from '../../../src/delegate/deliver/deliver.js';
import { bundle } from '../../../src/delegate/workspace/bundle.js';
import { commitAll, git, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { BRANCH, sourceRepository, spy, TOOLS } from '../../helpers/workspace.js';

const SIGNAL = new AbortController().signal;
const REF = `refs/heads/${BRANCH}`;

interface Scene {
  /** The team's workspace. */
  readonly workspace: string;
  readonly base: string;
  /** Another repository with the same history, where the work was done; its branch stands on `head`. */
  readonly away: string;
  readonly head: string;
  readonly folder: string;
  readonly deliveries: Deliveries;
  readonly order: DeliveryOrder;
}

async function scene(): Promise<Scene> {
  const workspace = await sourceRepository();
  const folder = await tempDir('deliveries');
  const away = join(folder, 'away');
  git(workspace, 'clone', '--quiet', '.', away);
  git(away, 'switch', '--quiet', '--create', BRANCH);
  await putFiles(away, { 'work.txt': 'work\n' });
  const head = commitAll(away, 'work');
  const base = git(workspace, 'rev-parse', 'HEAD');
  const path = join(folder, 'bundle');
  const bundled = await bundle({ quarantine: join(away, '.git'), base, head, branch: BRANCH, path }, TOOLS);
  expect(bundled).toMatchObject({ kind: 'bundled' });
  const order = { workspace, bundle: path, base, head, branch: BRANCH };
  return {
    workspace,
    base,
    away,
    head,
    folder,
    deliveries: new Deliveries(TOOLS, join(folder, 'scratch')),
    order,
  };
}

/** Everything of a repository that a delivery must leave as it is. */
const state = (at: string): string =>
  [
    git(at, 'for-each-ref')
      .split('\n')
      .filter((line) => !line.includes('refs/heads/bnerd/'))
      .join('\n'),
    git(at, 'status', '--porcelain=v2', '--branch'),
    git(at, 'worktree', 'list', '--porcelain'),
  ].join('\n');

test('the branch is made with all of its objects, and nothing else of the workspace changes', async () => {
  const { workspace, head, base, deliveries, order, folder } = await scene();
  await putFiles(workspace, { 'README.md': 'being edited\n', new: 'x' });
  git(workspace, 'add', 'new');
  const before = state(workspace);
  const index = await readFile(join(workspace, '.git/index'));
  expect(await deliveries.deliver(order, SIGNAL)).toEqual({ kind: 'delivered', ref: REF, head, made: 'now' });
  expect(git(workspace, 'rev-parse', BRANCH)).toBe(head);
  expect(git(workspace, 'diff', '--stat', `${base}..${BRANCH}`)).toContain('work.txt');
  git(workspace, 'fsck', '--strict');
  expect(await readFile(join(workspace, '.git/index'))).toEqual(index);
  expect(state(workspace)).toBe(before);
  expect(await readFile(join(workspace, 'README.md'), 'utf8')).toBe('being edited\n');
  expect(await readdir(join(folder, 'scratch'))).toEqual([]);
});

test('twice is as once, also when the first time ended between the objects and the ref, or before anyone heard of it', async () => {
  const { workspace, head, order, folder, away } = await scene();
  // What a killed process leaves behind: objects without a ref.
  git(workspace, 'fetch', '--quiet', away, BRANCH);
  git(workspace, 'update-ref', '-d', 'FETCH_HEAD');
  const deliver = () => new Deliveries(TOOLS, join(folder, 'scratch')).deliver(order, SIGNAL);
  expect(await deliver()).toMatchObject({ kind: 'delivered', made: 'now' });
  expect(await deliver()).toEqual({ kind: 'delivered', ref: REF, head, made: 'before' });
});

test('a branch that stands elsewhere, or that a checkout waits for, is refused and stays', async () => {
  const { workspace, base, head, deliveries, order } = await scene();
  git(workspace, 'branch', BRANCH);
  const taken = await deliveries.deliver(order, SIGNAL);
  expect(taken).toMatchObject({ kind: 'refused', code: 'branch_taken' });
  expect(taken.kind === 'refused' && taken.detail).toContain(`at ${base}; it is not moved to ${head}`);
  expect(git(workspace, 'rev-parse', BRANCH)).toBe(base);
  git(workspace, 'branch', '-D', BRANCH);
  git(workspace, 'symbolic-ref', 'HEAD', REF);
  expect(await deliveries.deliver(order, SIGNAL)).toMatchObject({ kind: 'refused', code: 'branch_in_use' });
  expect(git(workspace, 'for-each-ref', REF)).toBe('');
});

test('a bundle is taken only with the one ref, the named head, the base, and whole', async () => {
  const { workspace, away, base, head, folder, deliveries, order } = await scene();
  const make = (name: string, ...words: string[]): string => {
    const path = join(folder, name);
    git(away, 'bundle', 'create', '--quiet', path, ...words);
    return path;
  };
  git(away, 'branch', 'other', BRANCH);
  await putFiles(away, { 'more.txt': 'more\n' });
  const later = commitAll(away, 'later');
  git(away, 'tag', 'later', later);
  git(away, 'branch', '--force', 'back', head);
  const text = await readFile(order.bundle);
  const edited = async (name: string, change: (bytes: Buffer) => Buffer): Promise<string> => {
    await writeFile(join(folder, name), change(Buffer.from(text)));
    return join(folder, name);
  };
  const replace = (bytes: Buffer, from: string, to: string): Buffer =>
    Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
  await symlink(order.bundle, join(folder, 'link'));
  for (const [path, words, change] of [
    [make('later', REF, `^${base}`), `leads to ${later}`],
    [make('name', 'refs/heads/other', `^${base}`), `exactly ${REF}`],
    [make('two', REF, 'refs/heads/other', `^${base}`), `exactly ${REF}`],
    [make('whole', REF), `does not build on ${base}`, { head: later }],
    [make('thin', REF, `^${head}`), `does not build on ${base}`, { head: later }],
    [make('filter', '--filter=blob:none', REF, `^${base}`), 'a line in its header', { head: later }],
    [await edited('text', () => Buffer.from('no bundle')), 'has no header'],
    [await edited('cut', (bytes) => bytes.subarray(0, -30)), 'not taken'],
    [await edited('flipped', (bytes) => bytes.fill(0, bytes.length - 60, bytes.length - 50)), 'not taken'],
    [await edited('empty', (bytes) => bytes.subarray(0, bytes.indexOf('\n\n') + 2)), 'holds no pack'],
    [
      await edited('count', (bytes) =>
        bytes.fill(0xff, bytes.indexOf('PACK') + 8, bytes.indexOf('PACK') + 12),
      ),
      'objects; at most',
    ],
    [await edited('head', (bytes) => replace(bytes, head, '1'.repeat(40))), 'leads to'],
    [
      await edited('needs', (bytes) => replace(bytes, `-${base}`, `-${base} x\n-${'1'.repeat(40)}`)),
      'which the base does not have',
    ],
    [await edited('large', () => Buffer.alloc((16 << 20) + (65 << 10))), 'more than'],
    [join(folder, 'link'), 'is a link'],
  ] as const) {
    const delivery = await deliveries.deliver({ ...order, bundle: path, ...change }, SIGNAL);
    expect(delivery, path).toMatchObject({ kind: 'refused', code: 'bundle' });
    expect(delivery.kind === 'refused' && delivery.detail).toContain(words);
  }
  expect(git(workspace, 'for-each-ref', 'refs/heads/bnerd')).toBe('');
  expect(() => git(workspace, 'cat-file', '-e', later)).toThrow();
  expect(() => git(workspace, 'cat-file', '-e', head)).toThrow();
  expect(await deliveries.deliver(order, SIGNAL)).toMatchObject({ kind: 'delivered' });
});

test('objects that break the rules of git, and a head that is none of the base, do not reach the workspace', async () => {
  const { workspace, away, base, folder, deliveries, order } = await scene();
  const make = async (content: (parent: string) => string): Promise<{ bundle: string; head: string }> => {
    await writeFile(join(folder, 'object'), content(base));
    const head = git(away, 'hash-object', '-w', '-t', 'commit', '--literally', join(folder, 'object'));
    git(away, 'update-ref', REF, head);
    const path = join(folder, `bundle-${head}`);
    git(away, 'bundle', 'create', '--quiet', path, REF, `^${base}`);
    return { bundle: path, head };
  };
  const tree = git(away, 'rev-parse', 'HEAD^{tree}');
  const made = await make((parent) => `tree ${tree}\nparent ${parent}\n\nnobody\n`);
  const delivery = await deliveries.deliver({ ...order, ...made }, SIGNAL);
  expect(delivery).toMatchObject({
    kind: 'refused',
    code: 'bundle',
    detail: expect.stringMatching(/missingAuthor|fsck|invalid/),
  });
  // A root commit beside the base: the header claims the base all the same.
  const person = 'a <a@example.org> 0 +0000';
  const root = await make(() => `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nroot\n`);
  const bytes = await readFile(root.bundle, 'latin1');
  await writeFile(root.bundle, bytes.replace('# v2 git bundle\n', `# v2 git bundle\n-${base}\n`), 'latin1');
  const beside = await deliveries.deliver({ ...order, ...root }, SIGNAL);
  expect(beside).toMatchObject({ kind: 'refused', detail: expect.stringContaining('does not descend') });
  for (const { head } of [made, root]) expect(() => git(workspace, 'cat-file', '-e', head)).toThrow();
});

test('nothing that the workspace configures is run', async () => {
  const { workspace, deliveries, order } = await scene();
  const trap = await tempDir('trap');
  const program = await spy(trap);
  const hooks = join(workspace, '.git/hooks');
  await mkdir(hooks, { recursive: true });
  for (const hook of [
    'reference-transaction',
    'post-index-change',
    'pre-auto-gc',
    'post-checkout',
    'update',
  ]) {
    await writeFile(join(hooks, hook), `#!/bin/sh\n${program} ${hook}\n`);
    await chmod(join(hooks, hook), 0o755);
  }
  for (const key of [
    'core.fsmonitor',
    'core.alternateRefsCommand',
    'core.pager',
    'gpg.program',
    'core.sshCommand',
  ])
    git(workspace, 'config', key, program);
  expect(await deliveries.deliver(order, SIGNAL)).toMatchObject({ kind: 'delivered' });
  await expect(access(join(trap, 'ran'))).rejects.toThrow('ENOENT');
  // The trap works.
  git(workspace, '-c', 'core.fsmonitor=false', 'update-ref', 'refs/heads/x', 'HEAD');
  await access(join(trap, 'ran'));
});

test('a workspace without the repository or without the base says so', async () => {
  const { workspace, deliveries, order } = await scene();
  await putFiles(workspace, { 'deeper/file': 'x' });
  const deeper = await deliveries.deliver({ ...order, workspace: join(workspace, 'deeper') }, SIGNAL);
  expect(deeper).toMatchObject({ kind: 'refused', code: 'no_repository' });
  const base = '1'.repeat(40);
  const unknown = await deliveries.deliver({ ...order, base }, SIGNAL);
  expect(unknown).toMatchObject({ kind: 'refused', code: 'no_base', detail: expect.stringContaining(base) });
  const gone = await deliveries.deliver({ ...order, bundle: `${order.bundle}-gone` }, SIGNAL);
  expect(gone).toMatchObject({
    kind: 'failed',
    cause: 'workspace',
    detail: expect.stringContaining('is not there'),
  });
});

test('a checkout that is linked to another repository is a workspace as well', async () => {
  const { workspace, head, deliveries, order } = await scene();
  const linked = join(await tempDir('linked'), 'linked');
  git(workspace, 'worktree', 'add', '--quiet', '--detach', linked);
  expect(await deliveries.deliver({ ...order, workspace: linked }, SIGNAL)).toMatchObject({
    kind: 'delivered',
  });
  expect(git(workspace, 'rev-parse', BRANCH)).toBe(head);
});

test('a shallow clone, as a build machine makes one, takes the work as well', async () => {
  const { workspace, base, head, folder, deliveries, order } = await scene();
  const shallow = join(folder, 'shallow');
  git(folder, 'clone', '--quiet', '--depth=1', `file://${workspace}`, shallow);
  expect(git(shallow, 'rev-list', '--count', base)).toBe('1');
  const delivery = await deliveries.deliver({ ...order, workspace: shallow }, SIGNAL);
  expect(delivery).toEqual({ kind: 'delivered', ref: REF, head, made: 'now' });
  expect(git(shallow, 'diff', '--name-only', `${base}..${BRANCH}`)).toBe('work.txt');
});

test('L230: deliveries of two engineers that finish at once are serial, and both arrive', async () => {
  const { workspace, away, base, head, folder, deliveries, order } = await scene();
  const branch = 'bnerd/run-feature-01/2-1';
  git(away, 'switch', '--quiet', '--create', branch, base);
  // Both change the same file: that is for whoever merges them, and no reason to lose one.
  await putFiles(away, { 'work.txt': `other ${randomBytes(8).toString('hex')}\n` });
  const second = commitAll(away, 'second');
  const path = join(folder, 'second');
  await bundle({ quarantine: join(away, '.git'), base, head: second, branch, path }, TOOLS);
  const ended: string[] = [];
  const both = await Promise.all([
    deliveries.deliver(order, SIGNAL).finally(() => ended.push('first')),
    deliveries
      .deliver({ ...order, bundle: path, branch, head: second }, SIGNAL)
      .finally(() => ended.push('second')),
    deliveries.deliver(order, SIGNAL).finally(() => ended.push('first again')),
  ]);
  expect(both.map(({ kind }) => kind)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(both[2]).toMatchObject({ made: 'before' });
  expect(ended).toEqual(['first', 'second', 'first again']);
  expect([BRANCH, branch].map((name) => git(workspace, 'rev-parse', name))).toEqual([head, second]);
  // In two processes git's own locks keep them apart.
  const elsewhere = new Deliveries(TOOLS, join(folder, 'elsewhere'));
  git(workspace, 'update-ref', '-d', REF);
  const twice = await Promise.all([deliveries, elsewhere].map((each) => each.deliver(order, SIGNAL)));
  expect(twice.map(({ kind }) => kind)).toEqual(['delivered', 'delivered']);
});

test('one that waits for its turn can be called off, and lets nobody past the one before it', async () => {
  const { deliveries, order } = await scene();
  const first = deliveries.deliver(order, SIGNAL);
  const second = deliveries.deliver(order, AbortSignal.abort());
  const third = deliveries.deliver(order, SIGNAL);
  expect(await second).toMatchObject({ kind: 'failed', cause: 'cancelled' });
  expect(await third).toMatchObject({ kind: 'delivered', made: 'before' });
  expect(await first).toMatchObject({ kind: 'delivered', made: 'now' });
});

test('a few bytes that ask for gigabytes of memory get none', async () => {
  const { workspace, base, folder, deliveries, order } = await scene();
  // One tree, which is never streamed, of 3 GiB as it says itself: four bits of the size, then seven a byte.
  const size: number[] = [0x80 | (2 << 4)];
  for (let rest = (3 * 2 ** 30) / 16; rest > 0; rest = Math.floor(rest / 128))
    size.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  const pack = Buffer.concat([
    Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001', 'latin1'),
    Buffer.from(size),
    deflateSync('short'),
  ]);
  const trailer = createHash('sha1').update(pack).digest();
  const header = `# v2 git bundle\n-${base}\n${order.head} ${REF}\n\n`;
  await writeFile(join(folder, 'bomb'), Buffer.concat([Buffer.from(header), pack, trailer]));
  const delivery = await deliveries.deliver({ ...order, bundle: join(folder, 'bomb') }, SIGNAL);
  expect(delivery).toMatchObject({ kind: 'refused', detail: expect.stringContaining('over limit') });
  expect(git(workspace, 'for-each-ref', 'refs/heads/bnerd')).toBe('');
});
