/**
 * The two measures of BERDS: how many perspectives the top k passages cover, and how many of these passages support any
 * perspective. The order of the passages does not matter.
 *
 * All functions take the ranking of one query as distinct passage ids, best first, and a cutoff k ≥ 1.
 */
import * as l10n from '@vscode/l10n';
import type { Relevance, TopicJudgements } from './judgements.ts';
import { relevantAt, supports } from './judgements.ts';
import { SHARE, type MeasureDefinition } from './measure-definition.ts';

/** Ids of the perspectives that at least one of the top k passages supports. */
export function coveredPerspectives(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
): string[] {
  const top = ranking.slice(0, k);
  const covered: string[] = [];
  for (const [perspective, passages] of judgements)
    if (top.some((passage) => supports(passages.get(passage)))) covered.push(perspective);
  return covered;
}

/**
 * MRecall@k: 1 if the top k cover at least min(k, m) of the m perspectives of the query, else 0. Perspectives that no
 * judged passage supports count as well. 0 if there are no perspectives.
 *
 * Source: Min et al. 2021, with perspectives in place of answers as in BERDS, section 3.
 */
export function mRecall(ranking: readonly string[], judgements: TopicJudgements, k: number): number {
  if (judgements.size === 0) return 0;
  return coveredPerspectives(ranking, judgements, k).length >= Math.min(k, judgements.size) ? 1 : 0;
}

/**
 * P@k, in [0, 1]: relevant passages in the top k, divided by k even if fewer passages were retrieved.
 *
 * Over the union of the perspectives this is Precision@k of BERDS, section 3: the share of the top k that supports any
 * perspective. Source of P: `P` of trec_eval.
 */
export function precision(ranking: readonly string[], relevance: Relevance, k: number): number {
  return relevantAt(ranking, relevance, k) / k;
}

const precisionOfTopic: MeasureDefinition['compute'] = (ranking, { relevance }, k) =>
  precision(ranking, relevance, k);

export const COVERAGE_MEASURES = [
  {
    family: 'MRecall',
    explain: () =>
      l10n.t(
        'Share of questions whose perspectives the top k cover: all of them, or k of them when there are more.',
      ),
    cutoff: 'required',
    needs: 'perspectives',
    range: SHARE,
    better: 'more',
    isYesOrNo: true,
    exactWithHeadline: true,
    risesWithSupport: true,
    shown: ['reports', 'comparisons', 'answers', 'beside-calls', 'agents', 'differences'],
    compute: (ranking, { judgements }, k) => mRecall(ranking, judgements, k),
  },
  {
    family: 'Precision',
    short: 'P',
    explain: () =>
      l10n.t('Share of the first k places with a passage that supports at least one perspective.'),
    cutoff: 'required',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    exactWithHeadline: true,
    risesWithSupport: true,
    shown: ['reports', 'comparisons', 'answers', 'beside-calls', 'agents', 'differences'],
    compute: precisionOfTopic,
  },
  {
    family: 'P',
    explain: () => l10n.t('The same as Precision, under the name that trec_eval gives it.'),
    cutoff: 'required',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    exactWithHeadline: true,
    risesWithSupport: true,
    shown: [],
    compute: precisionOfTopic,
  },
] as const satisfies readonly MeasureDefinition[];
