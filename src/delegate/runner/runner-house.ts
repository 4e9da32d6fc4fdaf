/** What a runner has: its folder, who it is and whom it obeys, its limits, and what it starts engineers with. */

import type { Clock } from '../../shared/clock.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import type { AcceptedKey } from '../../shared/signature.js';
import type { Entry } from '../../skills/entry.js';
import type { EngineerBounds, EngineerHouse } from '../engineers/run-engineer.js';
import type { RunnerLimits } from './accept.js';
import type { RunnerIdentity } from './identity.js';

export interface RunnerHouse {
  /** Its folder, as a real path. */
  readonly workdir: string;
  readonly identity: RunnerIdentity;
  /** Public keys of those who may give it briefs. */
  readonly keys: readonly AcceptedKey[];
  readonly limits: RunnerLimits;
  /** Entries of its own package that every engineer gets beside those of the brief. */
  readonly additions: readonly Entry[];
  readonly git: {
    /** `PATH`. */
    readonly path: string;
    /** Variables for our git alone (`runner.git-env`). */
    readonly env: Readonly<Record<string, string>>;
    readonly protocols: readonly string[];
    /** By which our git is found when this process was killed. */
    readonly marks: Readonly<Record<string, string>>;
  };
  readonly engineer: EngineerHouse;
  readonly bounds: Omit<EngineerBounds, 'signal' | 'wallMs'>;
  /** Below it no brief is taken, in bytes. */
  readonly minFreeBytes: number;
  readonly secrets: Redactor;
  readonly clock: Clock;
}
