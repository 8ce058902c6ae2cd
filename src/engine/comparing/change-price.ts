/**
 * The effect of one change of a pipeline on an eval set, each pipeline with its own k passages. MRecall measures both
 * against what the larger k could cover: with its own k, the smaller one would have an easier target.
 */
import { parseMeasure, type Measure } from '../../core/metrics/measures.ts';
import { measuredRun } from '../../core/metrics/unjudged.ts';
import { mean } from '../../core/statistics/mean.ts';
import type { ChangePrice } from '../../evaluation/change-price.ts';
import { CHARACTERS_PER_TOKEN } from '../../shared/judge-effort.ts';
import type { Params } from '../../shared/rpc.ts';
import { Pace } from '../concurrency/pace.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import { questionRun, scoresOf } from '../experiment/analyses.ts';
import { circularIn } from '../experiment/circular.ts';
import type { CollectedJudgements } from '../experiment/collected-judgements.ts';
import {
  judgementsOf,
  requireAllRan,
  withPerspectives,
  type Experiments,
} from '../experiment/experiments.ts';
import type { PipelineRuns } from '../experiment/pipeline-runs.ts';
import type { Judge } from '../judges/judge.ts';
import type { WorkOptions } from '../types.ts';
import { measureViews, type ScoredRun } from './compare-measures.ts';

const FAMILIES = ['MRecall', 'Precision'] as const;

/**
 * @param judge whose answers count beside labels; undefined for labels alone
 * @throws ParallaxError `bad-argument` for an eval set without perspectives; as the pipelines do; `cancelled`
 */
export async function priceOfChange(
  { dataset, before, after }: Params<'changePrice'>,
  judge: Judge | undefined,
  experiments: Experiments,
  work: WorkOptions,
): Promise<ChangePrice> {
  const { signal } = work;
  const k = Math.max(before.k, after.k);
  const request = {
    datasets: [withPerspectives(dataset)],
    pipelines: [
      { name: 'before', pipeline: before },
      { name: 'after', pipeline: after },
    ],
    k,
    judge,
    beyond: {},
  };
  const [price] = await experiments.run(request, work, async (ran): Promise<ChangePrice> => {
    requireAllRan(ran.runs);
    const judgements = await judgementsOf(ran, { k }, { signal });
    const scored = ran.runs.map((runs) => scoredAsReturned(runs, judgements, k));
    const [old, changed] = await measureViews(scored, FAMILIES, new Pace({ signal }));
    const each = (valueOf: (runs: PipelineRuns) => number): ChangePrice['tokens'] => ({
      before: valueOf(ran.runs[0]!),
      after: valueOf(ran.runs[1]!),
    });
    return {
      evalSet: dataset.evalSet,
      queries: ran.dataset.queries.length,
      measures: FAMILIES.map((family) => ({ family, before: old![family]!, after: changed![family]! })),
      tokens: each((runs) => tokensOf(runs, ran.index)),
      milliseconds: each(({ times }) => mean([...times.values()])),
    };
  });
  return price!;
}

/** The measures under the names of their families, so that pipelines with different k can be compared. */
function scoredAsReturned(runs: PipelineRuns, judgements: CollectedJudgements, largest: number): ScoredRun {
  const { k } = runs.pipeline;
  const returned = new Map([...runs.questions].map(([query, slots]) => [query, slots.slice(0, k)]));
  const own = { ...runs, questions: returned };
  const measures: Measure[] = [
    { family: 'MRecall', k: largest },
    { family: 'Precision', k },
    { family: 'Judged', k },
  ];
  const scores = scoresOf(own, measures, { judgements });
  const run = questionRun(own, { judgements });
  const { means, perQuery } = measuredRun(scores, run, judgements.qrels, judgements.basis);
  return {
    scores: { ...scores, mean: byFamily(scores.mean), perTopic: eachByFamily(scores.perTopic) },
    measured: { means: byFamily(means), perQuery: eachByFamily(perQuery) },
    circular: circularIn(runs, judgements),
    isJudged: (query) => (scores.perTopic.get(query)?.[`Judged@${k}`] ?? 1) === 1,
  };
}

type Named<T> = Readonly<Record<string, T>>;

function byFamily<T>(values: Named<T>): Named<T> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [parseMeasure(name).family, value]),
  );
}

function eachByFamily<T>(topics: ReadonlyMap<string, Named<T>>): ReadonlyMap<string, Named<T>> {
  return new Map([...topics].map(([query, values]) => [query, byFamily(values)]));
}

/** Mean over questions. */
function tokensOf({ questions, pipeline }: PipelineRuns, index: CorpusIndex): number {
  const lengths = [...questions.values()].map((slots) =>
    index.passages(slots.slice(0, pipeline.k)).reduce((sum, { text }) => sum + text.length, 0),
  );
  return mean(lengths) / CHARACTERS_PER_TOKEN;
}
