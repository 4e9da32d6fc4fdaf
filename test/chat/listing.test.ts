import { expect, test } from 'vitest';
import { skillsListing } from '../../src/chat/listing.js';
import { anEntry } from '../skills/entries.js';

/** As the document that describes it shows it. */
const SAMPLE = `* k8s-security         [rule]  Pod Security Standards and securityContext hardening (builtin)
+ flux                 [skill] Flux v2 API types, reconciliation loop, and image automation (builtin)
  terraform            [skill] Terraform provider usage and module patterns (builtin)

* = active | + = skill this mode can self-load | (blank) = other mode, or an inactive rule
/skill load <name> · /skill unload <name> — manual override, works on any entry
The AI can also load an available (+) skill itself mid-conversation via the skill tool.`;

test('the sample, byte for byte, in whatever order the entries come', () => {
  const entries = [
    anEntry({ name: 'terraform', description: 'Terraform provider usage and module patterns' }),
    anEntry({ name: 'flux', description: 'Flux v2 API types, reconciliation loop, and image automation' }),
    anEntry({
      kind: 'rule',
      name: 'k8s-security',
      description: 'Pod Security Standards and securityContext hardening',
    }),
  ];
  const marks = new Map([
    ['k8s-security', '*'],
    ['flux', '+'],
  ] as const);
  expect(skillsListing(entries, ({ name }) => marks.get(name as 'flux') ?? ' ')).toBe(SAMPLE);
});

test('what could move a cursor is not shown, lines are joined, a long name pushes the rest', () => {
  const entry = anEntry({
    name: 'a-name-of-more-than-twenty',
    description: 'one\n  two\u001b[31m',
    tier: 'project',
  });
  const [line] = skillsListing([entry], () => ' ').split('\n');
  expect(line).toBe('  a-name-of-more-than-twenty [skill] one two[31m (project)');
});
