/**
 * A record that takes no secret in: the last door before the disk for what is no command, transcripts and blobs. Facts are
 * clean before they are folded (`state/team-store.ts` S5), for the log and the state hold the same texts.
 *
 * Always true: a text that was clean goes in as it is, so that its digest is the one its owner knows.
 */

import type { Redactor } from '../shared/secrets/redactor.js';
import type { TeamRecord } from './record.js';

/** The record behind its redactor. */
export function withoutSecrets(record: TeamRecord, secrets: Redactor): TeamRecord {
  const { transcripts, blobs, log } = record;
  return {
    log: {
      writers: log.writers,
      ...(log.snapshots === undefined ? {} : { snapshots: log.snapshots }), // Folds of facts that were clean.
      read: (from) => log.read(from),
      append: (entry) => log.append(secrets.value(entry)),
    },
    transcripts: {
      read: (member) => transcripts.read(member),
      append: (member, entries) => transcripts.append(member, secrets.value(entries)),
    },
    blobs: {
      put: (text) => blobs.put(secrets.text(text)),
      get: (sha256) => blobs.get(sha256),
    },
    bytes: () => record.bytes(),
    findings: record.findings,
    close: () => record.close(),
  };
}
