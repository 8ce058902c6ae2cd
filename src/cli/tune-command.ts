/** `parallax tune`: chooses the λ of a reranker on a development split, and reports on the test split. */
import { splitQueries } from '../core/analysis/split.ts';
import { ParallaxError } from '../core/errors.ts';
import { parseEvalSet } from '../core/formats/queries.ts';
import { parseQrels } from '../core/formats/trec.ts';
import { measureDifferences } from '../core/metrics/differences.ts';
import { parseMeasure } from '../core/metrics/measures.ts';
import type { Qrels, Query } from '../core/model.ts';
import { parsePipeline, type Pipeline } from '../core/pipeline.ts';
import { evaluatePipeline, type PipelineEvaluation } from '../engine/evaluation/evaluate-pipelines.ts';
import {
  openPaths,
  progressLine,
  readConfig,
  readPipeline,
  readSplit,
  type LocalCorpus,
} from './local-corpus.ts';
import { formatTable, readInput, readOptions, required, UsageError, writeJson, type Io } from './terminal.ts';

const HELP = `parallax tune --corpus <file|folder> --queries <file> --qrels <file> --pipeline <json|name>

  --pipeline  a pipeline whose last reranker has a λ: mmr, xquad or pm2
  --lambdas   values to try (default 0.5,0.75,0.9,0.95,0.99, those of BERDS)
  --measure   what to choose by (default MRecall@5)
  --share     share of the queries to choose on (default 0.5); the rest is only reported on
  --split     how documents become passages (default none)
  --store     keep the index in this folder
  --json      also write the figures as JSON to a file; - writes JSON, and nothing else, to standard output
  --config    parallax.json with pipelines and embedders (default: the one in this folder, if any)
`;

/** @returns the exit code */
export async function tuneCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    corpus: { type: 'string' },
    queries: { type: 'string' },
    qrels: { type: 'string' },
    pipeline: { type: 'string' },
    lambdas: { type: 'string', default: '0.5,0.75,0.9,0.95,0.99' },
    measure: { type: 'string', default: 'MRecall@5' },
    share: { type: 'string', default: '0.5' },
    split: { type: 'string', default: 'none' },
    store: { type: 'string' },
    json: { type: 'string' },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const config = await readConfig(values.config);
  const { name, pipeline } = readPipeline(required(values.pipeline, 'pipeline'), config);
  const lambdas = readShares(values.lambdas, 'lambdas');
  const [share = 0.5] = readShares(values.share, 'share');
  const queriesFile = required(values.queries, 'queries');
  const { queries } = await readInput(queriesFile, (text) => parseEvalSet(text, queriesFile));
  const { qrels } = await readInput(required(values.qrels, 'qrels'), (text) => parseQrels(text));
  const local = await openPaths(
    {
      paths: [required(values.corpus, 'corpus')],
      store: values.store,
      split: readSplit(values.split),
      config,
    },
    io,
  );
  try {
    await local.corpus.update({ onProgress: progressLine(io, 'Indexing') });
    const scorer = new Scorer(local, qrels, values.measure, io);
    const report = await tune(scorer, pipeline, splitQueries(queries, share), lambdas);
    if (values.json !== '-') io.stdout(describe(name, values.measure, report));
    if (values.json !== undefined)
      await writeJson(values.json, { name, measure: values.measure, ...report }, io);
    return 0;
  } finally {
    await local.close();
  }
}

interface TuneReport {
  readonly development: {
    readonly queries: number;
    readonly scores: readonly { lambda: number; score: number }[];
  };
  readonly best: number;
  /** On queries that had no part in the choice. */
  readonly test: {
    readonly queries: number;
    readonly plain: number;
    readonly tuned: number;
    readonly difference: number;
    readonly low: number;
    readonly high: number;
  };
}

async function tune(
  scorer: Scorer,
  pipeline: Pipeline,
  { development, test }: ReturnType<typeof splitQueries<Query>>,
  lambdas: readonly number[],
): Promise<TuneReport> {
  if (development.length === 0 || test.length === 0)
    throw new ParallaxError(
      'bad-argument',
      'There are too few queries to choose on some and report on others.',
    );
  const scores: { lambda: number; score: number }[] = [];
  for (const lambda of lambdas) {
    const evaluation = await scorer.evaluate(withLambda(pipeline, lambda), development);
    scores.push({ lambda, score: scorer.scoreOf(evaluation) });
  }
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a)).lambda;
  const plain = await scorer.evaluate({ ...pipeline, rerank: pipeline.rerank.slice(0, -1) }, test);
  const tuned = await scorer.evaluate(withLambda(pipeline, best), test);
  const { difference, low, high } = measureDifferences(plain.scores, tuned.scores)[scorer.measure]!;
  return {
    development: { queries: development.length, scores },
    best,
    test: {
      queries: test.length,
      plain: scorer.scoreOf(plain),
      tuned: scorer.scoreOf(tuned),
      difference,
      low,
      high,
    },
  };
}

class Scorer {
  readonly measure: string;
  readonly #local: LocalCorpus;
  readonly #qrels: Qrels;
  readonly #io: Io;

  constructor(local: LocalCorpus, qrels: Qrels, measure: string, io: Io) {
    this.#local = local;
    this.#qrels = qrels;
    this.measure = measure;
    this.#io = io;
  }

  evaluate(pipeline: Pipeline, queries: readonly Query[]): Promise<PipelineEvaluation> {
    const { corpus, services } = this.#local;
    const judged = new Map(
      queries.flatMap(({ id }) => (this.#qrels.has(id) ? [[id, this.#qrels.get(id)!]] : [])),
    );
    const measures = [parseMeasure(this.measure)];
    const onProgress = progressLine(this.#io, 'Trying');
    return evaluatePipeline(corpus, pipeline, queries, judged, measures, pipeline.candidates, services, {
      onProgress,
    });
  }

  scoreOf({ scores }: PipelineEvaluation): number {
    return scores.mean[this.measure] ?? 0;
  }
}

/** The pipeline with this λ in its last reranker. */
function withLambda(pipeline: Pipeline, lambda: number): Pipeline {
  const last = pipeline.rerank.at(-1);
  if (!last || !('lambda' in last))
    throw new UsageError('--pipeline needs a last reranker with a λ: mmr, xquad or pm2.');
  return parsePipeline({ ...pipeline, rerank: [...pipeline.rerank.slice(0, -1), { ...last, lambda }] });
}

function readShares(text: string, option: string): number[] {
  const shares = text.split(',').map(Number);
  if (shares.some((share) => !(share >= 0 && share <= 1)))
    throw new UsageError(`--${option} takes numbers from 0 to 1, separated by commas, not "${text}".`);
  return shares;
}

function describe(name: string, measure: string, { development, best, test }: TuneReport): string {
  const percent = (share: number): string => (share * 100).toFixed(1);
  const rows = development.scores.map(({ lambda, score }) => [String(lambda), percent(score)]);
  const verdict =
    test.low > 0
      ? 'It helps.'
      : test.high < 0
        ? 'It harms.'
        : 'The interval includes zero: no effect is shown.';
  return (
    `${name}: chosen by ${measure} on ${development.queries} queries\n\n${formatTable(['λ', measure], rows)}\n` +
    `λ = ${best}, on ${test.queries} other queries: ${percent(test.plain)} without, ${percent(test.tuned)} with; ` +
    `difference ${percent(test.difference)} points [${percent(test.low)}, ${percent(test.high)}]. ${verdict}\n`
  );
}
