import { expect, test } from 'vitest';
import { placesOf } from '../../../src/runtime/house.js';
import { catalogueSubjects } from '../../../src/runtime/trust/trust-subjects.js';
import { writeMission } from '../../helpers/team.js';
import { JOB } from '../job.js';

test('whoever is asked about a role sees its patterns: which calls go unasked, which never go', async () => {
  const worker = { tools: ['Read', 'Bash(git diff:*)'], disallowedTools: ['Read(secret/**)'] };
  const { house, mission } = await writeMission({ ...JOB, roles: { ...JOB.roles, worker } });
  const found = { ...house, mission: { path: mission, named: false, commit: null } };
  const { subjects } = await catalogueSubjects(placesOf(found));
  const subject = subjects.find(({ kind, name }) => kind === 'role' && name === 'worker');
  if (subject?.state.kind !== 'readable') throw new Error(JSON.stringify(subjects));
  const facts = new Map(subject.state.facts.map(({ label, value }) => [label, value]));
  expect(facts.get('tools at most')).toBe('fs_read_file, git_diff, shell_exec');
  expect(facts.get('only these calls, unasked')).toBe('shell_exec git diff:*');
  expect(facts.get('never these calls')).toBe('fs_read_file secret/**');
});
