/** What a finished piece of work becomes: a report that waits for its gates, or the result of a task that has none. */

import type { Fact } from '../../events/event.js';
import { sha256 } from '../../shared/digest.js';
import type { Numbering } from '../mail.js';
import { completionReport, reviewMail } from '../notices/task-reports.js';
import type { Task, TeamState } from '../state.js';

/** Work that is reported done under an attempt. */
export interface Report {
  readonly member: string;
  readonly attempt: number;
  readonly summary: string;
  readonly evidence: readonly { readonly item: string; readonly text: string }[];
  readonly artifacts: readonly string[];
  /** Sizes of the artifacts together; null where nobody has looked. */
  readonly artifactBytes: number | null;
}

/** The facts of a report that leaves nothing out: in review where the task has gates, else completed. */
export function handIn(state: TeamState, ids: Numbering, task: Task, report: Report): Fact[] {
  const { member, attempt, summary, artifactBytes } = report;
  const evidence = report.evidence.map((given) => ({ ...given }));
  // What the task names is part of the report, whoever wrote it down.
  const artifacts = [...new Set([...task.spec.artifacts, ...report.artifacts])];
  const handed = { task: task.id, member, attempt, summary, evidence, artifacts };
  if (task.spec.gates.length === 0)
    return [{ type: 'task.completed', ...handed }, ...completionReport(state, ids, task, member, summary)];
  // Each report has a digest of its own, the same words handed in again included: a verdict is about one of them.
  const round = task.submissions.length + 1;
  const seen = [task.id, attempt, round, summary, evidence, artifacts, artifactBytes];
  const evidenceDigest = sha256(JSON.stringify(seen));
  return [
    { type: 'task.submitted', ...handed, artifact_bytes: artifactBytes, evidence_digest: evidenceDigest },
    ...reviewMail(state, ids, task, { ...report, artifacts, evidenceDigest }),
  ];
}
