// spec/skills.md §9 through the program: an audit of what a team was given.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { againstCycloneDx, againstSpdx } from '../helpers/sbom-schemas.js';
import { entryFile } from '../helpers/skill-tiers.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

test('with a team: what each member was given, from the record, whatever lies on the disk today', async () => {
  const at = await job(
    oneTask([], {
      roles: { boss: {}, worker: { skills: ['lore', 'heavy'] } },
      skills: {
        lore: entryFile('lore', ['version: 2.1.0']),
        heavy: entryFile('heavy', ['process: true']),
      },
    }),
  );
  expect((await at.run(['--auto-approve', 'all'])).exit).toBe(0);
  const spawned = (await at.of('member.spawned')).find(({ seat }) => seat.member === 'worker');
  await rm(join(at.mission, 'orchestrator'), { recursive: true });
  const id = await at.id();
  const words = ['skills', 'audit', id.slice(0, 12)];
  const options = { env: { BNERD_MISSION_REPO: undefined } };
  const json = JSON.parse((await at.here([...words, '--json'], options)).stdout);
  expect(json).toMatchObject({ v: 1, team: id, recipe: 'job' });
  const worker = json.members.find(({ member }: { member: string }) => member === 'worker');
  expect(worker.entries).toEqual(spawned?.seat.entries.map((entry) => ({ ...entry, task: null })));
  expect(worker.withheld).toMatchObject([{ type: 'entry.omitted', entry: 'heavy', reason: 'process' }]);
  expect(worker.prompt_sha256).toBe(spawned?.seat.prompt_sha256);
  const table = await at.bnerd(words, options);
  expect(table).toMatchObject({ exit: 0, stderr: '' });
  expect(table.stdout).toMatch(
    /^worker +lore +skill +2\.1\.0 +mission +instruction +role +\d+ +1:[0-9a-f]{12} +[0-9a-f]{12}$/m,
  );
  expect(table.stdout).toMatch(/^worker +heavy +omitted +process: /m);
  const cyclonedx = await at.here([...words, '--format', 'cyclonedx'], options);
  expect(await againstCycloneDx(cyclonedx.stdout)).toBeNull();
  const lore = JSON.parse(cyclonedx.stdout).components.find(({ name }: { name: string }) => name === 'lore');
  expect(lore.properties).toContainEqual({ name: 'bnerd:used-by', value: 'member worker' });
  const spdx = await at.here([...words, '--format', 'spdx'], options);
  expect(againstSpdx(JSON.parse(spdx.stdout))).toBeNull();
  const unknown = await at.here(['skills', 'audit', 'run-none'], options);
  expect(unknown).toMatchObject({ exit: 2, stdout: '' });
  expect(unknown.stderr).toMatch(/unknown-team/);
});
