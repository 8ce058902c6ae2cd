/** The rankings behind a comparison, in a form that is small and needs no corpus. */
import * as z from 'zod';
import type { Read } from '../../../core/read.ts';
import { CURVE_DEPTH } from '../../../core/analysis/coverage-curve.ts';
import { movementBetween } from '../../../core/analysis/movement.ts';
import type { Query } from '../../../core/model.ts';
import type { Movement } from '../contract/panel.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { Slot, WorkOptions } from '../../../engine/types.ts';
import type { CollectedJudgements } from '../../../engine/experiment/collected-judgements.ts';
import type { PipelineRuns } from '../../../engine/experiment/pipeline-runs.ts';

const place = z.number().int().min(0);

/**
 * The rankings of all pipelines for one query. Titles and support are those at the time of the comparison, so that a
 * later chart agrees with its figures, even if the corpus has changed.
 */
export const queryRankingsSchema = z
  .object({
    passages: z.array(z.object({ id: z.string(), title: z.string(), supports: z.array(z.string()) })),
    /** Per pipeline, best first: indexes of `passages`. */
    rankings: z.array(z.array(place)),
  })
  .refine(
    ({ passages, rankings }) => rankings.flat().every((index) => index < passages.length),
    'a ranking names a passage that is not there',
  );
export type QueryRankings = Read<typeof queryRankingsSchema>;

/** By query id. */
export type KeptRankings = ReadonlyMap<string, QueryRankings>;

/**
 * The first 100 of every pipeline.
 *
 * @throws ParallaxError `cancelled`
 */
export async function keepRankings(
  queries: readonly Query[],
  runs: readonly PipelineRuns[],
  judgements: CollectedJudgements,
  work: WorkOptions,
): Promise<KeptRankings> {
  const pace = new Pace(work);
  const rankingsByQuery = new Map<string, QueryRankings>();
  for (const query of queries) {
    const rankings = runs.map(({ questions }) => questions.get(query.id)?.slice(0, CURVE_DEPTH) ?? []);
    rankingsByQuery.set(query.id, queryRankings(query, rankings, judgements));
    if (pace.due) await pace.rest();
  }
  return rankingsByQuery;
}

function queryRankings(
  { id: query, perspectives }: Query,
  rankings: readonly (readonly Slot[])[],
  judgements: CollectedJudgements,
): QueryRankings {
  const topic = judgements.qrels.get(query);
  const supportsOf = (passage: string): string[] =>
    perspectives.map(({ id }) => id).filter((id) => (topic?.get(id)?.get(passage) ?? 0) > 0);
  const places = new Map<Slot, number>();
  const passages: QueryRankings['passages'][number][] = [];
  for (const slot of new Set(rankings.flat())) {
    const passage = judgements.passage(slot);
    if (!passage) continue;
    places.set(slot, passages.length);
    passages.push({ id: passage.id, title: passage.name, supports: supportsOf(passage.id) });
  }
  return { passages, rankings: rankings.map((slots) => slots.flatMap((slot) => places.get(slot) ?? [])) };
}

/** How passages move between the pipelines: everything that any of them ranked within the depth. */
export function movementOf({ passages, rankings }: QueryRankings, depth: number): Movement['passages'] {
  return movementBetween(rankings, depth).map(({ item, ranks }) => ({
    ...passages[item]!,
    ranks: [...ranks],
  }));
}
