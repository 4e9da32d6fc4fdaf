/** What each key of a role means, in one sentence (spec/team.md §1): a key without one does not compile. */

import type { RoleFile } from './role-file.js';

export const ROLE_WORDS: Readonly<Record<keyof RoleFile, string>> = {
  name: 'Name of the role, compared without case, "-", "_" and blanks. Absent: the name of the file.',
  description: 'One line that its team mates are told.',
  model: 'provider/name, an alias, or inherit.',
  tools:
    'Names of tools, as a list or text with commas. Absent: those of the base toolset. Empty: coordination only.',
  disallowedTools: 'Tools that it never gets.',
  permissionMode: 'plan: it acts only when its plan is approved, where the recipe says so.',
  skills: 'Entries that it has from its first word.',
  color: 'Not in effect here.',
  maxTurns: 'Turns that this member may take.',
  base: 'The toolset that the safety floor filters and tools selects from.',
  grants: 'Not in effect here: what a member can do follows from its tools.',
  approver: 'Who approves its plans. lead: the lead confirms its Write calls as well.',
  delegate: 'Whether it may delegate work to engineers.',
  engineer_skills: 'Entries that ride the briefs it delegates.',
  workspace: 'exclusive: one turn of this role at a time.',
};
