/**
 * Where the knowledge of a governed entry comes from, and what it must then declare (spec/skills.md §2): our own
 * text names no licence and no source, another's names both, pinned.
 */

import spdxParse from 'spdx-expression-parse';
import { withoutUserInfo } from '../../shared/secret-text.js';
import { quoted, type Remarks } from '../remark.js';
import type { WrittenFields, WrittenValue } from './governed-lines.js';
import { FRONTMATTER_LINE } from './parsed-entry.js';

/** The values that `origin` may have. There is no default. */
const ORIGINS = ['proprietary', 'third-party'] as const;

/** Checks origin, license and upstream together; every breach is a finding of its own. */
export function checkProvenance(fields: WrittenFields, remarks: Remarks): void {
  const origin = fields.get('origin');
  const license = fields.get('license');
  const upstream = fields.get('upstream');
  if (origin === undefined) {
    remarks.add(
      'error',
      'origin-missing',
      FRONTMATTER_LINE,
      'origin is missing, there is no default',
      `add origin: ${ORIGINS.join(' or origin: ')}`,
    );
  } else if (origin.text === 'proprietary') {
    refuseBeside('license', license, remarks);
    refuseBeside('upstream', upstream, remarks);
    return;
  } else if (origin.text === 'third-party') {
    requireBeside('license', license, 'its SPDX licence, such as license: MIT', remarks);
    requireBeside('upstream', upstream, 'its source as upstream: <https-url>@<tag or commit>', remarks);
  } else {
    remarks.add(
      'error',
      'origin-unknown',
      origin.line,
      `origin is ${quoted(origin.text)}, allowed are ${ORIGINS.join(' and ')}`,
      'say who wrote the text: proprietary for your own, third-party for what others wrote',
    );
  }
  if (license !== undefined) checkLicense(license, remarks);
  if (upstream !== undefined) checkUpstream(upstream, remarks);
}

function refuseBeside(
  field: 'license' | 'upstream',
  value: WrittenValue | undefined,
  remarks: Remarks,
): void {
  if (value === undefined) return;
  remarks.add(
    'error',
    `${field}-forbidden`,
    value.line,
    `${field} stands beside origin: proprietary, it belongs to third-party entries only`,
    `remove ${field}, or say origin: third-party`,
  );
}

function requireBeside(
  field: 'license' | 'upstream',
  value: WrittenValue | undefined,
  what: string,
  remarks: Remarks,
): void {
  if (value !== undefined) return;
  remarks.add(
    'error',
    `${field}-missing`,
    FRONTMATTER_LINE,
    `${field} is missing, origin: third-party needs it`,
    `add ${what}`,
  );
}

function checkLicense(license: WrittenValue, remarks: Remarks): void {
  if (isSpdxExpression(license.text)) return;
  remarks.add(
    'error',
    'license-not-spdx',
    license.line,
    `license is ${quoted(license.text)}, allowed is an SPDX licence expression`,
    'write an identifier of https://spdx.org/licenses such as MIT or Apache-2.0, with its exact case',
  );
}

/** Whether a text is an SPDX licence expression: `MIT`, `MIT OR Apache-2.0`, `LicenseRef-x`; case counts. */
export function isSpdxExpression(text: string): boolean {
  if (text.trim() === '') return false;
  try {
    spdxParse(text);
    return true;
  } catch {
    return false; // the parser throws for every text that is none, deep nesting included
  }
}

/** Refs that move by their nature, so they pin nothing. */
const MOVING_REFS = ['main', 'master', 'head', 'latest'];

function checkUpstream(upstream: WrittenValue, remarks: Remarks): void {
  const refuse = (code: string, message: string, remedy: string): void =>
    remarks.add(
      'error',
      code,
      upstream.line,
      `upstream is ${quoted(withoutUserInfo(upstream.text))}: ${message}`,
      remedy,
    );
  const form = 'write upstream: <https-url>@<tag or commit>';

  const at = upstream.text.lastIndexOf('@');
  const address = at === -1 ? upstream.text : upstream.text.slice(0, at);
  const ref = at === -1 ? null : upstream.text.slice(at + 1);
  if (!/^https:\/\//i.test(address)) {
    refuse('upstream-not-https', 'allowed is an https URL', form);
    return;
  }
  if (ref === null) {
    refuse('upstream-unpinned', 'the URL carries no @<ref>, so it pins nothing', form);
    return;
  }
  if (ref === '') {
    refuse('upstream-empty-ref', 'nothing stands behind the @', form);
    return;
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || /\s/.test(address) || url.pathname === '/') {
    refuse('upstream-url', 'that is not the address of a repository', form);
    return;
  }
  if (url.username !== '' || url.password !== '') {
    refuse('upstream-user-info', 'the URL carries a user or password', 'remove what stands before the host');
    return;
  }
  const branch = ref.replace(/^(?:refs\/)?(?:heads\/|remotes\/)?(?:origin\/)?/i, '');
  if (MOVING_REFS.includes(branch.toLowerCase())) {
    refuse('upstream-moving-ref', `${quoted(ref)} moves`, 'pin a commit, or a tag that stays');
    return;
  }
  if (/[\s~^:?*[\\]|\.\.|@\{/.test(ref)) {
    refuse('upstream-ref', `${quoted(ref)} is no name of a tag or commit`, form);
    return;
  }
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(ref)) {
    remarks.add(
      'warning',
      'mutable-ref',
      upstream.line,
      `upstream is pinned to ${quoted(ref)}, which can be moved; only a full commit SHA cannot`,
      'pin the full commit SHA',
    );
  }
}
