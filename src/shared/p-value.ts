/** How p-values are written and told, the same on all faces of the product. Pure. */
import * as l10n from '@vscode/l10n';
import { isEnoughToTest } from '../core/statistics/randomisation.ts';

/** Below this, a difference is called significant. */
export const SIGNIFICANT = 0.05;

/**
 * Without the leading zero, three decimals below .1 and two from there on: `.031`, `.31`, `1`, `< .001`. One that is
 * just below {@link SIGNIFICANT} is not rounded to it.
 *
 * @param p in [0, 1]
 */
export function shortP(p: number): string {
  if (p < 0.001) return '< .001';
  // Rounded, it would look as if it were not below the level.
  if (p < SIGNIFICANT && p >= SIGNIFICANT - 0.0005) return '< .05';
  const text = p.toFixed(p < 0.0995 ? 3 : 2);
  return text.startsWith('1') ? '1' : text.slice(1);
}

/** A difference with its 95% interval and its corrected p-value, as far as it was tested. */
export interface TestedDifference {
  readonly low: number;
  readonly high: number;
  readonly p?: number | undefined;
}

/**
 * @param differences those that are shown together
 * @returns sentences; nothing where every interval says the same as its test
 */
export function disagreementText(differences: readonly TestedDifference[]): string | undefined {
  if (!differences.some(isDisagreeing)) return undefined;
  return l10n.t`On some differences the interval and the p-value disagree: treat these as undecided. An interval over few queries is too narrow, and p cannot be below .05 where fewer than ${leastDiffering()} queries differ; p alone is corrected for the number of pipelines.`;
}

function isDisagreeing({ low, high, p }: TestedDifference): boolean {
  if (p === undefined) return false;
  const excludesZero = low > 0 || high < 0;
  return excludesZero !== p < SIGNIFICANT;
}

/** Queries that have to differ before a test can find anything. */
function leastDiffering(): number {
  let queries = 1;
  while (!isEnoughToTest(queries, 1, SIGNIFICANT)) queries++;
  return queries;
}
