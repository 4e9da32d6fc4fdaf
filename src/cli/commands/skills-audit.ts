/**
 * `bnerd skills audit`: the inventory on stdout, what is wrong with it on stderr, exit 1 when that is an error; with a
 * team: what its members and engineers were given; with a transcript: whether an engineer was given what the record says.
 */

import { readChoice } from '../../config/values.js';
import { badValue, type Resolved, writtenValue } from '../../config/written.js';
import { auditEntries, type EntryAudit } from '../../runtime/skills/audit-entries.js';
import type { OnlineAudit } from '../../runtime/skills/audit-online.js';
import { auditTeam, teamInventory } from '../../runtime/skills/audit-team.js';
import type { ToldBy } from '../../runtime/skills/audit-transcript.js';
import { isoStamp } from '../../shared/clock.js';
import { type Finding, hasErrors } from '../../shared/findings.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import type { Inventory } from '../../skills/inventory/inventory.js';
import { houseOf } from '../build-house.js';
import { type Call, flagText, isGiven, wordsOf } from '../call.js';
import { interruptible } from '../interruptible.js';
import { refuse, writeFindings } from '../refusal.js';
import { inventoryTable, onlineText, teamTable } from '../texts/audit-text.js';
import { transcriptSummary, transcriptTable } from '../texts/transcript-audit-text.js';
import { oneOfTwo } from '../usage.js';

const FORMATS = ['table', 'json', 'cyclonedx', 'spdx'] as const;
type Format = (typeof FORMATS)[number];

/** How an audit is written down. */
interface Form {
  readonly format: Format;
  readonly created: string | null;
}

export async function run(call: Call): Promise<number> {
  const form = formOf(call);
  if (form.kind === 'refused') return refuse(call.program, form.findings);
  const wrong = misuse(call, form.value);
  if (wrong !== undefined) return refuse(call.program, [wrong]);
  const transcript = flagText(call, 'transcript');
  if (transcript !== null) return auditOfTranscript(call, form.value, transcript);
  const [team] = wordsOf(call, 'team');
  if (team === undefined) return auditHere(call, form.value);
  // What a run was given is told by its record alone.
  return isGiven(call, 'online')
    ? refuse(call.program, [oneOfTwo('--online', `the team ${team}`)])
    : auditRun(call, form.value, team);
}

async function auditHere(call: Call, form: Form): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'catalogue');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { value } = house;
  const audit = await auditEntries(value);
  if (!isGiven(call, 'online')) return report(call, form, audit, null);
  return interruptible(program, async (signal) => {
    const { auditOnline } = await import('../../runtime/skills/audit-online.js');
    const { FETCH_LIMITS } = await import('../../skills/import/scratch-repository.js');
    const gitPath = value.toolEnvironment['PATH'] ?? '';
    const tools = { gitPath, temporaryDirectory: value.temporaryDirectory, maxBytes: FETCH_LIMITS.bytes };
    return report(call, form, audit, await auditOnline(audit.files, { ...tools, signal }));
  });
}

/** @param online what was fetched again; null: nobody asked */
async function report(
  call: Call,
  form: Form,
  audit: EntryAudit,
  online: OnlineAudit | null,
): Promise<number> {
  const { program } = call;
  const { inventory, said } = audit;
  const findings = [...audit.findings, ...(online?.findings ?? [])];
  await write(call, form, inventory, {
    table: () => inventoryTable(inventory),
    json: () => ({ v: 1, entries: inventory.items, findings, online: online && onlineJson(online) }),
  });
  writeFindings(program, [...said, ...findings]);
  if (online !== null) program.output.notes.write(onlineText(online));
  program.output.notes.write(`${summary(inventory, findings)}\n`);
  return hasErrors(findings) ? 1 : 0;
}

function onlineJson({ compared, differences }: OnlineAudit): object {
  return { compared, differences };
}

async function auditRun(call: Call, form: Form, team: string): Promise<number> {
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(call.program, house.findings);
  const found = await auditTeam(house.value, team);
  if (found.kind === 'refused') return refuse(call.program, found.findings);
  const audit = found.value;
  await write(call, form, teamInventory(audit), {
    table: () => teamTable(audit),
    json: () => ({ v: 1, ...audit }),
  });
  return 0;
}

/** Exit 1 when something differs: then the file is not proof of what the engineer was given. */
async function auditOfTranscript(call: Call, { format }: Form, transcript: string): Promise<number> {
  const { program } = call;
  const by = toldBy(call);
  const house = await houseOf(call, by.kind === 'registry' ? 'catalogue' : 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { auditTranscript } = await import('../../runtime/skills/audit-transcript.js');
  const found = await auditTranscript(house.value, transcript, by);
  if (found.kind === 'refused') return refuse(program, found.findings);
  const audit = found.value;
  program.output.results.write(format === 'json' ? jsonDocument({ v: 1, ...audit }) : transcriptTable(audit));
  writeFindings(program, audit.findings);
  program.output.notes.write(`${transcriptSummary(audit)}\n`);
  return hasErrors(audit.findings) ? 1 : 0;
}

function toldBy(call: Call): ToldBy {
  const team = flagText(call, 'team');
  if (team !== null) return { kind: 'team', team };
  const file = flagText(call, 'record');
  return file === null ? { kind: 'registry' } : { kind: 'record', file };
}

/** What is given and does not go with the rest. */
function misuse(call: Call, { format }: Form): Finding | undefined {
  const [team] = wordsOf(call, 'team');
  const given = (flag: string): boolean => flagText(call, flag) !== null;
  if (!given('transcript')) {
    const flag = ['team', 'record'].find(given);
    return flag === undefined ? undefined : withoutTranscript(`--${flag}`);
  }
  if (team !== undefined) return oneOfTwo('--transcript', `the team ${team} (with a transcript: --team)`);
  if (given('team') && given('record')) return oneOfTwo('--team', '--record');
  if (isGiven(call, 'online')) return oneOfTwo('--online', '--transcript');
  return format === 'table' || format === 'json' ? undefined : oneOfTwo('--transcript', `--format ${format}`);
}

function withoutTranscript(flag: string): Finding {
  const message = `${flag} says what a transcript is held against, and --transcript is not given`;
  const remedy = 'give --transcript <file>; what a whole team was given: bnerd skills audit <team>';
  return { code: 'missing-flag', severity: 'error', path: flag, message, remedy };
}

/** Writes it in the form that was asked for. */
async function write(
  { program }: Call,
  { format, created }: Form,
  inventory: Inventory,
  own: { readonly table: () => string; readonly json: () => object },
): Promise<void> {
  const { results } = program.output;
  const json = (document: object): void => results.write(jsonDocument(document));
  const stamp = { version: program.version, created };
  switch (format) {
    case 'table':
      results.write(own.table());
      return;
    case 'json':
      json(own.json());
      return;
    case 'cyclonedx': {
      const { cycloneDx } = await import('../../skills/inventory/cyclonedx.js');
      json(cycloneDx(inventory, stamp));
      return;
    }
    case 'spdx': {
      const { spdx } = await import('../../skills/inventory/spdx.js');
      json(spdx(inventory, stamp));
      return;
    }
  }
}

function summary({ items }: Inventory, findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const entries = `${items.length} ${items.length === 1 ? 'entry' : 'entries'}`;
  return `${entries}: ${errors === 0 ? 'no objection' : `${errors} ${errors === 1 ? 'error' : 'errors'}`}`;
}

/** `--json` says the same as `--format json`. */
function formOf(call: Call): Resolved<Form> {
  const created = createdOf(call);
  if (created.kind === 'refused') return created;
  const written = writtenValue(call.layers, 'format');
  if (written === undefined) {
    const format = isGiven(call, 'json') ? 'json' : 'table';
    return { kind: 'resolved', value: { format, created: created.value } };
  }
  const reading = readChoice(written, FORMATS);
  if (reading.kind === 'refused') return { kind: 'refused', findings: [reading.finding] };
  if (isGiven(call, 'json') && reading.value !== 'json') {
    const finding = badValue(written, 'json, as --json is given too', 'keep one of the two flags');
    return { kind: 'refused', findings: [finding] };
  }
  return { kind: 'resolved', value: { format: reading.value, created: created.value } };
}

/** Without the flag no time is told, so that the same entries give the same bytes. */
function createdOf(call: Call): Resolved<string | null> {
  const written = writtenValue(call.layers, 'created');
  if (written === undefined) return { kind: 'resolved', value: null };
  if (written.text === 'now') return { kind: 'resolved', value: wholeSeconds(call.program.clock.wallMs()) };
  const ms = /^\d{4}-\d\d-\d\dT/.test(written.text) ? Date.parse(written.text) : Number.NaN;
  if (Number.isFinite(ms)) return { kind: 'resolved', value: wholeSeconds(ms) };
  const finding = badValue(written, 'now, or a time as 2026-08-09T12:00:00Z', 'write --created now');
  return { kind: 'refused', findings: [finding] };
}

function wholeSeconds(ms: number): string {
  return isoStamp(ms).replace(/\.\d+Z$/, 'Z');
}
