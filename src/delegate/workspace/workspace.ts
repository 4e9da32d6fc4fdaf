/**
 * Where an engineer works, and how what it made is taken out (spec/runner.md §3 "Workspace"). The types; the parts, in the
 * order of a brief:
 *
 *   `mirror.ts`        the repository it works on, once on this machine
 *   `places.ts`        the folder of a brief: taken, kept, found
 *   `checkout.ts`      a repository of its own in there
 *   `fingerprint.ts`   what must not change meanwhile: taken before and after
 *   `take-objects.ts`  what it committed, read without any git
 *   `collect.ts`       the same, checked, and told: commits, files, what is left uncommitted
 *   `bundle.ts`, `push.ts`  how it travels to the team
 *   `prune.ts`         what was kept, when it may go
 *
 *  W1 no git directory that an engineer can write is ever used by a git of ours: what it made comes by a fetch of one
 *     branch into a repository of ours, with object checks and bounds, and the rest is read with a git directory of ours
 *     over its tree;
 *  W2 two briefs never share a repository;
 *  W3 everything lies inside of the folder that the runner was given.
 */

/** The places of one brief, all inside of the runner's folder. */
export interface BriefPlaces {
  /** Of this brief; removed after success. */
  readonly root: string;
  /** The engineer's repository and tree. */
  readonly tree: string;
  /** The engineer's HOME. */
  readonly home: string;
  /** Of ours: what was fetched from it. */
  readonly quarantine: string;
  /** What the engineer was given and what it wrote. */
  readonly transcript: string;
}

/** What the engineer's branch holds, looked at from outside. */
export interface Collected {
  /** Null: no commit was made on the branch. */
  readonly head: string | null;
  /** The newest first. */
  readonly commits: readonly { readonly sha: string; readonly subject: string }[];
  readonly diffstat: { readonly files: number; readonly insertions: number; readonly deletions: number };
  /** Paths in the repository, sorted; what cannot be seen in one is escaped, and so is a backslash. */
  readonly changed: readonly string[];
  readonly protected: readonly string[];
  readonly uncommitted: readonly string[];
  readonly missingArtifacts: readonly string[];
  /** How many of each list were left out, behind those that are named. */
  readonly leftOut: {
    readonly commits: number;
    readonly changed: number;
    readonly protected: number;
    readonly uncommitted: number;
  };
  /** Where its HEAD stands when that is not the branch; what was committed there was not taken. */
  readonly strayed: string | null;
}

export type Collection =
  | { readonly kind: 'collected'; readonly collected: Collected }
  | {
      readonly kind: 'failed';
      readonly cause: 'workspace' | 'result_too_large' | 'disk_full' | 'cancelled';
      readonly detail: string;
    };

/** A bundle of `base..head`: a file, with its size and SHA-256. */
export type Bundled =
  | { readonly kind: 'bundled'; readonly path: string; readonly bytes: number; readonly sha256: string }
  | {
      readonly kind: 'failed';
      readonly cause: 'result_too_large' | 'workspace' | 'disk_full' | 'cancelled';
      readonly detail: string;
    };
