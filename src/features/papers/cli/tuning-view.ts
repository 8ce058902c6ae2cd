/**
 * `parallax eval --view tuning`: chooses a parameter of a pipeline on a development split, and reports on the test
 * split.
 */
import { oneOf } from '../../../core/text/enumeration.ts';
import { counted, counts } from '../../../core/counted.ts';
import { splitQueries } from '../core/query-split.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { measureDifferences, type PairedDifference } from '../../../core/metrics/differences.ts';
import { circularAmong } from '../../../core/metrics/circular.ts';
import { isNoResult, unreadableText } from '../../../core/judging/unreadable.ts';
import { definitionOf, measureName, parseMeasure, type Measure } from '../../../core/metrics/measures.ts';
import type { Query } from '../../../core/model.ts';
import {
  type HybridRetriever,
  type NamedPipeline,
  parsePipeline,
  type Pipeline,
} from '../../../core/pipeline.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { JudgingReport, PipelineExperiment } from '../../../shared/experiment.ts';
import { judgementsOf, planDatasets, type Dataset } from '../../../cli/datasets.ts';
import {
  describeJudging,
  judgingExitCode,
  judgingOptions,
  readJudging,
  unreadableOf,
  type Judging,
} from '../../../cli/figure-judging.ts';
import { isNothingJudged, NOTHING_JUDGED } from '../../../cli/known-figures.ts';
import { readPipelines } from '../../../cli/options/pipeline-option.ts';
import { isCutShort, runExperiment, scoresOf } from '../../../cli/run-experiment.ts';
import { formatTable, percent, pointsOf, UsageError, type Io } from '../../../cli/presentation/terminal.ts';
import { evaluationView } from '../../../cli/commands/views/view.ts';
import { keepsAnswers } from '../../../cli/kept-answers.ts';

const PARAMS = ['lambda', 'weight', 'fusion'] as const;
type Param = (typeof PARAMS)[number];

/** λ as in BERDS (appendix A.6), weights around the paper's 1 (PIR, section 3.1), and shares of the second list. */
const DEFAULT_VALUES: Readonly<Record<Param, string>> = {
  lambda: '0.5,0.75,0.9,0.95,0.99',
  weight: '0.25,0.5,0.75,1,1.25,1.5,2',
  fusion: '0.1,0.2,0.3,0.35,0.4,0.5,0.6,0.7',
};
const SYMBOLS: Readonly<Record<Param, string>> = { lambda: 'λ', weight: 'weight', fusion: 'weight' };

interface TuneReport extends Partial<Tuned> {
  readonly name: string;
  readonly param: Param;
  readonly measure: string;
  /** With a judge: the judging for the choice and for the report. */
  readonly judging?: readonly JudgingReport[];
  /** Why no value was chosen, as a sentence. */
  readonly noResult?: string;
}

interface Tuned {
  readonly development: {
    readonly queries: number;
    readonly scores: readonly { readonly value: number; readonly score: number }[];
  };
  /** The value with the best score; the first one if several have it. */
  readonly best: number;
  /** The pipeline with that value. */
  readonly pipeline: Pipeline;
  /** On queries that were not used for the choice. The difference is to the plain pipeline. */
  readonly test: Omit<PairedDifference, 'p'> & {
    /** `undefined` if a judge both made a ranking and scores it, which certifies nothing. */
    readonly p?: number;
    readonly queries: number;
    readonly plain: number;
    readonly tuned: number;
  };
}

export const tuningView = evaluationView({
  usage: '--view tuning ',
  options: {
    param: {
      type: 'string',
      default: 'lambda',
      help: 'lambda (default): the λ of the last reranker that has one (mmr, xquad, pm2);\nweight: the emphasis on the perspective in the projection;\nfusion: the weight of the second of two retrievers in a hybrid',
    },
    values: {
      type: 'string',
      help: 'values to try, separated by commas (default for lambda 0.5,0.75,0.9,0.95,0.99, those of BERDS;\nfor weight 0.25,0.5,0.75,1,1.25,1.5,2, for fusion 0.1,0.2,0.3,0.35,0.4,0.5,0.6,0.7)',
    },
    measure: { type: 'string', default: 'MRecall@5', help: 'what to choose by (default MRecall@5)' },
    share: {
      type: 'string',
      default: '0.5',
      help: 'share of the queries to choose on (default 0.5); the rest is only reported on',
    },
    ...judgingOptions('figures'),
  },
  notes: `Queries are divided by their ids, so that a query is always on the same side. "Without" is the pipeline without
that reranker or projection, or of a hybrid its first retriever alone. "datasetMaximum": "auto" is worked out on the queries to choose on.
A judge is asked about what any of the values brings up. --scope figures is enough for MRecall and Precision; other
measures have everything judged. Nothing is chosen where the budget ends before all of that is judged (exit code 3).
`,
  read(values, config): TuningTask {
    const [{ name, pipeline }, another] = readPipelines(values.pipeline, config) as [
      NamedPipeline,
      NamedPipeline?,
    ];
    if (another) throw new UsageError('--view tuning takes one pipeline at a time: name it with --pipeline.');
    const param = readParam(values.param);
    const measure = parseMeasure(values.measure);
    const share = readShare(values.share);
    const candidates = readNumbers(values.values ?? DEFAULT_VALUES[param]).map((value) => ({
      value,
      pipeline: withValue(pipeline, param, value),
    }));
    if (planDatasets(values, config).length > 1)
      throw new UsageError('--view tuning takes one data set at a time.');
    const judging = readTuneJudging(values, config, measure);
    return {
      name,
      param,
      measure,
      share,
      candidates,
      plain: plainOf(pipeline, param),
      judging,
      config: judging?.config ?? config,
      judged: judging !== undefined,
    };
  },
  async evaluate(
    dataset,
    { name, param, measure, share, candidates, plain, judging },
    io,
  ): Promise<TuneReport> {
    const trial = new Trial(dataset, measure, judging, io);
    const tuning = await tune(trial, candidates, plain, share);
    const judged = judging ? { judging: trial.judging } : {};
    const about = { name, param, measure: measureName(measure), ...judged };
    const noResult = noResultOf(trial.judging);
    return noResult === undefined ? { ...about, ...tuning } : { ...about, noResult };
  },
  report: ([report]) => report!,
  describe: (report) => describe(report),
  end: (_, { store }, io, { judging = [] }) => judgingExitCode(judging, keepsAnswers(store), io),
});

interface TuningTask {
  readonly name: string;
  readonly param: Param;
  readonly measure: Measure;
  /** The share of the queries used for the choice. */
  readonly share: number;
  readonly candidates: readonly Candidate[];
  readonly plain: Pipeline;
  readonly judging: Judging | undefined;
  readonly config: ParallaxConfig;
  readonly judged: boolean;
}

/** @throws UsageError if the scope leaves pairs unjudged that the measure counts */
function readTuneJudging(
  values: Parameters<typeof readJudging>[0],
  config: ParallaxConfig,
  measure: Measure,
): Judging | undefined {
  const isExact = definitionOf(measure).exactWithHeadline === true;
  const judging = readJudging(values, config, isExact ? 'figures' : 'everything');
  if (judging?.scope === 'figures' && !isExact)
    throw new UsageError(
      `--scope figures is for MRecall and Precision; ${measureName(measure)} counts everything.`,
    );
  return judging;
}

/** With the unreadable answers the choice could be another. */
function noResultOf(judging: readonly JudgingReport[]): string | undefined {
  const unreadable = judging.map(unreadableOf).find(isNoResult);
  if (unreadable) return unreadableText(unreadable);
  return judging.some(({ stopped }) => stopped)
    ? 'Nothing is chosen before all is judged that it rests on.'
    : undefined;
}

interface Candidate {
  readonly value: number;
  readonly pipeline: Pipeline;
}

/** @returns `undefined` if a judge left too much open for a choice */
async function tune(
  trial: Trial,
  candidates: readonly Candidate[],
  plain: Pipeline,
  share: number,
): Promise<Tuned | undefined> {
  const queries = await trial.queriesWithPages(plain);
  const { development, test } = splitQueries(queries, share);
  if (development.length === 0 || test.length === 0)
    throw new ParallaxError(
      'bad-argument',
      counted(
        '{0} [0:question|questions] with --share {1} [0:leaves|leave] {2} to choose on and {3} to report on.',
        queries.length,
        share,
        development.length,
        test.length,
      ),
    );
  const namedCandidates = candidates.map(({ value, pipeline }) => ({ name: `${value}`, pipeline }));
  const [without, ...tried] = await trial.run(
    [{ name: 'without', pipeline: plain }, ...namedCandidates],
    development,
  );
  if (noResultOf(trial.judging) !== undefined) return undefined;
  const scores = tried.map((experiment, place) => ({
    value: candidates[place]!.value,
    score: trial.scoreOf(experiment),
  }));
  const place = scores.reduce((best, { score }, at) => (score > scores[best]!.score ? at : best), 0);
  const best = tried[place]!;
  // Parameters fitted on the development split are kept for the test split.
  const [plainTest, tunedTest] = await trial.run([without!, best], test);
  const { p, ...difference } = measureDifferences(scoresOf(plainTest!), scoresOf(tunedTest!))[trial.measure]!;
  const isCircular = circularAmong(plainTest!, tunedTest!) !== undefined;
  return {
    development: { queries: development.length, scores },
    best: candidates[place]!.value,
    pipeline: best.pipeline,
    test: {
      queries: test.length,
      plain: trial.scoreOf(plainTest!),
      tuned: trial.scoreOf(tunedTest!),
      ...difference,
      ...(isCircular ? {} : { p }),
    },
  };
}

/** One measure of pipelines on parts of a data set. */
class Trial {
  readonly measure: string;
  readonly #dataset: Dataset;
  readonly #k: number;
  readonly #judging: Judging | undefined;
  readonly #io: Io;
  readonly #judged: JudgingReport[] = [];

  constructor(dataset: Dataset, measure: Measure, judging: Judging | undefined, io: Io) {
    this.#dataset = dataset;
    this.#k = measure.k ?? 1;
    this.#judging = judging;
    this.#io = io;
    this.measure = measureName(measure);
  }

  /** Reports of the judging, one per run. */
  get judging(): readonly JudgingReport[] {
    return this.#judged;
  }

  /** The queries. If the corpus keeps pages per query, only those with pages. */
  async queriesWithPages(plain: Pipeline): Promise<readonly Query[]> {
    const task = { pipelines: [{ name: 'without', pipeline: plain }], k: this.#k };
    const { leftOut } = await runExperiment(this.#dataset, task, this.#io);
    return this.#dataset.queries.filter(({ id }) => !leftOut.includes(id));
  }

  async run(
    pipelines: readonly NamedPipeline[],
    queries: readonly Query[],
  ): Promise<readonly PipelineExperiment[]> {
    const { qrels } = this.#dataset;
    const judged = qrels && new Map(queries.map(({ id }) => [id, qrels.get(id)!]));
    const part = { ...this.#dataset, queries, qrels: judged };
    const named = pipelines.map(({ name, pipeline }) => ({ name, pipeline }));
    const task = { pipelines: named, k: this.#k, measures: [this.measure], judging: this.#judging };
    const report = await runExperiment(part, task, this.#io);
    const [failed] = report.failed;
    // If not all candidates were run, the choice would silently be among the others.
    if (failed) throw new ParallaxError('retriever-failed', failed.error);
    if (isCutShort([report]))
      throw new ParallaxError('model-unreachable', 'The budget is spent before all candidates are ranked.');
    if (!this.#judging && isNothingJudged(report)) throw new ParallaxError('bad-argument', NOTHING_JUDGED);
    if (report.judging) this.#judged.push(report.judging);
    return report.pipelines;
  }

  /** @throws ParallaxError `bad-argument` for a measure of perspectives if the judgements have none */
  scoreOf({ metrics }: PipelineExperiment): number {
    const score = metrics[this.measure];
    if (score === undefined)
      throw new ParallaxError(
        'bad-argument',
        `${this.measure} needs judgements by perspective; ${judgementsOf(this.#dataset) ?? 'what is judged'} has none.`,
      );
    return score;
  }
}

/** @throws UsageError if the pipeline has no such parameter, ParallaxError `bad-pipeline` for a value out of range */
function withValue(pipeline: Pipeline, param: Param, value: number): Pipeline {
  if (param === 'weight') {
    if (!pipeline.projection) throw new UsageError('--param weight: the pipeline has no projection.');
    return parsePipeline({ ...pipeline, projection: { ...pipeline.projection, weight: value } });
  }
  if (param === 'fusion') {
    const retriever = { ...pairOf(pipeline), weights: undefined, weight: value };
    return parsePipeline({ ...pipeline, retriever });
  }
  const place = lambdaPlace(pipeline);
  return parsePipeline({
    ...pipeline,
    rerank: pipeline.rerank.map((step, index) => (index === place ? { ...step, lambda: value } : step)),
  });
}

/** The pipeline without the step whose parameter is chosen. */
function plainOf(pipeline: Pipeline, param: Param): Pipeline {
  if (param === 'weight') return { ...pipeline, projection: undefined };
  if (param === 'fusion') return { ...pipeline, retriever: pairOf(pipeline).retrievers[0]! };
  return { ...pipeline, rerank: pipeline.rerank.toSpliced(lambdaPlace(pipeline), 1) };
}

/** @throws UsageError for anything but a hybrid of two retrievers */
function pairOf({ retriever }: Pipeline): HybridRetriever {
  if (retriever.type === 'hybrid' && retriever.retrievers.length === 2) return retriever;
  throw new UsageError('--param fusion: the pipeline is not a hybrid of two retrievers.');
}

function lambdaPlace({ rerank }: Pipeline): number {
  const place = rerank.findLastIndex((step) => 'lambda' in step);
  if (place < 0)
    throw new UsageError('--param lambda: the pipeline has no reranker with a λ (mmr, xquad or pm2).');
  return place;
}

function readParam(text: string): Param {
  const param = PARAMS.find((name) => name === text);
  if (!param) throw new UsageError(`--param is ${oneOf(PARAMS)}, not "${text}".`);
  return param;
}

function readShare(text: string): number {
  const share = Number(text);
  if (!(share > 0 && share < 1)) throw new UsageError(`--share is a number between 0 and 1, not "${text}".`);
  return share;
}

function readNumbers(text: string): number[] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!numbers.every(Number.isFinite))
    throw new UsageError(`--values takes numbers, separated by commas, not "${text}".`);
  return [...new Set(numbers)];
}

function describe({ judging = [], noResult, ...report }: TuneReport): string {
  const judged = judging.map(describeJudging).join('');
  if (noResult !== undefined || !isTuned(report)) return `${judged}${noResult ?? ''}\n`;
  return `${judged}${judged === '' ? '' : '\n'}${describeChoice(report)}`;
}

const isTuned = (report: TuneReport): report is TuneReport & Tuned => report.test !== undefined;

function describeChoice({
  name,
  param,
  measure,
  development,
  best,
  pipeline,
  test,
}: TuneReport & Tuned): string {
  const symbol = SYMBOLS[param];
  const rows = development.scores.map(({ value, score }) => [String(value), percent(score)]);
  const maximum = pipeline.rerank.findLast((step) => step.type === 'mmr')?.datasetMaximum;
  return (
    `${name}: chosen by ${measure} on ${counts.questions(development.queries)}\n\n${formatTable([symbol, measure], rows)}\n` +
    (maximum === undefined ? '' : `"datasetMaximum": ${maximum}\n`) +
    `${symbol} = ${best}, on ${counted('{0} other [0:question|questions]', test.queries)}: ${percent(test.plain)} without, ${percent(test.tuned)} with; ` +
    `difference ${pointsOf(test.difference)} points [${pointsOf(test.low)}, ${pointsOf(test.high)}], ` +
    `${test.p === undefined ? 'circular' : `p = ${test.p.toFixed(3)}`} ` +
    `(${counts.questions(test.wins)} won, ${test.losses} lost). ${verdictOf(test)}\n`
  );
}

function verdictOf({ low, high, p }: Tuned['test']): string {
  if (p === undefined) return 'The judge both ordered passages and scored them, which certifies nothing.';
  if (low > 0) return 'It helps.';
  return high < 0 ? 'It harms.' : 'The interval includes zero: no effect is shown.';
}
