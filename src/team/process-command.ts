/**
 * What processes that serve a team together say of one another and of the machines they run on (spec/engine.md §2
 * "Fences", §3). A run in one process never says any of it.
 */

/** A turn whose lease the sender has seen gone. */
interface Unheld {
  readonly member: string;
  readonly turn: number;
  /** One lease: a turn that began less than that ago is not taken over, whatever was seen of its key. */
  readonly olderThanMs: number;
  readonly detail: string;
}

export type ProcessCommand =
  /** Nobody has it any more: its member is due again. */
  | ({ readonly kind: 'turn.lose' } & Unheld)
  /** It cannot be taken over: its process on this very machine is still alive, and could not be ended. */
  | ({ readonly kind: 'turn.defer_reclaim'; readonly host: string } & Unheld)
  /**
   * The workspace is on this machine from here on. Said again with a newer commit that others can get: one that was pushed,
   * or bundled into the record.
   */
  | {
      readonly kind: 'workspace.bind';
      readonly host: string;
      /** Null where the workspace is no git repository. */
      readonly commit: string | null;
    }
  /** The machine is gone, or its workspace is. */
  | {
      readonly kind: 'workspace.lose';
      readonly host: string;
      readonly detail: string;
      /** Artifacts of completed tasks that were looked for at the recorded commit and are not there. */
      readonly missingArtifacts: readonly { readonly task: string; readonly path: string }[];
    };
