// What `src/index.ts` promises to programs: a house, a plan and a run need no other name of this package.
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  DEFAULT_SKILL_SETTINGS,
  describePrompt,
  Gates,
  type House,
  houseAt,
  lintCatalogue,
  NO_DELEGATION,
  NO_MODEL_SETTINGS,
  NO_SECRETS,
  NO_WEB_SETTINGS,
  openPlaces,
  PACKAGE_ROOT,
  prepareRun,
  startTeam,
  systemClock,
} from '../../src/index.js';
import { tempDir } from '../helpers/temp-dir.js';

async function openHouse(): Promise<House> {
  const root = await realpath(await tempDir('program'));
  const [userHome, workingDirectory] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [userHome, workingDirectory]) await mkdir(folder);
  for (const name of ['README.md', 'notes.txt', 'keeper.md'])
    await writeFile(join(workingDirectory, name), `# ${name}\n\nA line of ${name}.\n`);
  const toolEnvironment = { PATH: '/usr/bin:/bin', HOME: userHome };
  const opened = await openPlaces({
    packageRoot: PACKAGE_ROOT,
    workingDirectory,
    userHome,
    bnerdHome: null,
    mission: null,
    trustFiles: [],
    gitPath: toolEnvironment.PATH,
  });
  if (opened.kind === 'refused') throw new Error(JSON.stringify(opened.findings));
  return houseAt(opened.places, await opened.missionCommit(), {
    clock: systemClock,
    version: '0.0.0-program',
    home: join(userHome, '.state'),
    workingDirectory,
    temporaryDirectory: root,
    trustFiles: [],
    agentSkills: '',
    skills: DEFAULT_SKILL_SETTINGS,
    configModel: null,
    models: NO_MODEL_SETTINGS,
    gates: new Gates(),
    permissions: [],
    web: NO_WEB_SETTINGS,
    shellWrap: [],
    delegation: NO_DELEGATION,
    toolEnvironment,
    secrets: NO_SECRETS,
    redis: null,
    hostname: 'host',
    user: 'ada',
  });
}

test('a program opens a house, lints, describes and runs a built-in recipe to its end', async () => {
  const house = await openHouse();
  const wishes = { slug: 'quickstart', variables: new Map(), safety: null };
  expect(await lintCatalogue(house, ['quickstart'])).toMatchObject({ findings: [] });
  const described = await describePrompt(house, wishes, 'lead');
  const prepared = await prepareRun(house, {
    ...wishes,
    prompt: '',
    autoApprove: 'all',
    autoSkipQuestions: true,
    requestTimeoutMs: null,
    graceMs: 500,
    page: null,
    models: [],
    limits: new Map(),
  });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const [lead] = prepared.plan.started.seats;
  expect(described).toMatchObject({ kind: 'found', value: { sha256: lead?.prompt_sha256 } });
  const team = await startTeam(house, prepared.plan, { operatorPresent: false, onEntry: () => {} });
  expect(await team.ended).toMatchObject({ reason: 'done' });
});
