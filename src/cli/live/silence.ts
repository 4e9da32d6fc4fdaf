/** Who is busy and has not been heard of: a line per member every 30 s of silence (spec/team.md §8). Pure. */

import { secondsText } from '../../team/waits.js';

/** How long nothing is said of a busy member before a line says that it is. */
const SILENCE_MS = 30_000;

export interface Activity {
  readonly member: string;
  /** `thinking`, `answering, 1,240 characters`, `running fs_grep`, `waits for anthropic (rate limited)`. */
  readonly what: string;
  readonly sinceMs: number;
  /** How much longer it will be so, where that is known. */
  readonly leftMs?: number;
}

/** Of each busy member, since when nothing was said of it, on the monotonic clock. */
export type Silence = ReadonlyMap<string, number>;

/** Something was said of a member. */
export function heardOf(silence: Silence, member: string, now: number): Silence {
  return silence.has(member) ? new Map(silence).set(member, now) : silence;
}

/** Looks at who is busy now; `due` are those of whom something has to be said. */
export function listen(
  silence: Silence,
  activity: readonly Activity[],
  now: number,
): { readonly silence: Silence; readonly due: readonly Activity[] } {
  const since = ({ member, sinceMs }: Activity): number => silence.get(member) ?? now - sinceMs;
  const due = activity.filter((one) => now - since(one) >= SILENCE_MS);
  const next = new Map(activity.map((one) => [one.member, due.includes(one) ? now : since(one)]));
  return { silence: next, due };
}

/** `thinking, 45 s`; `waits for anthropic (rate limited), 45 s more`. */
export function activityText({ what, sinceMs, leftMs }: Activity): string {
  return leftMs === undefined
    ? `${what}, ${Math.floor(sinceMs / 1000)} s`
    : `${what}, ${secondsText(leftMs)} more`;
}
