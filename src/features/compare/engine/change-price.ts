/**
 * The effect of one change of a pipeline or split on an eval set, each pipeline with its own k passages. MRecall measures both
 * against what the larger k could cover: with its own k, the smaller one would have an easier target.
 */
import { parseMeasure, type Measure } from '../../../core/metrics/measures.ts';
import { measuredRun } from '../../../core/metrics/unjudged.ts';
import { mean } from '../../../core/statistics/mean.ts';
import type { Pipeline } from '../../../core/pipeline.ts';
import type { ChangePrice } from '../../../evaluation/change-price.ts';
import { CHARACTERS_PER_TOKEN } from '../../../shared/judge-effort.ts';
import type { Params } from '../../../shared/rpc.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import type { OpenCorpora } from '../../../engine/corpora/open-corpora.ts';
import { questionRun, scoresOf } from '../../../engine/experiment/analyses.ts';
import { circularIn } from '../../../engine/experiment/circular.ts';
import type { CollectedJudgements } from '../../../engine/experiment/collected-judgements.ts';
import {
  judgementsOf,
  requireAllRan,
  withPerspectives,
  type Experiments,
  type RanDataset,
} from '../../../engine/experiment/experiments.ts';
import type { PipelineRuns } from '../../../engine/experiment/pipeline-runs.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { measureViews, type ScoredRun } from './compare-measures.ts';

const FAMILIES = ['MRecall', 'Precision'] as const;

/** What one of the pipelines returned for the questions. */
interface Side {
  readonly scored: ScoredRun;
  readonly tokens: number;
  readonly milliseconds: number;
  readonly queries: number;
}

/**
 * @param judge whose answers count beside labels; undefined for labels alone
 * @param withSplit temporarily indexes the corpus with the split of the change
 * @throws ParallaxError `bad-argument` for an eval set without perspectives; as the pipelines do; `cancelled`
 */
export async function priceOfChange(
  { dataset, before, after, split }: Params<'changePrice'>,
  { judge, experiments, withSplit }: PriceParts,
  work: WorkOptions,
): Promise<ChangePrice> {
  const k = Math.max(before.k, after.k);
  const sidesOf = async (pipelines: readonly Pipeline[], index?: CorpusIndex): Promise<Side[]> => {
    const request = {
      datasets: [{ ...withPerspectives(dataset), index }],
      pipelines: pipelines.map((pipeline, place) => ({ name: String(place), pipeline })),
      ...{ k, judge, beyond: {} },
    };
    const [sides] = await experiments.run(request, work, (ran) => measuredSides(ran, k, work));
    return sides!;
  };
  const sides = split
    ? [
        ...(await sidesOf([before])),
        ...(await withSplit(dataset.corpus, split, (index) => sidesOf([after], index), work)),
      ]
    : await sidesOf([before, after]);
  const [first, second] = sides as [Side, Side];
  const scored = sides.map((side) => side.scored);
  const [old, changed] = await measureViews(scored, FAMILIES, new Pace({ signal: work.signal }));
  return {
    evalSet: dataset.evalSet,
    queries: first.queries,
    measures: FAMILIES.map((family) => ({ family, before: old![family]!, after: changed![family]! })),
    tokens: { before: first.tokens, after: second.tokens },
    milliseconds: { before: first.milliseconds, after: second.milliseconds },
  };
}

export interface PriceParts {
  readonly judge: Judge | undefined;
  readonly experiments: Experiments;
  /** As {@link OpenCorpora.withSplit}. */
  readonly withSplit: OpenCorpora['withSplit'];
}

async function measuredSides(ran: RanDataset, k: number, { signal }: WorkOptions): Promise<Side[]> {
  requireAllRan(ran.runs);
  const judgements = await judgementsOf(ran, { k }, { signal });
  return ran.runs.map((runs) => ({
    scored: scoredAsReturned(runs, judgements, k),
    tokens: tokensOf(runs, ran.index),
    milliseconds: mean([...runs.times.values()]),
    queries: ran.dataset.queries.length,
  }));
}

/** The measures under the names of their families, so that pipelines with different k can be compared. */
function scoredAsReturned(runs: PipelineRuns, judgements: CollectedJudgements, largest: number): ScoredRun {
  const { k } = runs.pipeline;
  const returned = new Map([...runs.questions].map(([query, slots]) => [query, slots.slice(0, k)]));
  const cutRuns = { ...runs, questions: returned };
  const measures: Measure[] = [
    { family: 'MRecall', k: largest },
    { family: 'Precision', k },
    { family: 'Judged', k },
  ];
  const scores = scoresOf(cutRuns, measures, { judgements });
  const run = questionRun(cutRuns, { judgements });
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
