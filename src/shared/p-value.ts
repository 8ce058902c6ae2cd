/** Formats and interprets p-values, the same on all surfaces. Pure. */
import * as l10n from '@vscode/l10n';
import { isEnoughToTest } from '../core/statistics/randomisation.ts';

/** Differences with p below this are called significant. */
export const SIGNIFICANT = 0.05;

/**
 * Formats p without the leading zero, with three decimals below .1 and two from there on: `.031`, `.31`, `1`, `< .001`.
 * Values just below {@link SIGNIFICANT} are not rounded to it.
 *
 * @param p in [0, 1]
 */
export function shortP(p: number): string {
  if (p < 0.001) return '< .001';
  // Rounded, it would not look below the level.
  if (p < SIGNIFICANT && p >= SIGNIFICANT - 0.0005) return '< .05';
  const text = p.toFixed(p < 0.0995 ? 3 : 2);
  return text.startsWith('1') ? '1' : text.slice(1);
}

/** A difference with its 95% interval, and its corrected p-value if it was tested. */
export interface TestedDifference {
  readonly low: number;
  readonly high: number;
  readonly p?: number | undefined;
}

/**
 * @param differences those that are shown together
 * @returns sentences; `undefined` if every interval agrees with its test
 */
export function disagreementText(differences: readonly TestedDifference[]): string | undefined {
  if (!differences.some(isDisagreeing)) return undefined;
  return l10n.t`On some differences the interval and the p-value disagree: treat these as undecided. An interval over few questions is too narrow, and p cannot be below .05 where fewer than ${leastDiffering()} questions differ; p alone is corrected for the number of pipelines.`;
}

function isDisagreeing({ low, high, p }: TestedDifference): boolean {
  if (p === undefined) return false;
  const excludesZero = low > 0 || high < 0;
  return excludesZero !== p < SIGNIFICANT;
}

/** The least number of differing queries for a significant result. */
function leastDiffering(): number {
  let queries = 1;
  while (!isEnoughToTest(queries, 1, SIGNIFICANT)) queries++;
  return queries;
}
