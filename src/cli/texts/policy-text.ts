/** The policy of a recipe for people (spec/team.md §3, `describe --policy`). Pure; controls stripped. */

import type { PermissionRule } from '../../events/facts/frozen.js';
import { type DescribedPolicy, mayHoldWriteShell, type PolicyTable } from '../../runtime/describe-policy.js';
import { shellWord } from '../../shared/shell-word.js';
import { oneLine } from '../../shared/terminal-text.js';

const VERDICT_COLUMNS = 7;

/** Tables of every mode a run may have, then rules, members and what they mean. */
export function policyText(described: DescribedPolicy): string {
  const { slug, safety, tables, rules, editsAgents, members } = described;
  const lines = [
    `policy of ${slug}; a run has safety ${safety} unless --safety tightens it`,
    'free: runs; allow: would be asked about, and a flag or rule answers; ask: somebody is asked; deny: does not run',
    ...tables.flatMap(tableLines),
    '',
    'rules, looked at first: deny beats ask, ask beats allow; allow answers an ask and never a deny',
    ...(rules.length === 0 ? ['  none'] : rules.map((rule) => `  ${ruleText(rule)}, of ${placeOf(rule)}`)),
    ...(editsAgents ? ['  ask every write into an agent folder, whatever else is said'] : []),
    '',
    'members, with the tools they would have for work:',
    ...members.flatMap(({ name, confirmedBy, tools, provided, patterns }) => [
      `  ${name}: ${tools.length === 0 ? 'none' : tools.join(', ')}`,
      ...(confirmedBy === 'lead' ? ['    the lead may confirm its calls of class write'] : []),
      ...provided.map((tool) => `    ${tool.name} (${tool.class}) is provided by its entry ${tool.entry}`),
      ...patterns.map((pattern) => `    ${ruleText(pattern)}, of its role`),
    ]),
    '',
    ...wrapLines(described),
    ...shellLines(described),
    ...webLines(described),
  ];
  return lines.map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER).trimEnd()}\n`).join('');
}

function tableLines({ safety, planPending, rows }: PolicyTable): string[] {
  const title = planPending ? `${safety}, plan not approved` : safety;
  const names = [...rows.map(({ class: name }) => `  ${name}`), `    ${ruledText('allow')}`];
  const width = Math.max(title.length, ...names.map((name) => name.length)) + 2;
  const cells = (first: string, verdicts: readonly string[], tools: string): string =>
    `${first.padEnd(width)}${verdicts.map((one) => one.padEnd(VERDICT_COLUMNS)).join('')}${tools}`;
  return [
    '',
    cells(title, ['never', 'safe', 'all'], '(--auto-approve)'),
    ...rows.flatMap((row) => [
      cells(`  ${row.class}`, [row.never, row.safe, row.all], row.tools.join(', ')),
      ...RULED.map((decision) => {
        const { never, safe, all } = row.ruled[decision];
        return cells(`    ${ruledText(decision)}`, [never, safe, all], '');
      }),
    ]),
  ];
}

const RULED = ['allow', 'ask', 'deny'] as const;

function ruledText(decision: PermissionRule['decision']): string {
  return decision === 'deny' ? 'with a deny rule' : `with an ${decision} rule`;
}

function ruleText({ decision, tool, match }: PermissionRule): string {
  return [decision, tool, ...(match === null ? [] : [match])].join(' ');
}

function placeOf({ origin }: PermissionRule): string {
  return origin === 'settings' ? '~/.bnerd.yaml' : `the ${origin}`;
}

function wrapLines({ shellWrap }: DescribedPolicy): string[] {
  return shellWrap.length === 0
    ? ['shell.wrap is not set in ~/.bnerd.yaml: programs of tools run as they are.']
    : [`shell.wrap: programs of tools run under ${shellWrap.map(shellWord).join(' ')}`];
}

/** In plain words, since no table says it. */
function shellLines(described: DescribedPolicy): string[] {
  if (!mayHoldWriteShell(described)) {
    return ['No member holds a shell that may write, so the file tools are the only way to a file.'];
  }
  return [
    `A member with shell_exec in class write has your powers${described.shellWrap.length === 0 ? '' : ', as far as shell.wrap leaves them,'} on this machine once a command is`,
    'approved: the confinement of the file tools is no boundary for it, trust files and the control socket included. Read',
    'what you confirm, tighten with --safety read-only, or set shell.wrap to a sandbox (bwrap, a container).',
  ];
}

/** What class Read does not say of it. */
function webLines({ members }: DescribedPolicy): string[] {
  if (!members.some(({ tools }) => tools.includes('web_fetch'))) return [];
  return [
    'A member with web_fetch can send what it reads to any host of the public network once a fetch is approved, under',
    'read-only too: --auto-approve all approves every one, safe none, and a rule can allow the hosts that are meant.',
  ];
}
