/** Whether a pool of pipelines is so large that another one would change little (DREAM, section 4.3, Figure 3). */
import * as l10n from '@vscode/l10n';
import { counted } from '../counted.ts';
import type { PoolGrowth } from './pooling.ts';

/** Smaller contributions of the last pipeline count as nothing: one hole in a hundred, one percentage point. */
const SATURATED_BELOW = 0.01;

/** The growth between two pipelines is chance; with three there is a trend. */
const MIN_PIPELINES = 3;

export interface Pool {
  readonly pipelines: number;
  readonly growth: PoolGrowth;
  /** Per measure, from `marginalContribution`. */
  readonly marginal: Readonly<Record<'MRecall' | 'Precision', readonly number[]>>;
  /** The number of unjudged pairs of the pool. */
  readonly unjudged: number;
}

export interface Saturation {
  /** `undefined` if unknown. */
  readonly saturated: boolean | undefined;
  /** A sentence for users that states the rule. */
  readonly sentence: string;
}

/**
 * A pool is saturated if the last pipeline adds less than {@link SATURATED_BELOW} to the holes found, and judging a
 * pipeline's own passages changes both figures by less than that.
 */
export function saturationOf({ pipelines, growth, marginal, unjudged }: Pool): Saturation {
  if (unjudged > 0)
    return unknown(
      counted(
        l10n.t(
          '{0} [0:pair|pairs] of the pool [0:is|are] not judged yet. Saturation can be judged once [0:it is|they are].',
        ),
        unjudged,
      ),
    );
  if (pipelines < MIN_PIPELINES)
    return unknown(
      l10n.t`With fewer than ${MIN_PIPELINES} pipelines saturation cannot be judged; this pool has ${pipelines}.`,
    );
  const [mrecall, precision] = [marginal.MRecall.at(-1)!, marginal.Precision.at(-1)!];
  const holes = growth.holes.at(-1)!;
  // With holes but without a rate, the last pipeline found the first holes.
  const last = holes === 0 ? 0 : (growth.growthRate.at(-1) ?? Number.POSITIVE_INFINITY);
  const saturated = [last, mrecall, precision].every((change) => change < SATURATED_BELOW);
  const holesClause = holes === 0 ? l10n.t('no holes were found') : addedBy(last);
  const changes = l10n.t`MRecall by ${percentOf(mrecall)} and Precision by ${percentOf(precision)}`;
  return { saturated, sentence: verdict(saturated, holesClause, changes) };
}

function verdict(saturated: boolean, holesClause: string, changes: string): string {
  const limit = percentOf(SATURATED_BELOW);
  return saturated
    ? l10n.t`The pool is saturated: ${holesClause}, and judging a pipeline's own passages changes its ${changes} percentage points. Saturated is below ${limit} in all of them.`
    : l10n.t`The pool is not saturated: ${holesClause}, and judging a pipeline's own passages changes its ${changes} percentage points. Saturated is below ${limit} in all of them.`;
}

function addedBy(rate: number): string {
  return Number.isFinite(rate)
    ? l10n.t`the last pipeline adds ${percentOf(rate)}% to the holes`
    : l10n.t('the last pipeline adds the first ones to the holes');
}

const unknown = (sentence: string): Saturation => ({ saturated: undefined, sentence });
const percentOf = (share: number): string => (share * 100).toFixed(1);
