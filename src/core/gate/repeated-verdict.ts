/** Verdicts of repeated judging on a perspective that seems to be lost since the baseline. */
import * as l10n from '@vscode/l10n';
import { fisherExact } from '../statistics/fisher.ts';

/** The outcome for one perspective. */
export interface RepeatedVerdict {
  readonly query: string;
  readonly pipeline: string;
  readonly perspective: string;
  /** So often all its pairs were put to the judge, which remembered nothing. */
  readonly runs: number;
  /** In so many runs a passage of the top k supported it; and in so many one of the top k of the baseline. */
  readonly now: number;
  readonly then: number;
}

/** p-value of Fisher's exact test that it is covered less often now. */
export function repeatedP({ runs, now, then }: RepeatedVerdict): number {
  return fisherExact({ successes: now, trials: runs }, { successes: then, trials: runs });
}

/** The outcome as a sentence. */
export function repeatedText(verdict: RepeatedVerdict, isOut: boolean): string {
  const { runs, now, then } = verdict;
  const p = repeatedP(verdict).toFixed(3);
  return isOut
    ? l10n.t`Quarantined: judged ${runs} times again, it is covered ${now} times now and ${then} times by what the baseline retrieved, which may be chance (Fisher's exact test, p = ${p}).`
    : l10n.t`Judged ${runs} times again, it is covered ${now} times now and ${then} times by what the baseline retrieved (Fisher's exact test, p = ${p}).`;
}
