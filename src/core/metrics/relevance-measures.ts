/**
 * Measures that ignore perspectives: a passage is relevant if it supports any of them.
 *
 * All functions take the ranking of one query as distinct passage ids, best first, and a cutoff k ≥ 1 that may be
 * infinite. They return 0 if no judged passage is relevant.
 */
import * as l10n from '@vscode/l10n';
import { relevantAt, relevantCount, supports, type Basis, type Relevance } from './judgements.ts';
import { SHARE, type MeasureDefinition } from './measure-definition.ts';

/** R@k, in [0, 1]: the share of all relevant passages that is in the top k. Source: `recall` of trec_eval. */
export function recall(ranking: readonly string[], relevance: Relevance, k: number): number {
  const relevant = relevantCount(relevance);
  return relevant === 0 ? 0 : relevantAt(ranking, relevance, k) / relevant;
}

/** Success@k: 1 if the top k contain a relevant passage, else 0. Source: `success` of trec_eval. */
export function success(ranking: readonly string[], relevance: Relevance, k: number): number {
  return relevantAt(ranking, relevance, k) > 0 ? 1 : 0;
}

/**
 * Reciprocal rank, in [0, 1]: 1 over the rank of the first relevant passage, 0 if none is in the top k. Source:
 * `recip_rank` of trec_eval.
 */
export function reciprocalRank(ranking: readonly string[], relevance: Relevance, k = Infinity): number {
  const index = ranking.findIndex((passage) => supports(relevance.get(passage)));
  return index < 0 || index >= k ? 0 : 1 / (index + 1);
}

/**
 * Average precision, in [0, 1]: precision at the rank of each relevant passage in the top k, summed and
 * divided by the number of all relevant passages. Source: `map` and `map_cut` of trec_eval.
 */
export function averagePrecision(ranking: readonly string[], relevance: Relevance, k = Infinity): number {
  const relevant = relevantCount(relevance);
  if (relevant === 0) return 0;
  let hits = 0;
  let sum = 0;
  ranking.slice(0, k).forEach((passage, index) => {
    if (supports(relevance.get(passage))) sum += ++hits / (index + 1);
  });
  return sum / relevant;
}

/**
 * nDCG@k, in [0, 1]: gain is the relevance itself, discounted by log2(1 + rank). The ideal ranking consists of the
 * min(k, number of relevant) most relevant passages, retrieved or not. On an `open` basis that number is unknown, so
 * the ideal is k passages that support.
 *
 * Source: Järvelin and Kekäläinen 2002; `ndcg_cut` of trec_eval.
 */
export function ndcg(
  ranking: readonly string[],
  relevance: Relevance,
  k: number,
  basis: Basis = 'pooled',
): number {
  const known = [...relevance.values()].filter((value) => value > 0).sort((a, b) => b - a);
  if (known.length === 0) return 0;
  const gains = ranking.slice(0, k).map((passage) => Math.max(0, relevance.get(passage) ?? 0));
  const ideal =
    basis === 'open' ? Array.from({ length: Math.min(k, MAX_RANK) }, () => Math.max(1, known[0]!)) : known;
  return dcg(gains) / dcg(ideal.slice(0, k));
}

/** More than the length of any ranking. */
const MAX_RANK = 100_000;

function dcg(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(2 + index), 0);
}

/**
 * Judged@k, in [0, 1]: passages of the top k with a judgement for the query (for any of its perspectives, positive or
 * not), divided by min(k, length of the ranking). 0 for an empty ranking, which is left out of the mean over queries.
 *
 * Source: `Judged` of ir_measures. trec_eval's `unj` divides by k, so the two add up to 1 only if the ranking has at
 * least k passages. Unlike in BEIR's Hole@k, judgements for other queries do not count.
 */
export function judged(ranking: readonly string[], relevance: Relevance, k: number): number {
  const top = ranking.slice(0, k);
  return top.length === 0 ? 0 : top.filter((passage) => relevance.has(passage)).length / top.length;
}

export const RELEVANCE_MEASURES = [
  {
    family: 'nDCG',
    explain: () => l10n.t('Gain of the top k, discounted by rank, against the best possible order.'),
    cutoff: 'required',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    shown: ['reports', 'comparisons', 'answers', 'beside-calls'],
    dependsOnBasis: true,
    compute: (ranking, { relevance, basis }, k) => ndcg(ranking, relevance, k, basis),
  },
  {
    family: 'AP',
    explain: () =>
      l10n.t(
        'Precision at the rank of each supporting passage, averaged over all known supporting passages, including those found by other pipelines.',
      ),
    cutoff: 'optional',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    shown: [],
    compute: (ranking, { relevance }, k) => averagePrecision(ranking, relevance, k),
  },
  {
    family: 'RR',
    explain: () => l10n.t('One divided by the rank of the first supporting passage.'),
    cutoff: 'optional',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    shown: [],
    compute: (ranking, { relevance }, k) => reciprocalRank(ranking, relevance, k),
  },
  {
    family: 'R',
    explain: () =>
      l10n.t(
        'Share of all known supporting passages, including those found by other pipelines, that are in the top k.',
      ),
    cutoff: 'required',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    shown: [],
    compute: (ranking, { relevance }, k) => recall(ranking, relevance, k),
  },
  {
    family: 'Success',
    explain: () => l10n.t('Share of questions with a supporting passage in the top k.'),
    cutoff: 'required',
    needs: 'relevance',
    range: SHARE,
    better: 'more',
    isYesOrNo: true,
    exactWithHeadline: true,
    risesWithSupport: true,
    shown: [],
    compute: (ranking, { relevance }, k) => success(ranking, relevance, k),
  },
  {
    family: 'Judged',
    explain: () => l10n.t('Share of the passages in the top k that were judged, whatever the verdict.'),
    cutoff: 'required',
    needs: 'relevance',
    range: SHARE,
    better: 'neither',
    exactWithHeadline: true,
    ofRetrieved: true,
    shown: ['reports'],
    compute: (ranking, { relevance }, k) => judged(ranking, relevance, k),
  },
] as const satisfies readonly MeasureDefinition[];
