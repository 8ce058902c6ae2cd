/** Where coverage is lost: the stage at which each perspective outside the top k is lost, with totals. */
import * as l10n from '@vscode/l10n';
import { coverageOf, type KnownSupport, type ProbeResults, type CoverageInput } from '../coverage.ts';
import { PLACES, type PerspectiveCoverage, type PerspectiveState, type Place } from '../coverage-states.ts';
import { ParallaxError } from '../errors.ts';
import { relevanceOf, supports, type Basis } from '../metrics/judgements.ts';
import { openPerspectives } from '../metrics/unjudged.ts';
import type { Qrels, Ranked, Run, Verdict } from '../model.ts';
import { mean } from '../statistics/mean.ts';

/**
 * How far down a passage counts as found by a pipeline: its candidates, or the top k if that is more. Only analyses
 * that say so look deeper.
 */
export function candidateDepth({ candidates }: { readonly candidates: number }, k: number): number {
  return Math.max(candidates, k);
}

export interface LostOptions {
  readonly k: number;
  /** The number of passages of the runs that count as candidates. Defaults to 100. */
  readonly candidates?: number | undefined;
  /** The run of an exact search for the same queries, to compare with an approximate one. */
  readonly exact?: Run | undefined;
  /** The display name of a passage's place. Defaults to its id. */
  readonly pathOf?: ((passageId: string) => string) | undefined;
  /** The number of passages in the corpus. */
  readonly passages?: number | undefined;
  /** Results of deeper searches, by query and perspective. */
  readonly probes?: Probes | undefined;
  /** Only with `open` may unjudged passages support. Defaults to `pooled`. */
  readonly basis?: Basis | undefined;
}

/** By query id, then by perspective id. */
export type Probes = ReadonlyMap<string, ReadonlyMap<string, ProbeResults>>;

export interface QueryLoss {
  /** One per perspective, in the order of the judgements. */
  readonly perspectives: readonly PerspectiveState[];
  /** MRecall@k: 0 or 1. */
  readonly mrecall: number;
  /** Passages within k without a judgement for any perspective. */
  readonly unjudgedPassages: number;
  /**
   * The number of passages of the top k that may still cover a lost perspective, by its id. Without perspectives that
   * none may cover.
   */
  readonly open: ReadonlyMap<string, number>;
}

export interface CoverageLoss {
  readonly perQuery: ReadonlyMap<string, QueryLoss>;
  /** The number of perspectives at each place over all queries, including covered ones. */
  readonly perspectives: Readonly<Record<Place, number>>;
  /** How many of these are open. Zero unless the basis is `open`. */
  readonly open: Readonly<Record<Place, number>>;
  /** The number of queries that lose at least one perspective at each place. At `covered`, queries that lose none. */
  readonly queries: Readonly<Record<Place, number>>;
  /** Mean over the queries. */
  readonly mrecall: number;
}

/**
 * Locates the losses of every query. A query that is missing from the run loses all its perspectives; queries without
 * perspectives are left out. "Not found" means that no judged passage supports the perspective, whichever pipeline
 * retrieved it, and "unjudged" that there are no judgements.
 *
 * Approximate misses need an exact run and take precedence over other reasons: the exact search covers the perspective
 * within k and this one does not, or has it among its candidates and this one does not.
 *
 * @throws ParallaxError `bad-argument` for a k or a number of candidates below 1, or without perspectives
 */
export function coverageLoss(run: Run, qrels: Qrels, options: LostOptions): CoverageLoss {
  const { k, candidates = 100 } = options;
  if (!(k >= 1 && candidates >= 1))
    throw new ParallaxError(
      'bad-argument',
      l10n.t`k and the number of candidates must be 1 or more, not ${k} and ${candidates}.`,
    );
  const perQuery = new Map<string, QueryLoss>();
  for (const [query, judgements] of qrels)
    if (judgements.size > 0)
      perQuery.set(
        query,
        queryLoss(run.get(query), options.exact?.get(query), judgements, {
          ...options,
          probed: options.probes?.get(query),
        }),
      );
  if (perQuery.size === 0)
    throw new ParallaxError('bad-argument', l10n.t('No question has perspectives to cover.'));

  const losses = [...perQuery.values()];
  const places = losses.map(({ perspectives }) => perspectives.map(({ where }) => where));
  const placesOfOpen = losses.flatMap(({ perspectives, open }) =>
    perspectives.filter(({ perspectiveId }) => open.has(perspectiveId)).map(({ where }) => where),
  );
  return {
    perQuery,
    perspectives: countEach((place) => places.flat().filter((where) => where === place).length),
    open: countEach((place) => placesOfOpen.filter((where) => where === place).length),
    queries: countEach(
      (place) =>
        places.filter((placesOfQuery) =>
          place === 'covered'
            ? placesOfQuery.every((where) => where === place)
            : placesOfQuery.includes(place),
        ).length,
    ),
    mrecall: mean(losses.map(({ mrecall }) => mrecall)),
  };
}

type Judgements = ReadonlyMap<string, ReadonlyMap<string, number>>;

function queryLoss(
  ranked: readonly Ranked[] = [],
  exact: readonly Ranked[] | undefined,
  judgements: Judgements,
  {
    k,
    candidates = 100,
    pathOf = (id) => id,
    passages,
    probed,
    basis = 'pooled',
  }: LostOptions & { readonly probed: CoverageInput['probes'] },
): QueryLoss {
  const ranking = passagesOf(ranked, candidates);
  const { perspectives, metrics } = coverageOf({
    perspectives: [...judgements.keys()],
    ranking,
    k,
    verdictOf: (passage, perspective) => verdictOf(judgements.get(perspective)!.get(passage)),
    knownSupport: knownSupport(judgements, pathOf),
    judgedOf: (perspective) => judgements.get(perspective)!.size,
    passages,
    probes: probed,
  });
  const judged = relevanceOf(judgements);
  const exactRanking = exact && passagesOf(exact, candidates);
  const top = ranking.slice(0, k);
  const open = openPerspectives(top, judgements, basis);
  return {
    perspectives: perspectives.map((coverage) => {
      const state = exactRanking ? withApproximateMiss(coverage, exactRanking, judgements, k) : coverage;
      const passagesLeft = open.get(state.perspectiveId);
      return passagesLeft === undefined ? state : { ...state, open: passagesLeft };
    }),
    mrecall: metrics.mrecall?.value ?? 0,
    unjudgedPassages: top.filter((passage) => !judged.has(passage)).length,
    open,
  };
}

function withApproximateMiss(
  coverage: PerspectiveCoverage,
  exactRanking: readonly string[],
  judgements: Judgements,
  k: number,
): PerspectiveState {
  if (coverage.where === 'covered') return coverage;
  const { perspectiveId } = coverage;
  const index = exactRanking.findIndex((passage) => supports(judgements.get(perspectiveId)!.get(passage)));
  const exactRank = index + 1;
  if (index < 0 || (coverage.where === 'below-k' && exactRank > k)) return coverage;
  const rank = coverage.where === 'below-k' ? { rank: coverage.rank } : {};
  return { where: 'approximate-miss', perspectiveId, exactRank, passageId: exactRanking[index]!, ...rank };
}

function passagesOf(ranked: readonly Ranked[], candidates: number): string[] {
  return ranked.slice(0, candidates).map(({ item }) => item);
}

function verdictOf(relevance: number | undefined): Verdict | undefined {
  if (relevance === undefined) return undefined;
  return supports(relevance) ? 'yes' : 'no';
}

function knownSupport(
  judgements: Judgements,
  pathOf: (passageId: string) => string,
): Map<string, readonly KnownSupport[]> {
  return new Map(
    [...judgements].map(([perspective, passages]) => [
      perspective,
      [...passages]
        .filter(([, relevance]) => supports(relevance))
        .map(([passageId]) => ({ passageId, path: pathOf(passageId) })),
    ]),
  );
}

function countEach(count: (place: Place) => number): Record<Place, number> {
  return Object.fromEntries(PLACES.map((place) => [place, count(place)])) as Record<Place, number>;
}
