import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import {
  type BnerdPlace,
  type BnerdRun,
  bnerd,
  bnerdPlace,
  CLI,
  expectNoControlCodes,
} from '../helpers/bnerd.js';
import { engine } from '../helpers/engines.js';
import type { FarSide, Wire } from '../helpers/providers/far-side.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { commitAll, makeRepository, putFiles } from '../helpers/repository.js';
import { factsOf } from './record-facts.js';
import { reviewTeam } from './review-team.js';

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

const WIRES: readonly {
  readonly wire: Wire;
  readonly env: (url: string) => Record<string, string>;
  readonly flags: string;
}[] = [
  {
    wire: 'anthropic',
    env: (url) => ({ ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: url }),
    flags: '',
  },
  {
    wire: 'openai-compatible',
    env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: url }),
    flags: '--model openai-compatible/local-model',
  },
];

describe.each(WIRES)('pr-review over $wire, from a linked program', ({ wire, env, flags }) => {
  const review = async (word: string): Promise<Review> => {
    const place = await bnerdPlace();
    const repository = await repositoryWith(place, word);
    const far = await startFarSide(wire, reviewTeam, releases);
    const before = await snapshot(repository);
    const bin = join(place.root, 'bin');
    await mkdir(bin);
    await symlink(CLI, join(bin, 'bnerd'));
    const ended = await bnerd([], {
      place,
      cwd: repository,
      env: { ...env(far.url), PATH: `${bin}:${process.env['PATH']}` },
      sh: `exec bnerd team run pr-review "review the last commit" ${flags} > ../review.md`,
    });
    return { ended, far, before, after: await snapshot(repository), place };
  };

  test('the review holds the word of the last commit and nothing but the result; both reviewers are in the record; nothing was changed', async () => {
    const word = `w${randomBytes(6).toString('hex')}`;
    const { ended, far, before, after, place } = await review(word);
    expect(ended.stderr).toMatch(/^done \(exit 0\)$/m);
    expect(ended.exit).toBe(0);
    expect(ended.stdout).toBe('');
    const text = await readFile(join(place.root, 'review.md'), 'utf8');
    expectNoControlCodes('review.md', text);
    expect(text).toBe(
      [
        'Merge after changes.',
        '',
        '## Findings',
        `- minor, correctness: the commit gives away the codename ${word}`,
        `- minor, security: the commit gives away the codename ${word}`,
        '',
      ].join('\n'),
    );
    expect(after).toEqual(before);
    // What the far side was sent: every member's prompt in blocks, its skill in it, and no key of ours in a body.
    const skills = [
      '[Skill: leading-a-team]',
      '[Skill: reviewing-a-change]',
      '[Skill: reviewing-for-security]',
    ];
    for (const skill of skills)
      expect(far.seen.some(({ system }) => system.join('\n').includes(skill))).toBe(true);
    expect(JSON.stringify(far.seen.map(({ body }) => body))).not.toContain('test-key');
    // Both reviewers' results are in the record, which verifies; the key is nowhere in it.
    const { id, facts } = await factsOf(place);
    const completed = facts('task.completed');
    expect(completed.map((fact) => fact['member']).sort()).toEqual(['code-reviewer', 'security-reviewer']);
    for (const fact of completed) expect(fact['summary']).toContain(word);
    expect(facts('member.spawned')).toHaveLength(3);
    expect(await engine().kept(place)).not.toContain('test-key');
    expect(await grepFolder(place.state, 'test-key')).toEqual([]);
    expect((await bnerd(['team', 'verify', id], { place })).exit).toBe(0);
  });
});

interface Review {
  readonly ended: BnerdRun;
  readonly far: FarSide;
  readonly before: Record<string, string>;
  readonly after: Record<string, string>;
  readonly place: BnerdPlace;
}

/** A repository of two commits, the last of which brings a random word in. */
async function repositoryWith(place: BnerdPlace, word: string): Promise<string> {
  const repository = await makeRepository(join(place.root, 'repository'));
  await putFiles(repository, { 'notes.md': '# Notes\n' });
  commitAll(repository, 'Begin');
  await putFiles(repository, { 'notes.md': `# Notes\ncodename: ${word}\n` });
  commitAll(repository, 'Say more');
  return repository;
}

/** Every file below a folder with its content, git's own included. */
async function snapshot(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file, (await readFile(file)).toString('base64')]),
  );
  return Object.fromEntries(texts);
}

async function grepFolder(folder: string, text: string): Promise<string[]> {
  return Object.entries(await snapshot(folder))
    .filter(([, content]) => Buffer.from(content, 'base64').includes(text))
    .map(([file]) => file);
}
