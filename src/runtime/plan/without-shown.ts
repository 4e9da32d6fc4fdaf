/** What is said of files that nobody approved, where some of them are used all the same: as reference text. Pure. */

import { UNTRUSTED } from '../../catalog/trust.js';
import type { Finding } from '../../shared/findings.js';
import { REFERENCE_TEXT } from '../../skills/choose/resolve-name.js';
import { REFERENCE_ONLY } from '../../skills/decide/global-trust.js';

/** Without the word that a file is not used, where another says that it is: as reference text. */
export function withoutShown(findings: readonly Finding[]): readonly Finding[] {
  const shown = new Set(findings.filter(({ code }) => code === REFERENCE_TEXT).map(({ path }) => path));
  return findings.filter(
    ({ code, severity, path }) => !(NOT_USED.includes(code) && severity === 'info' && shown.has(path)),
  );
}

const NOT_USED: readonly string[] = [UNTRUSTED, REFERENCE_ONLY];
