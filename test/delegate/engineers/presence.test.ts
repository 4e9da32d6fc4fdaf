import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../../../src/delegate/engineers/command.js';
import type { Engineer } from '../../../src/delegate/engineers/engineer.js';
import { lookForEngineer, type Presence } from '../../../src/delegate/engineers/presence.js';
import { systemClock } from '../../../src/shared/clock.js';
import { KILL_LADDER } from '../../../src/shared/process-ending.js';
import { ProcessGroups } from '../../../src/shared/processes.js';
import { NO_SECRETS } from '../../../src/shared/secrets/redactor.js';
import { tempDir } from '../../helpers/temp-dir.js';

const versioned: Engineer = { ...command, kind: 'codex', versionArgs: ['--version'] };

async function look(
  script: string,
  change: { path?: string; engineer?: Engineer; wrap?: string[]; signal?: AbortSignal; home?: string } = {},
): Promise<Presence> {
  const root = await tempDir('presence');
  const program = join(root, 'engineer');
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  const groups = new ProcessGroups({ folder: null });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  const settings = {
    path: change.path ?? program,
    args: [],
    env: {},
    projectSettings: false,
    mayBeFull: false,
  };
  const house = {
    groups,
    environment: { PATH: `${root}:/usr/bin:/bin` },
    wrap: change.wrap ?? [],
    clock: systemClock,
    secrets: NO_SECRETS,
  };
  const signal = change.signal ?? new AbortController().signal;
  const seen = await lookForEngineer(
    change.engineer ?? versioned,
    settings,
    house,
    change.home ?? join(root, 'home'),
    signal,
  );
  expect(groups.live).toEqual([]);
  return seen;
}

test('a program says its version in its first line, wherever it lies', async () => {
  expect(await look('echo "engineer 1.2 ($1)"; echo more')).toEqual({
    kind: 'there',
    version: 'engineer 1.2 (--version)',
  });
  expect(await look('echo 2.0', { path: 'engineer' })).toEqual({ kind: 'there', version: '2.0' });
  expect(await look('echo 2.0', { wrap: ['/usr/bin/env', 'X=1'] })).toEqual({
    kind: 'there',
    version: '2.0',
  });
});

test('one that fails, says nothing or hangs is there without a version; one that has none is not asked', async () => {
  expect(await look('exit 3')).toEqual({ kind: 'there', version: null });
  expect(await look('true')).toEqual({ kind: 'there', version: null });
  expect(await look('sleep 60', { signal: AbortSignal.timeout(100) })).toEqual({
    kind: 'there',
    version: null,
  });
  expect(await look('exit 1', { engineer: command })).toEqual({ kind: 'there', version: null });
});

test('one that is not there, or not to be run, is missing by the key that names it', async () => {
  for (const path of ['/nowhere/engineer', 'no-such-engineer', '/etc/passwd', ''])
    expect(await look('true', { path })).toEqual({
      kind: 'missing',
      detail: `there is no program "${path}" here (engineers.codex.path)`,
    });
  expect(await look('true', { wrap: ['/nowhere/wrapper'] })).toMatchObject({
    kind: 'missing',
    detail: expect.stringContaining('codex does not start'),
  });
});

test('its home is a new one each time, and is gone afterwards: nothing that was put into one is in effect in the next', async () => {
  const plants = 'ls -A "$HOME" | wc -l; echo planted > "$HOME/.settings"';
  const home = join(await tempDir('presence'), 'homes');
  expect(await look(plants, { home })).toEqual({ kind: 'there', version: '0' });
  expect(await look(plants, { home })).toEqual({ kind: 'there', version: '0' });
  expect(await readdir(home)).toEqual([]);
});
