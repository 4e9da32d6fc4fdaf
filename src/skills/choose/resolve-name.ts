/**
 * What a name in a list stands for (spec/skills.md §7.2, spec/team.md §1): a trusted entry, else one that may not
 * instruct, else a file that could not be loaded, else nothing.
 *
 * Always true: an untrusted file never takes a name that a trusted one has. A skill that may not instruct serves as
 * reference text (spec/skills.md §4), a rule is refused with both ways out. A name that was switched off is refused
 * with who says so. The reason why a file is not there is told to whoever needs it.
 */

import { basename, dirname } from 'node:path';
import { SKILL_FILE } from '../../catalog/tiers.js';
import { needsTrust } from '../../catalog/trust.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import type { UntrustedEntry } from '../decide/precedence.js';
import type { Entry } from '../entry.js';
import type { Registry } from '../registry.js';
import { quoted } from '../remark.js';
import type { DisabledName } from '../settings.js';

export type ResolvedName =
  | { readonly kind: 'entry'; readonly entry: Entry; readonly notes: readonly Finding[] }
  /** A skill that may not instruct: to be shown as reference text, never composed into a system prompt. */
  | {
      readonly kind: 'reference';
      readonly entry: Entry;
      readonly notes: readonly Finding[];
      /** Why it may not instruct, for whoever needs an instruction (`needsTrust`). */
      readonly remark: Finding;
    }
  | { readonly kind: 'refused'; readonly entry: Entry; readonly finding: Finding }
  | { readonly kind: 'unknown'; readonly message: string; readonly remedy: string };

/**
 * Resolves one name.
 * @param by the file or variable that names it, for the refusal of an untrusted one
 */
export function resolveName(name: string, registry: Registry, by: string): ResolvedName {
  const resolved = whoeverIsMeant(name, registry, by);
  if (resolved.kind === 'unknown') return resolved;
  const off = registry.disabled.get(resolved.entry.name);
  // Before the word that would be wanted: with it the name would be switched off all the same.
  return off === undefined
    ? resolved
    : { kind: 'refused', entry: resolved.entry, finding: switchedOff(resolved.entry, off, by) };
}

function whoeverIsMeant(name: string, registry: Registry, by: string): ResolvedName {
  const entry = registry.byName.get(name);
  if (entry !== undefined) return { kind: 'entry', entry, notes: brokenSuccessors(entry, registry) };
  const [inDirectory, another] = registry.entries.filter((one) => directoryName(one.path) === name);
  if (inDirectory !== undefined && another === undefined) {
    return { kind: 'entry', entry: inDirectory, notes: [byDirectory(name, inDirectory, by)] };
  }
  if (inDirectory !== undefined)
    return unknown(name, registry, ', and more than one lies in a directory of that name');
  const untrusted = untrustedOf(name, registry);
  if (untrusted !== undefined) return notInstructing(name, untrusted, by);
  const reasons = registry.refused
    .filter((file) => file.name === name || file.expectedName === name)
    .map(({ path, findings }) => `; ${path} is not loaded: ${reasonOf(findings)}`);
  return unknown(name, registry, reasons.join(''));
}

function unknown(name: string, registry: Registry, more: string): ResolvedName {
  return {
    kind: 'unknown',
    message: `no skill or rule is named ${quoted(name)}${more}`,
    remedy: nameRemedy(name, [...registry.byName.keys()]),
  };
}

/** The code of the remark on a skill that is shown and does not instruct. */
export const REFERENCE_TEXT = 'reference-text';

/** A skill that may not instruct may still be read; a rule that may not instruct is nothing. */
function notInstructing(name: string, { file, remark }: UntrustedEntry, by: string): ResolvedName {
  const { entry } = file;
  if (entry.kind === 'rule') {
    return { kind: 'refused', entry, finding: needsTrust(`rule ${quoted(name)} (named by ${by})`, remark) };
  }
  const why = remark.message.replace(/^(?:not used|no instruction): /, '');
  const message = `skill ${quoted(entry.name)} is used as reference text, not as an instruction: ${why}`;
  const note: Finding = { ...remark, code: REFERENCE_TEXT, severity: 'info', message };
  return { kind: 'reference', entry, notes: [note], remark };
}

function switchedOff({ kind, name }: Entry, { place }: DisabledName, by: string): Finding {
  return {
    code: 'entry-disabled',
    severity: 'error',
    path: by,
    message: `${kind} ${quoted(name)} is disabled by ${place}`,
    remedy: `take it off the list, or take it out of \`disabled\` in ${place}`,
  };
}

/** The one that would be used if all were approved, by its name or else by that of its directory. */
function untrustedOf(name: string, { untrusted }: Registry): UntrustedEntry | undefined {
  return (
    untrusted.findLast(({ file }) => file.entry.name === name) ??
    untrusted.findLast(({ file }) => file.expectedName === name)
  );
}

/** Files that would have replaced an entry and could not be loaded; what strangers left lying about is not told. */
function brokenSuccessors(entry: Entry, { files, refused }: Registry): Finding[] {
  const rank = files.find((file) => file.kind === 'loaded' && file.entry === entry)?.rank ?? 0;
  return refused
    .filter((file) => file.place.approval === null && file.rank > rank)
    .filter((file) => (file.name ?? file.expectedName) === entry.name)
    .map((file) => ({
      code: 'entry-not-loaded',
      severity: 'warning' as const,
      path: file.path,
      message: `not loaded: ${reasonOf(file.findings)}; ${entry.kind} ${quoted(entry.name)} is taken from ${entry.path}`,
      remedy: 'mend the file, or remove it',
    }));
}

function reasonOf(findings: readonly Finding[]): string {
  return findings.find(({ severity }) => severity === 'error')?.message ?? 'it could not be read';
}

function byDirectory(name: string, entry: Entry, by: string): Finding {
  return {
    code: 'skill-by-directory',
    severity: 'info',
    path: by,
    message: `no entry is named ${quoted(name)}; taken for ${quoted(entry.name)}, which lies in the directory of that name`,
    remedy: `write ${entry.name}`,
  };
}

function directoryName(path: string): string {
  return basename(path) === SKILL_FILE ? basename(dirname(path)) : basename(path, '.md');
}
