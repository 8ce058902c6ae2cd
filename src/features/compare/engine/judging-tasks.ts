/** The pairs behind a stored comparison's figures, query by query. */
import type { Evaluation } from '../../../evaluation/evaluation.ts';
import type { JudgingTask, NeighbourLookup } from '../../../engine/judgements/judgement-service.ts';
import type { StoredPassage } from '../../../engine/types.ts';
import type { Comparisons } from './comparisons.ts';

/** The part of a corpus that these tasks need. */
export type LookedUp = NeighbourLookup & { passageById(id: string): StoredPassage | undefined };

/** The top passages of a query that are still in the corpus. */
export type TopTask = JudgingTask & {
  readonly query: { readonly id: string; readonly text: string };
  readonly passages: readonly StoredPassage[];
};

/** The top k of all pipelines together, for each query of a data set. */
export function judgingTasks(
  comparisons: Pick<Comparisons, 'movement'>,
  { id: comparison, k: depth }: Evaluation,
  { name: dataset, queries }: Evaluation['datasets'][number],
  index: LookedUp,
): TopTask[] {
  return queries.map(({ id, text, perspectives }) => {
    const { passages } = comparisons.movement({ id: comparison, dataset, queryId: id, depth });
    return {
      query: { id, text },
      perspectives: perspectives.map((each) => ({ id: each.id, text: each.text })),
      passages: passages.flatMap((passage) => index.passageById(passage.id) ?? []),
      index,
    };
  });
}
