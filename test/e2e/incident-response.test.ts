import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { commitAll, git, makeRepository, putFiles } from '../helpers/repository.js';
import { incidentTeam } from './incident-team.js';
import { factsOf } from './record-facts.js';

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

describe('incident-response', () => {
  test('finds the commit behind the symptom, writes incident.md and nothing else, and asks nobody', async () => {
    const place = await bnerdPlace();
    const symptom = `quota-${randomBytes(6).toString('hex')}`;
    const repository = await makeRepository(join(place.root, 'repository'));
    await putFiles(repository, {
      'config/limit.txt': '100\n',
      'app.log': `2026-01-01T00:00:00Z ERROR ${symptom}\n`,
    });
    commitAll(repository, 'Begin');
    await putFiles(repository, { 'config/limit.txt': '1\n' });
    commitAll(repository, 'Tighten the limit');
    const culprit = git(repository, 'rev-parse', 'HEAD').slice(0, 7);
    const far = await startFarSide('openai-compatible', incidentTeam, releases);
    const args = ['--model', 'openai-compatible/local-model'];
    const ended = await bnerd(['team', 'run', 'incident-response', 'orders fail', ...args], {
      place,
      cwd: repository,
      env: { OPENAI_COMPATIBLE_BASE_URL: far.url },
    });

    expect(ended.stderr).toMatch(/^done \(exit 0\)$/m);
    expect(ended.exit).toBe(0);
    expect(ended.stdout).toMatch(
      new RegExp(`^Cause: the limit, ${culprit}[0-9a-f]*\\. See incident\\.md\\.\\n$`),
    );
    const account = await readFile(join(repository, 'incident.md'), 'utf8');
    expect(account).toMatch(
      new RegExp(
        `^# Incident\\nERROR ${symptom}\\ncause: the limit, ${culprit}\\w*\\nrefuted: no write failed\\n$`,
      ),
    );
    expect(git(repository, 'status', '--porcelain')).toBe('?? incident.md');
    const { id, all, facts } = await factsOf(place);
    // The one write is allowed by the recipe: answered by its rule, asked of nobody.
    expect(facts('request.decided').map(({ by }) => by)).toMatchObject([{ kind: 'policy' }]);
    expect(
      facts('task.completed')
        .map(({ task, member }) => `${task} ${member}`)
        .sort(),
    ).toEqual([
      '#1 investigator',
      '#2 incident-commander',
      '#3 scribe',
      '#4 investigator',
      '#5 platform-engineer',
    ]);
    // The account was begun when every explanation had its answer.
    const at = (type: string, task: string) =>
      all.findIndex((fact) => fact.type === type && fact['task'] === task);
    for (const answered of ['#4', '#5'])
      expect(at('task.claimed', '#3')).toBeGreaterThan(at('task.completed', answered));
    expect(facts('task.updated')).toMatchObject([{ task: '#3', add_blocked_by: ['#4', '#5'] }]);
    const scribe = far.seen.filter(({ system }) => system.join('\n').includes('You are the scribe'));
    const read = scribe.flatMap(({ messages }) => messages.map(({ text }) => text)).join('\n');
    expect(read).toContain('refuted: no write failed');
    expect((await bnerd(['team', 'verify', id], { place })).exit).toBe(0);
  });
});
