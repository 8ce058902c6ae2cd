/** The judgements of a stored comparison, for other tools. */
import { formatJudgedQrels, WhoJudged } from '../../../core/formats/judged-qrels.ts';
import type { Result } from '../../../shared/rpc.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { JudgementService } from '../../../engine/judgements/judgement-service.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import type { Comparisons } from './comparisons.ts';
import { judgingTasks, type LookedUp, type TopTask } from './judging-tasks.ts';

export interface JudgedQrelsParts {
  readonly comparisons: Comparisons;
  readonly judgementService: JudgementService;
  /** The judge whose stored answers count. `undefined` for people alone. */
  readonly judgeOf: (name: string) => Judge | undefined;
  readonly openIndexed: (corpus: string) => Promise<LookedUp>;
}

/**
 * Each data set's present judgements within the top k of any pipeline, as diversity qrels. No judge is asked.
 *
 * @throws ParallaxError `not-found` for an unknown comparison, `not-indexed`, `cancelled`
 */
export async function judgedQrels(
  { comparisons, judgementService, judgeOf, openIndexed }: JudgedQrelsParts,
  id: string,
  work: WorkOptions,
): Promise<Result<'judgedQrels'>> {
  const comparison = comparisons.get({ id });
  const judge = judgeOf(comparison.judge);
  const datasets: Result<'judgedQrels'>['datasets'][number][] = [];
  for (const dataset of comparison.datasets) {
    const tasks = judgingTasks(comparisons, comparison, dataset, await openIndexed(dataset.corpus));
    datasets.push({
      name: dataset.name,
      ...formatJudgedQrels(await judgedLines(tasks, { judgementService, judge }, work)),
    });
  }
  return { datasets };
}

async function judgedLines(
  tasks: readonly TopTask[],
  { judgementService, judge }: { judgementService: JudgementService; judge: Judge | undefined },
  work: WorkOptions,
): Promise<ReturnType<WhoJudged['lines']>> {
  const pace = new Pace(work);
  const authors = new WhoJudged();
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  for (const task of tasks) {
    const { query, passages } = task;
    const ids = new Map(passages.map(({ slot, id }) => [slot, id]));
    const topic = new Map<string, Map<string, number>>();
    for (const { slot, perspectiveId, judgement } of await judgementService.known(task, judge)) {
      const passage = ids.get(slot)!;
      const judged = topic.get(perspectiveId) ?? new Map<string, number>();
      topic.set(perspectiveId, judged.set(passage, judgement.verdict === 'yes' ? 1 : 0));
      authors.note(query.id, perspectiveId, passage, judgement);
    }
    if (topic.size > 0) qrels.set(query.id, topic);
    if (pace.due) await pace.rest();
  }
  return authors.lines(qrels);
}
