/**
 * The page of a run (spec/skills.md §7 "Page"): which one it is, who is told of it, and what cannot do without.
 *
 * Always true: a member is told of the page exactly when it carries an entry that declares `required` or `optional`, or
 * declares nothing and so is one of the two by default.
 */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry } from '../../skills/entry.js';

/** The operator's word, else the recipe's; null: a run without one. */
export function pageOf(order: string | null, { page }: Pick<Recipe, 'page'>): string | null {
  return order ?? page;
}

/** Whether one of these entries may work on a page. */
export function worksOnPage(entries: readonly Entry[]): boolean {
  return entries.some(({ page }) => page !== 'none');
}

/** What is said against a run without a page: a process that needs one refuses it, any other entry is remarked on. */
export function missingPage(
  recipe: Recipe,
  process: Entry | null,
  carried: Iterable<Entry>,
): readonly Finding[] {
  const remedy = 'name one with --page <url-or-path>, or with page: in the recipe';
  const needs = (entry: Entry): string => `${entry.name} works on a page, and the run has none`;
  const findings: Finding[] = [];
  if (process?.page === 'required') {
    const place = placeIn(recipe, ['process']);
    const message = `process: ${needs(process)}`;
    findings.push({ code: 'page-missing', severity: 'error', ...place, message, remedy });
  }
  for (const entry of carried) {
    if (entry === process || entry.page !== 'required') continue;
    const message = needs(entry);
    findings.push({ code: 'page-missing', severity: 'warning', path: entry.path, message, remedy });
  }
  return findings;
}
