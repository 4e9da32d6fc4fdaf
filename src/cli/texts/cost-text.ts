/** What a run costs, in the words of every view of it. */

/**
 * `0.0123 USD (0.0040 estimated)`.
 * @param costUsd null: something of unknown price was used
 * @param estimatedUsd the part of it that was booked as reserved, since nobody said what was used
 */
export function costText(costUsd: number | null, estimatedUsd: number): string {
  if (costUsd === null) return 'unknown';
  return `${costUsd.toFixed(4)} USD${estimatedUsd > 0 ? ` (${estimatedUsd.toFixed(4)} estimated)` : ''}`;
}
