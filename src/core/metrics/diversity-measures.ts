/**
 * The measures of ndeval: how well the perspectives are served. If perspectives are given, all of them count. Over a
 * pool, only those count that some judged passage supports. The ideal is the best order of the judged passages. If
 * passages are judged as they are retrieved, unjudged ones may support as well, so the ideal is k passages that each
 * support every perspective.
 *
 * α-nDCG, ERR-IA and nERR-IA reward a passage for perspectives that the passages above it do not support yet. They
 * share one gain: a passage at rank i earns (1 − α)^c for each perspective it supports, if c passages above it already
 * support that perspective. They differ in the discount by rank and in the divisor. As in ndeval, relevance is binary
 * and α is 0.5.
 *
 * The normalised measures exceed 1 if a ranking beats the greedy ideal, which is rare. ndeval prints ERR-IA@1 and
 * alpha-DCG@1 without dividing; here every cutoff is normalised.
 */
import * as l10n from '@vscode/l10n';
import { coveredPerspectives } from './coverage-measures.ts';
import { countedPerspectives, supports, type Basis, type TopicJudgements } from './judgements.ts';
import { SHARE, type MeasureDefinition } from './measure-definition.ts';

const ALPHA = 0.5;

type Discount = (rank: number) => number;
const logarithmic: Discount = (rank) => 1 / Math.log2(1 + rank);
const reciprocal: Discount = (rank) => 1 / rank;

/**
 * Subtopic recall, in [0, 1]: the share of perspectives that the top k cover, out of all given ones, or out of those
 * that at least one judged passage of the pool supports. 0 if there are none.
 *
 * Source: Zhai, Cohen and Lafferty 2003, S-recall; `strec` of ndeval.
 */
export function stRecall(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
  basis: Basis = 'pooled',
): number {
  const counted = countedPerspectives(judgements, basis).length;
  return counted === 0 ? 0 : coveredPerspectives(ranking, judgements, k).length / counted;
}

/**
 * α-nDCG@k: novelty gain with a logarithmic discount, divided by the gain of the greedily ideal ranking.
 *
 * Source: Clarke et al. 2008, section 4; `alpha-nDCG` of ndeval.
 */
export function alphaNdcg(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
  basis: Basis = 'pooled',
): number {
  return againstIdeal(ranking, judgements, k, { discount: logarithmic, basis });
}

/**
 * nERR-IA@k: like {@link errIntentAware}, but divided by the value of the greedily ideal ranking.
 *
 * Source: `nERR-IA` of ndeval, after Clarke et al. 2011.
 */
export function nErrIntentAware(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
  basis: Basis = 'pooled',
): number {
  return againstIdeal(ranking, judgements, k, { discount: reciprocal, basis });
}

/**
 * ERR-IA@k with equal intents, in [0, 1]: novelty gain with a reciprocal discount, divided by the gain of k passages
 * that all support every perspective. The constant stopping probability of ERR cancels out.
 *
 * Source: Chapelle et al. 2009, section 6; `ERR-IA` of ndeval.
 */
export function errIntentAware(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
  basis: Basis = 'pooled',
): number {
  const perspectives = countedPerspectives(judgements, basis);
  if (perspectives.length === 0) return 0;
  const gains = noveltyGains(supportedSets(ranking.slice(0, k), perspectives), perspectives.length);
  return discounted(gains, reciprocal) / (perspectives.length * gainOfEverything(k, reciprocal));
}

/**
 * P-IA@k with equal intents, in [0, 1]: precision per perspective, averaged over the N perspectives that count. Divides
 * by k·N even if fewer than k passages were retrieved.
 *
 * Source: Agrawal et al. 2009, section 5; `P-IA` of ndeval.
 */
export function precisionIntentAware(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
  basis: Basis = 'pooled',
): number {
  const counted = countedPerspectives(judgements, basis);
  if (counted.length === 0) return 0;
  const top = ranking.slice(0, k);
  let supporting = 0;
  for (const passages of counted)
    for (const passage of top) if (supports(passages.get(passage))) supporting++;
  return supporting / (k * counted.length);
}

/** Gain of one perspective from k passages that all support it. Ends early, as terms vanish long before a large k. */
function gainOfEverything(k: number, discount: Discount): number {
  let sum = 0;
  let gain = 1;
  for (let rank = 1; rank <= k && gain > 0; rank++) {
    sum += gain * discount(rank);
    gain *= 1 - ALPHA;
  }
  return sum;
}

function againstIdeal(
  ranking: readonly string[],
  judgements: TopicJudgements,
  k: number,
  { discount, basis }: { readonly discount: Discount; readonly basis: Basis },
): number {
  const perspectives = countedPerspectives(judgements, basis);
  if (perspectives.length === 0) return 0;
  const gains = noveltyGains(supportedSets(ranking.slice(0, k), perspectives), perspectives.length);
  const ideal =
    basis === 'open'
      ? perspectives.length * gainOfEverything(k, discount)
      : discounted(idealGains(perspectives, k), discount);
  return ideal === 0 ? 0 : discounted(gains, discount) / ideal;
}

/**
 * The most that α-nDCG@k can be over open judgements if every passage supports a single perspective: the ideal there is
 * k passages that each support all of them.
 *
 * @param perspectives at least one
 */
export function alphaNdcgOfOneSided(perspectives: number, k: number): number {
  const gains = Array.from({ length: k }, (_, place) => (1 - ALPHA) ** Math.floor(place / perspectives));
  return discounted(gains, logarithmic) / (perspectives * gainOfEverything(k, logarithmic));
}

/** For each passage, the indices of the perspectives it supports. */
function supportedSets(
  passages: readonly string[],
  perspectives: readonly ReadonlyMap<string, number>[],
): readonly number[][] {
  return passages.map((passage) =>
    perspectives.flatMap((judged, index) => (supports(judged.get(passage)) ? [index] : [])),
  );
}

/** The gain of each passage in order, given the perspectives that each supports. */
function noveltyGains(supported: readonly (readonly number[])[], perspectives: number): number[] {
  const remaining = new Float64Array(perspectives).fill(1);
  return supported.map((set) => take(set, remaining));
}

/** Gain that a passage supporting `set` would earn next. `remaining` contains (1 − α)^c per perspective. */
function worth(set: readonly number[], remaining: Float64Array): number {
  return set.reduce((sum, perspective) => sum + remaining[perspective]!, 0);
}

function take(set: readonly number[], remaining: Float64Array): number {
  const gain = worth(set, remaining);
  for (const perspective of set) remaining[perspective]! *= 1 - ALPHA;
  return gain;
}

function discounted(gains: readonly number[], discount: Discount): number {
  return gains.reduce((sum, gain, index) => sum + gain * discount(index + 1), 0);
}

/** Passages that support exactly the same perspectives. They differ only in the tie-break. */
interface Alike {
  readonly supported: readonly number[];
  /** Ascending by id, so that the next passage to take is the last. */
  readonly passages: string[];
}

/**
 * Gains of the greedily ideal ranking: at each rank the passage that earns most, with ties broken by the larger passage
 * id, as in ndeval. (The true ideal is NP-hard; Clarke et al. 2008, section 4.3.) Compares groups of alike passages
 * instead of single passages, so it is linear in k.
 */
function idealGains(perspectives: readonly ReadonlyMap<string, number>[], k: number): number[] {
  const remaining = new Float64Array(perspectives.length).fill(1);
  const groups = alikePassages(perspectives);
  const gains: number[] = [];
  while (gains.length < k && groups.length > 0) {
    const best = groups.reduce((leader, group) => (isBetter(group, leader, remaining) ? group : leader));
    gains.push(take(best.supported, remaining));
    best.passages.pop();
    if (best.passages.length === 0) groups.splice(groups.indexOf(best), 1);
  }
  return gains;
}

function isBetter(group: Alike, leader: Alike, remaining: Float64Array): boolean {
  const difference = worth(group.supported, remaining) - worth(leader.supported, remaining);
  return difference === 0 ? group.passages.at(-1)! > leader.passages.at(-1)! : difference > 0;
}

function alikePassages(perspectives: readonly ReadonlyMap<string, number>[]): Alike[] {
  const groups = new Map<string, Alike>();
  const supporting = new Set(
    perspectives.flatMap((judged) =>
      [...judged].filter(([, value]) => value > 0).map(([passage]) => passage),
    ),
  );
  const passages = [...supporting].sort();
  supportedSets(passages, perspectives).forEach((supported, index) => {
    const key = supported.join(' ');
    const group = groups.get(key) ?? { supported, passages: [] };
    group.passages.push(passages[index]!);
    groups.set(key, group);
  });
  return [...groups.values()];
}

/** The greedy ideal reaches at least 1 − 1/e of the true ideal at every cutoff, so this bounds every ranking. */
const OF_GREEDY_IDEAL = [0, Math.E / (Math.E - 1)] as const;

export const DIVERSITY_MEASURES = [
  {
    family: 'StRecall',
    explain: () => l10n.t('Share of a question’s perspectives that the top k cover.'),
    cutoff: 'required',
    needs: 'perspectives',
    range: SHARE,
    better: 'more',
    shown: ['reports', 'comparisons', 'answers', 'beside-calls', 'agents'],
    risesWithSupport: true,
    dependsOnBasis: true,
    compute: (ranking, { judgements, basis }, k) => stRecall(ranking, judgements, k, basis),
  },
  {
    family: 'alpha_nDCG',
    short: 'α-nDCG',
    explain: () => l10n.t('As nDCG, but a perspective that is covered again gains less each time.'),
    cutoff: 'required',
    needs: 'perspectives',
    range: OF_GREEDY_IDEAL,
    better: 'more',
    shown: ['reports', 'comparisons', 'answers', 'beside-calls'],
    dependsOnBasis: true,
    compute: (ranking, { judgements, basis }, k) => alphaNdcg(ranking, judgements, k, basis),
  },
  {
    family: 'ERR_IA',
    explain: () =>
      l10n.t('Expected reciprocal rank at which a reader finds support, averaged over perspectives.'),
    cutoff: 'required',
    needs: 'perspectives',
    range: SHARE,
    better: 'more',
    shown: [],
    dependsOnBasis: true,
    compute: (ranking, { judgements, basis }, k) => errIntentAware(ranking, judgements, k, basis),
  },
  {
    family: 'nERR_IA',
    explain: () => l10n.t('As ERR_IA, against the best possible order.'),
    cutoff: 'required',
    needs: 'perspectives',
    range: OF_GREEDY_IDEAL,
    better: 'more',
    shown: [],
    dependsOnBasis: true,
    compute: (ranking, { judgements, basis }, k) => nErrIntentAware(ranking, judgements, k, basis),
  },
  {
    family: 'P_IA',
    explain: () =>
      l10n.t('Share of the first k places that support a perspective, averaged over perspectives.'),
    cutoff: 'required',
    needs: 'perspectives',
    range: SHARE,
    better: 'more',
    shown: [],
    dependsOnBasis: true,
    compute: (ranking, { judgements, basis }, k) => precisionIntentAware(ranking, judgements, k, basis),
  },
] as const satisfies readonly MeasureDefinition[];
