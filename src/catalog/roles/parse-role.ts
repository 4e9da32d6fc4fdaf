/** From the text of a role file to a role: read, check the shape, set every default, report what has no effect. */

import { didYouMean } from '../../shared/did-you-mean.js';
import { type Finding, placeAt, type Severity } from '../../shared/findings.js';
import { promptBody } from '../../shared/frontmatter.js';
import { shownPath } from '../../shared/key-path.js';
import { fileStem, roleIdentity, sameRole } from '../../shared/role-identity.js';
import { catalogueDigest } from '../files/file-digest.js';
import { splitNames } from '../files/name-list.js';
import { shapeOf, type UnknownKey, unknownKeys } from '../files/shape.js';
import type { SourceFile } from '../files/source-file.js';
import { placeIn, type WrittenMapping } from '../files/written-mapping.js';
import type { Role } from './role.js';
import { type RoleFile, roleFile } from './role-file.js';
import { KEYS_NOT_IN_EFFECT, LOOSENING_MODES, OTHER_TOOL_LISTS } from './role-keys.js';
import { readRoleMapping } from './role-mapping.js';

export type RoleLoad =
  | { readonly kind: 'loaded'; readonly role: Role; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Reads a role from the text of its file. Refused exactly when one of the findings is an error. */
export function parseRole(source: SourceFile): RoleLoad {
  const read = readRoleMapping(source.path, source.text);
  if (read.kind === 'refused') return read;
  const { repairs } = read;
  const keys = unknownKeys(roleFile, read.mapping).map((unknown) => keyFinding(unknown, source.path));
  const shaped = shapeOf(roleFile, read.mapping, source.path);
  if (shaped.kind === 'does-not-fit')
    return { kind: 'refused', findings: [...shaped.findings, ...repairs, ...keys] };
  const role = resolveRole(shaped.value, read.mapping, source);
  if (roleIdentity(role.name) === '') {
    const message = `the name "${role.name}" holds nothing but "-", "_" and blanks`;
    const finding = findingAt(
      read.mapping,
      source.path,
      ['name'],
      'error',
      'bad-value',
      message,
      'rename it',
    );
    return { kind: 'refused', findings: [finding, ...repairs, ...keys] };
  }
  return {
    kind: 'loaded',
    role,
    findings: [...repairs, ...remarks(role, shaped.value, read.mapping), ...keys],
  };
}

function resolveRole(written: RoleFile, mapping: WrittenMapping, source: SourceFile): Role {
  const tools = toolsOf(written, mapping);
  return {
    name: written.name ?? fileStem(source.path),
    path: source.path,
    tier: source.tier,
    digest: catalogueDigest('role', source.text),
    asked: source.asked ?? null,
    description: written.description?.trim() ?? '',
    model: written.model ?? null,
    tools,
    disallowedTools: splitNames(written.disallowedTools ?? []),
    permissionMode: written.permissionMode === 'plan' ? 'plan' : 'default',
    skills: splitNames(written.skills ?? []),
    color: typeof written.color === 'string' ? written.color : null,
    maxTurns: written.maxTurns ?? null,
    base: written.base ?? (tools !== null && tools.length > 0 ? 'write' : 'read'),
    grants: splitNames(written.grants ?? []),
    approver: written.approver ?? null,
    delegate: written.delegate ?? false,
    engineerSkills: splitNames(written.engineer_skills ?? []),
    workspace: written.workspace ?? 'shared',
    prompt: promptBody(mapping.body),
    lines: mapping.lines,
  };
}

/** A key `tools` without a value was written to mean something; the narrow reading is the safe one. */
function toolsOf(written: RoleFile, mapping: WrittenMapping): readonly string[] | null {
  if (!Object.hasOwn(mapping.fields, 'tools')) return null;
  return splitNames(written.tools ?? []);
}

function remarks(role: Role, written: RoleFile, mapping: WrittenMapping): Finding[] {
  const findings: Finding[] = [];
  const report = (at: string, severity: Severity, code: string, message: string, remedy: string): void => {
    findings.push(findingAt(mapping, role.path, [at], severity, code, message, remedy));
  };
  const stem = fileStem(role.path);
  if (!sameRole(role.name, stem)) {
    const message = `the role is called "${role.name}" and its file "${stem}"; the name counts`;
    report('name', 'info', 'name-differs', message, 'give both the same name');
  }
  if (role.description === '') {
    const message = 'the role has no description; its team mates are told nothing about it';
    report('description', 'warning', 'missing-description', message, 'add `description: <one line>`');
  }
  if (role.prompt === '') {
    const message = 'the role has no body, so it adds nothing to the system prompt';
    report('', 'warning', 'empty-body', message, 'write below the frontmatter what the role does');
  }
  const mode = written.permissionMode ?? 'default';
  if (LOOSENING_MODES.includes(mode)) {
    const message = `\`permissionMode: ${mode}\` is not in effect: a role cannot loosen what the run allows`;
    const remedy = "remove it; the recipe's `safety` and `permissions` decide";
    report('permissionMode', 'warning', 'not-in-effect', message, remedy);
  } else if (mode !== 'plan' && mode !== 'default') {
    const message = `\`permissionMode: ${mode}\` is not known and not in effect; known: default, plan`;
    report('permissionMode', 'warning', 'not-in-effect', message, 'use one of these or remove it');
  }
  return findings;
}

function keyFinding(unknown: UnknownKey, path: string): Finding {
  const key = String(unknown.path.at(-1));
  const place = placeAt(path, unknown.line);
  if (KEYS_NOT_IN_EFFECT.includes(key)) {
    const message = `\`${key}\` is not in effect here`;
    return {
      code: 'not-in-effect',
      severity: 'warning',
      ...place,
      message,
      remedy: 'do not rely on it in a team',
    };
  }
  const meant = OTHER_TOOL_LISTS.includes(key) ? 'tools' : didYouMean(key, unknown.known);
  const remedy = meant === undefined ? 'nothing reads it; it may stay' : `did you mean "${meant}"?`;
  const message = `\`${shownPath(unknown.path)}\` is no key of a role`;
  return { code: 'unknown-key', severity: 'info', ...place, message, remedy };
}

function findingAt(
  mapping: WrittenMapping,
  path: string,
  at: readonly string[],
  severity: Severity,
  code: string,
  message: string,
  remedy: string,
): Finding {
  return { code, severity, ...placeIn({ path, lines: mapping.lines }, at), message, remedy };
}
