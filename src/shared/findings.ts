/**
 * A finding is a remark on a file or a flag that a person wrote: where, what was found, what to do.
 * Files give findings, not exceptions, and one bad file never hides another (style 16).
 */

export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  /** Stable kebab-case code, e.g. `unknown-skill`. */
  readonly code: string;
  readonly severity: Severity;
  /** File path as the user would type it, or the name of a flag (`--safety`). */
  readonly path: string;
  /** 1-based; absent when the remark is on the file as a whole. */
  readonly line?: number;
  /** What was found, and what is allowed, on one line. */
  readonly message: string;
  /** What to do about it, on one line. */
  readonly remedy: string;
  /** Lines that say more, shown beneath it where findings are told to people: a diff. */
  readonly detail?: readonly string[];
}

/** What a finding is about: a file or a flag, and the line where one is known. */
export type FindingPlace = Pick<Finding, 'path' | 'line'>;

/** The place of a finding, for lines that may not be known. */
export function placeAt(path: string, line: number | undefined): FindingPlace {
  return line === undefined ? { path } : { path, line };
}

/** `path:line: severity code message (remedy)`: the text form of every listing of findings. */
export function formatFinding(finding: Finding): string {
  const place = finding.line === undefined ? finding.path : `${finding.path}:${finding.line}`;
  return `${place}: ${finding.severity} ${finding.code} ${finding.message} (${finding.remedy})`;
}

/** True when a list holds at least one error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}

/**
 * At most so many of them, and then one that counts the rest: a tree of strangers may give rise to thousands, and a
 * person reads them.
 * @param rest the one that stands for `count` others
 */
export function firstOf(
  findings: readonly Finding[],
  most: number,
  rest: (count: number) => Finding,
): readonly Finding[] {
  const left = findings.length - most;
  return left <= 0 ? findings : [...findings.slice(0, most), rest(left)];
}

/** Each once, in the order of the first. */
export function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Each once, by path and line; those of one line keep their order. */
export function inFileOrder(findings: readonly Finding[]): Finding[] {
  return distinct(findings).sort((one, other) => {
    if (one.path !== other.path) return one.path < other.path ? -1 : 1;
    return (one.line ?? 0) - (other.line ?? 0);
  });
}
