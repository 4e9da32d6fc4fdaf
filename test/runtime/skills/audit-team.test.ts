// `bnerd skills audit <team>` of a team that delegates (spec/skills.md §9): brief by brief, and as bills of materials.
import { expect, test } from 'vitest';
import { teamTable } from '../../../src/cli/texts/audit-text.js';
import { auditTeam, teamInventory } from '../../../src/runtime/skills/audit-team.js';
import { cycloneDx } from '../../../src/skills/inventory/cyclonedx.js';
import { spdx } from '../../../src/skills/inventory/spdx.js';
import { DELEGATING_TEAM, delegatedRecord } from '../../helpers/delegated-record.js';
import { againstCycloneDx, againstSpdx } from '../../helpers/sbom-schemas.js';
import { writeMission } from '../../helpers/team.js';
import { foreignRider, rider } from '../../helpers/transcripts.js';
import { JOB } from '../job.js';

async function audited(how: Parameters<typeof delegatedRecord>[1]) {
  const at = await writeMission(JOB);
  const record = await delegatedRecord(at.house.home, how);
  const found = await auditTeam(at.house, DELEGATING_TEAM);
  if (found.kind === 'refused') throw new Error('refused');
  return { record, audit: found.value };
}

const GIVEN = { sent: [foreignRider('beta'), rider('alpha')], added: [rider('azure')] };

test('names what rode each brief, who put it there, and who took it', async () => {
  const { record, audit } = await audited(GIVEN);
  expect(audit.briefs).toMatchObject([
    {
      brief: record.brief.id,
      member: 'worker',
      task: '#1',
      engineer: 'command',
      runner: 'runner-1',
      transcript: record.transcript,
      entries: [
        { name: 'alpha', came: 'brief', origin: 'proprietary', license: null },
        { name: 'azure', came: 'runner', origin: 'proprietary' },
        { name: 'beta', came: 'brief', origin: 'third-party', license: 'MIT' },
      ],
    },
  ]);
  const [, table = ''] = teamTable(audit).split('\n\n');
  expect(table).toMatch(
    /^BRIEF +ENTRY +KIND +VERSION +ORIGIN +LICENSE +GIVEN BY +DIGEST +RENDERED +UPSTREAM\n/,
  );
  expect(table).toMatch(
    /^run-feature-\S+ +azure +skill +1\.0\.0 +proprietary +- +runner +1:\w{12} +\w{12} +-$/m,
  );
  expect(table).toMatch(/^run-feature-\S+ +beta +skill +1\.0\.0 +third-party +MIT +brief .* https:\S+$/m);
});

test('a brief without skills is a line as well', async () => {
  const { record, audit } = await audited({});
  expect(teamTable(audit)).toMatch(new RegExp(`^${record.brief.id} +-$`, 'm'));
});

test('bills of materials hold it with licence and pin, used by the brief, and are valid', async () => {
  const { record, audit } = await audited(GIVEN);
  const content = teamInventory(audit);
  expect(content.items.find(({ name }) => name === 'beta')).toMatchObject({
    license: 'MIT',
    upstream: expect.stringMatching(/^https:/),
    tier: null,
    trust: 'instruction',
    users: [`brief ${record.brief.id}`],
  });
  const stamp = { version: '0.1.0', created: null };
  expect(await againstCycloneDx(JSON.stringify(cycloneDx(content, stamp)))).toBeNull();
  expect(againstSpdx(JSON.parse(JSON.stringify(spdx(content, stamp))))).toBeNull();
});

test('a text that a member has as well is one item, with both of its users', async () => {
  const { audit } = await audited(GIVEN);
  const [rides] = audit.briefs[0]?.entries ?? [];
  if (rides === undefined) throw new Error('nothing rode');
  const { kind, name, version, digest, rendered_sha256, origin } = rides;
  const loaded = { kind, name, version, digest, rendered_sha256, origin } as const;
  const rest = {
    level: 'role',
    tier: 'mission',
    trust: 'instruction',
    bytes: 1,
    approval: null,
    task: null,
  } as const;
  const [lead, ...others] = audit.members;
  if (lead === undefined) throw new Error('no member');
  const members = [{ ...lead, entries: [{ ...loaded, ...rest }] }, ...others];
  const items = teamInventory({ ...audit, members }).items.filter((item) => item.name === name);
  expect(items).toMatchObject([
    { tier: 'mission', users: [/^brief /, /^member lead$/].map((users) => expect.stringMatching(users)) },
  ]);
});
