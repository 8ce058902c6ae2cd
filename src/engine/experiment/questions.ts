/** Everything that a comparison asks a pipeline, beside the questions themselves. */
import { twoSided } from '../../core/analysis/leaning.ts';
import type { Perspective, Query, Stance } from '../../core/model.ts';
import type { Pipeline } from '../../core/pipeline.ts';
import type { PipelineQuery } from '../retrieval/pipeline-services.ts';

/** A query with the id that its ranking has. */
export interface Asked {
  readonly id: string;
  readonly query: PipelineQuery;
}

/** Sets the stances of an eval set's two perspectives if they are called `support` and `oppose`. */
export function withStances<Q extends Query>(query: Q): Q {
  const { perspectives } = query;
  const sides = new Set(perspectives.map(({ id }) => id));
  const isNamed = perspectives.length === 2 && sides.has('support') && sides.has('oppose');
  if (!isNamed || perspectives.some(({ stance }) => stance !== undefined)) return query;
  return {
    ...query,
    perspectives: perspectives.map((each) => ({
      ...each,
      stance: each.id === 'support' ? ('support' as const) : ('oppose' as const),
    })),
  };
}

export function questions(queries: readonly Query[]): Asked[] {
  return queries.map((query) => ({ id: query.id, query }));
}

/**
 * Two-sided queries with a perspective as the question, as if a person of that opinion asked (BERDS, section 8): the
 * first one of the side.
 * Steps that read perspectives are given the same as before.
 */
export function askedFromSide(queries: readonly Query[], stance: Stance): Asked[] {
  const sided = new Set(twoSided(queries).map(({ id }) => id));
  return queries
    .filter(({ id }) => sided.has(id))
    .map((query) => {
      const { text } = query.perspectives.find((perspective) => perspective.stance === stance)!;
      return { id: query.id, query: { ...query, text, pagesOf: query.text } };
    });
}

/** A perspective of a group, with its query. */
export interface GroupedPerspective {
  /** Unique among the perspectives of all queries. */
  readonly id: string;
  readonly query: Query;
  readonly perspective: Perspective;
  readonly group: string;
}

export function groupedPerspectives(queries: readonly Query[]): GroupedPerspective[] {
  return queries.flatMap((query) =>
    query.perspectives.flatMap((perspective) =>
      perspective.group === undefined
        ? []
        : [
            {
              id: JSON.stringify([query.id, perspective.id]),
              query,
              perspective,
              group: perspective.group,
            },
          ],
    ),
  );
}

/**
 * A query for each perspective of a group, from that perspective (PIR, sections 2.1 and 2.4). It searches for the
 * full query q = r + p, the question followed by the perspective, since eval sets have no natural sentence with both.
 * A projection gets root, perspective and full query separately. Steps that read perspectives are given only this
 * one.
 */
export function askedFromPerspectives(
  grouped: readonly GroupedPerspective[],
  { projection }: Pipeline,
): Asked[] {
  return grouped.map(({ id, query, perspective }) => {
    const full = `${query.text} ${perspective.text}`;
    const perspectives = [perspective];
    return {
      id,
      query: projection
        ? { id: query.id, text: query.text, perspectives, fullTexts: [full] }
        : { id: query.id, text: full, perspectives, pagesOf: query.text },
    };
  });
}

/** The questions whose perspectives have groups, without any perspective (PIR, figure 2). */
export function askedWithoutPerspective(grouped: readonly GroupedPerspective[]): Asked[] {
  return questions([...new Set(grouped.map(({ query }) => query))]).map(({ id, query }) => ({
    id,
    query: { ...query, perspectives: [] },
  }));
}
