// spec/skills.md §9 `skills audit --online`: pins are fetched again from a repository of this machine, and compared.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditEntries } from '../../../src/runtime/skills/audit-entries.js';
import { auditOnline } from '../../../src/runtime/skills/audit-online.js';
import { readMirror } from '../../../src/skills/import/git-address.js';
import { importSkill } from '../../../src/skills/import/import-skill.js';
import { FETCH_LIMITS } from '../../../src/skills/import/scratch-repository.js';
import { DEFAULT_SKILL_SETTINGS } from '../../../src/skills/settings.js';
import { commitAll, makeRepository, putFiles } from '../../helpers/repository.js';
import { writeMission } from '../../helpers/team.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { JOB } from '../job.js';

const URL_OF_PIN = 'https://example.org/owner/pdf';
const TEXT = '---\nname: pdf\ndescription: Reads PDF.\nlicense: MIT\n---\nFirst line.\nSecond line.\n';

/** A mission with one entry that came by import from a repository here. */
async function imported() {
  const at = await writeMission({ ...JOB, governed: true });
  const upstream = await makeRepository(join(await tempDir('upstream'), 'pdf'));
  await putFiles(upstream, { 'SKILL.md': TEXT });
  const commit = commitAll(upstream, 'first');
  const tools = {
    gitPath: process.env['PATH'] ?? '',
    temporaryDirectory: await tempDir('scratch'),
    signal: new AbortController().signal,
    maxBytes: FETCH_LIMITS.bytes,
  };
  const folder = join(at.mission, 'orchestrator/skills');
  const done = await importSkill(
    {
      url: URL_OF_PIN,
      source: `file://${upstream}`,
      ref: commit,
      file: 'SKILL.md',
      license: null,
      version: '1.0.0',
      into: { path: folder, root: at.mission, tier: 'mission' },
      mode: 'write',
    },
    { ...tools, guards: DEFAULT_SKILL_SETTINGS },
  );
  if (done.kind === 'refused') throw new Error(JSON.stringify(done.findings));
  const audit = async (from = upstream) => {
    const { files, findings } = await auditEntries(at.house);
    return { here: findings, online: await auditOnline(files, tools, () => readMirror(`file://${from}`)) };
  };
  return { path: join(folder, 'pdf/SKILL.md'), text: done.skill.after, upstream, audit };
}

describe('an entry that came by import', () => {
  test('is fetched again at its pin, whatever its repository holds today: no objection', async () => {
    const { audit, upstream } = await imported();
    await putFiles(upstream, { 'SKILL.md': TEXT.replace('Second', 'Third') });
    commitAll(upstream, 'later');
    const { here, online } = await audit();
    expect(here).toEqual([]);
    expect(online).toEqual({ compared: 1, findings: [], differences: [] });
  });

  test('that was edited here differs, and the difference is shown', async () => {
    const { audit, path, text } = await imported();
    await putFiles(join(path, '..'), { 'SKILL.md': text.replace('Second line.', 'Another line.') });
    const { here, online } = await audit();
    expect(here.map(({ code }) => code)).toContain('version-not-bumped');
    expect(online.compared).toBe(1);
    expect(online.findings).toMatchObject([
      { code: 'upstream-differs', severity: 'error', path, message: expect.stringContaining(URL_OF_PIN) },
    ]);
    expect(online.differences).toMatchObject([{ name: 'pdf' }]);
    expect(online.differences[0]?.lines).toContain('-Second line.');
    expect(online.differences[0]?.lines).toContain('+Another line.');
  });

  test('whose pin cannot be fetched is an error: nobody knows what it holds', async () => {
    const { audit } = await imported();
    const empty = await makeRepository(join(await tempDir('empty'), 'pdf'));
    const { online } = await audit(empty);
    expect(online).toMatchObject({
      compared: 0,
      findings: [{ code: 'upstream-not-compared', severity: 'error' }],
      differences: [],
    });
  });
});
