/** Collects the findings of one file. */

import type { Finding, Severity } from '../shared/findings.js';
import { oneLine } from '../shared/terminal-text.js';

/** The findings of one file, in the order they were made. */
export class Remarks {
  readonly #path: string;
  readonly #findings: Finding[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** @param line 1-based; null when the remark is on the file as a whole */
  add(severity: Severity, code: string, line: number | null, message: string, remedy: string): void {
    this.#findings.push({
      code,
      severity,
      path: this.#path,
      ...(line === null ? {} : { line }),
      message,
      remedy,
    });
  }

  /** A finding made elsewhere, on this file or on another that this one needs. */
  take(finding: Finding): void {
    this.#findings.push(finding);
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }
}

/** A value of a file inside a message: quoted, on one line, bounded. */
export function quoted(value: string): string {
  return `"${oneLine(value, 80)}"`;
}
