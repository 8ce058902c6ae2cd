/** Reads values, ranks and lost perspectives of a pipeline, by its index in the evaluation. */
import { PLACES, rankOf, type Place } from '../core/coverage-states.ts';
import type { Measured } from '../core/measured.ts';
import { figuresOf, type Figure } from '../core/metrics/figures.ts';
import type {
  PerspectiveEvaluation,
  PipelineEvaluation,
  PlaceCounts,
  QueryEvaluation,
} from './evaluation.ts';

/** The value of a measure for one query. `undefined` if it was not measured or the pipeline failed. */
export function measuredAt(
  { results }: Pick<QueryEvaluation, 'results'>,
  place: number,
  measure: string,
): Measured | undefined {
  return results[place]?.measures[measure];
}

/** Share of the top k that is judged for a query, in [0, 1]. 0 if the pipeline failed. */
export function judgedAt({ results }: Pick<QueryEvaluation, 'results'>, place: number): number {
  return results[place]?.judged ?? 0;
}

/** The place of a perspective under a pipeline. `undefined` if the pipeline failed. */
export function placeAt({ states }: Pick<PerspectiveEvaluation, 'states'>, place: number): Place | undefined {
  return states[place]?.where;
}

/** The rank, among the candidates, of the first passage that supports a perspective. `undefined` if none does. */
export function rankAt({ states }: Pick<PerspectiveEvaluation, 'states'>, place: number): number | undefined {
  const state = states[place];
  return state ? rankOf(state) : undefined;
}

export function isCoveredAt(perspective: Pick<PerspectiveEvaluation, 'states'>, place: number): boolean {
  return placeAt(perspective, place) === 'covered';
}

/** Share of the perspectives of a query that the top k cover, in [0, 1]. */
export function coveredShareAt(
  { perspectives }: Pick<QueryEvaluation, 'perspectives'>,
  place: number,
): number {
  if (perspectives.length === 0) return 0;
  return perspectives.filter((perspective) => isCoveredAt(perspective, place)).length / perspectives.length;
}

/** A perspective that a pipeline loses or may lose. */
export interface LostPerspective {
  readonly query: QueryEvaluation;
  readonly perspective: PerspectiveEvaluation;
  readonly where: Exclude<Place, 'covered'>;
  /** The rank of the first passage that supports it, among the candidates. */
  readonly rank: number | undefined;
}

/** @returns in the order of {@link PLACES}, the most recoverable loss first; empty if the pipeline failed */
export function lostPerspectives(queries: readonly QueryEvaluation[], place: number): LostPerspective[] {
  return queries
    .flatMap((query) =>
      query.perspectives.flatMap((perspective) => {
        const where = placeAt(perspective, place);
        if (where === undefined || where === 'covered') return [];
        return [{ query, perspective, where, rank: rankAt(perspective, place) }];
      }),
    )
    .toSorted((a, b) => PLACES.indexOf(a.where) - PLACES.indexOf(b.where) || (a.rank ?? 0) - (b.rank ?? 0));
}

/** The number of perspectives that unjudged passages of the top k may still cover. */
export function openCount({ open }: Pick<PipelineEvaluation, 'open'>): number {
  return sumOf(open);
}

/** The sum over all places. */
export function sumOf(counts: PlaceCounts): number {
  return PLACES.reduce((sum, place) => sum + counts[place], 0);
}

/** 95% bootstrap intervals over queries, by name of each measure that single queries have. */
export function intervalsAt(
  queries: readonly QueryEvaluation[],
  place: number,
): Record<string, Pick<Figure, 'low' | 'high'>> {
  const names = Object.keys(queries[0]?.results[place]?.measures ?? {});
  const figures = figuresOf({
    metrics: Object.fromEntries(names.map((name) => [name, 0])),
    queries: queries.map((query) => ({
      metrics: Object.fromEntries(names.map((name) => [name, measuredAt(query, place, name)?.value ?? 0])),
    })),
  });
  return Object.fromEntries(Object.entries(figures).map(([name, { low, high }]) => [name, { low, high }]));
}
