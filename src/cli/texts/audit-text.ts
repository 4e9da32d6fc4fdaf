/** Audits as tables for people (spec/skills.md §9). Pure; controls stripped, a line each. */

import type { OnlineAudit } from '../../runtime/skills/audit-online.js';
import type { BriefAudit, MemberAudit, TeamAudit } from '../../runtime/skills/audit-team.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Inventory, InventoryItem } from '../../skills/inventory/inventory.js';
import { columns } from './columns.js';

/** Enough of a digest to tell two texts apart; the other forms have all of it. */
const SHORT = 14;

/** The users of an entry, and notes of a review, are long. */
const WIDEST = 72;

const INVENTORY_HEAD = [
  'NAME',
  'KIND',
  'VERSION',
  'TIER',
  'TRUST',
  'ORIGIN',
  'LICENSE',
  'DIGEST',
  'VETTED',
  'USED BY',
  'UPSTREAM',
];

/** An entry a line, under a line of titles; `-` is nothing. */
export function inventoryTable({ items }: Inventory): string {
  return columns([INVENTORY_HEAD, ...items.map(inventoryRow)], WIDEST);
}

function inventoryRow(item: InventoryItem): string[] {
  return [
    item.name,
    item.kind,
    item.version ?? '-',
    item.tier ?? '-',
    item.trust,
    item.origin ?? '-',
    item.license ?? '-',
    short(item.digest),
    item.vetted ?? '-',
    item.users.join(', ') || '-',
    item.upstream ?? '-',
  ];
}

const TEAM_HEAD = [
  'MEMBER',
  'ENTRY',
  'KIND',
  'VERSION',
  'TIER',
  'TRUST',
  'CAME WITH',
  'BYTES',
  'DIGEST',
  'RENDERED',
];

const BRIEF_HEAD = [
  'BRIEF',
  'ENTRY',
  'KIND',
  'VERSION',
  'ORIGIN',
  'LICENSE',
  'GIVEN BY',
  'DIGEST',
  'RENDERED',
  'UPSTREAM',
];

/** An entry of a member a line, and one for each that was named and not given; then, where there are any, those of briefs. */
export function teamTable({ members, briefs }: TeamAudit): string {
  const table = columns([TEAM_HEAD, ...members.flatMap(memberRows)]);
  return briefs.length === 0
    ? table
    : `${table}\n${columns([BRIEF_HEAD, ...briefs.flatMap(briefRows)], WIDEST)}`;
}

/** Of a brief that nobody has taken, nothing was given yet. */
function briefRows({ brief, runner, entries }: BriefAudit): string[][] {
  const rows = entries.map((entry) => [
    brief,
    entry.name,
    entry.kind,
    entry.version,
    entry.origin,
    entry.license ?? '-',
    runner === null ? 'nobody yet' : entry.came,
    short(entry.digest),
    entry.rendered_sha256.slice(0, SHORT - 2),
    entry.upstream ?? '-',
  ]);
  return rows.length === 0 ? [[brief, '-']] : rows;
}

function memberRows({ member, entries, withheld }: MemberAudit): string[][] {
  const given = entries.map((entry) => [
    member,
    entry.name,
    entry.kind,
    entry.version ?? '-',
    entry.tier,
    entry.trust,
    entry.task === null ? entry.level : `task ${entry.task}`,
    String(entry.bytes),
    short(entry.digest),
    entry.rendered_sha256.slice(0, SHORT - 2),
  ]);
  const left = withheld.map(({ type, entry, reason, detail }) => [
    member,
    entry,
    type === 'entry.rejected' ? 'rejected' : 'omitted',
    `${reason}: ${detail}`,
  ]);
  const rows = [...given, ...left];
  return rows.length === 0 ? [[member, '-']] : rows;
}

/** What was compared with its pin, and how it differs: from the pin to what lies here. */
export function onlineText({ compared, differences }: OnlineAudit): string {
  const lines = [
    ...differences.flatMap(({ name, lines: diff }) => [
      `difference of ${name}, from its pin to what lies here`,
      ...diff.map((line) => `│ ${line}`),
    ]),
    `${compared} imported ${compared === 1 ? 'entry was' : 'entries were'} fetched again and compared`,
  ];
  return lines.map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER)}\n`).join('');
}

function short(digest: string): string {
  return digest.slice(0, SHORT);
}
