/** Durations as people write them on a command line (`500ms`, `30s`, `5m`, `2h`, `30d`), and as they read them. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Whole milliseconds, or undefined when the text is not a duration or too long to count exactly. A bare number
 * counts as seconds.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim());
  if (match === null) return undefined;
  const ms = Math.round(Number(match[1]) * (UNITS[match[2] ?? 's'] ?? 1000));
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/**
 * A time in words, to the second: `2 h 5 min 12 s`, `30 s`; below a second in milliseconds.
 * @param ms milliseconds, never negative
 */
export function durationText(ms: number): string {
  const whole = Math.round(ms);
  if (whole < 1000) return `${whole} ms`;
  const seconds = Math.floor(whole / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}
