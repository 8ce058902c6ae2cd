/** Verdicts of repeated judging on a perspective that seems lost since the baseline. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../../core/counted.ts';
import { fisherExact } from '../../../core/statistics/fisher.ts';

export interface RepeatedVerdict {
  readonly query: string;
  readonly pipeline: string;
  readonly perspective: string;
  /** How often all pairs were sent to the judge, without cached answers. */
  readonly runs: number;
  /**
   * The number of runs in which a passage of today's top k supported it, and in which one of the baseline's top k did.
   */
  readonly now: number;
  readonly then: number;
}

/** p-value of Fisher's exact test that the perspective is covered less often now. */
export function repeatedP({ runs, now, then }: RepeatedVerdict): number {
  return fisherExact({ successes: now, trials: runs }, { successes: then, trials: runs });
}

/** The outcome as a sentence. */
export function repeatedText(verdict: RepeatedVerdict, isOut: boolean): string {
  const { runs, now, then } = verdict;
  const p = repeatedP(verdict).toFixed(3);
  return isOut
    ? counted(
        l10n.t(
          "Quarantined: judged again {0} times, it is covered {1} [1:time|times] now, and {2} [2:time|times] in what the baseline retrieved, which may be chance (Fisher's exact test, p = {3}).",
        ),
        runs,
        now,
        then,
        p,
      )
    : counted(
        l10n.t(
          "Judged again {0} times, it is covered {1} [1:time|times] now, and {2} [2:time|times] in what the baseline retrieved (Fisher's exact test, p = {3}).",
        ),
        runs,
        now,
        then,
        p,
      );
}
