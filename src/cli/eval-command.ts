/** `parallax eval`: scores pipelines on queries with judgements. */
import { parseEvalSet } from '../core/formats/queries.ts';
import { parseQrels } from '../core/formats/trec.ts';
import { measureDifferences } from '../core/metrics/differences.ts';
import type { RunEvaluation } from '../core/metrics/evaluate.ts';
import { measuresAt } from '../core/metrics/measures.ts';
import type { PairedDifference } from '../core/statistics/bootstrap.ts';
import type { Qrels, Query } from '../core/model.ts';
import type { Pipeline } from '../core/pipeline.ts';
import { evaluatePipeline, type PipelineEvaluation } from '../engine/evaluation/evaluate-pipelines.ts';
import type { PipelineServices } from '../engine/retrieval/run-pipeline.ts';
import type { CorpusIndex } from '../engine/corpus-index.ts';
import {
  formatSkipped,
  openPaths,
  progressLine,
  readConfig,
  readPipeline,
  readSplit,
} from './local-corpus.ts';
import {
  formatTable,
  parseCutoffs,
  readInput,
  readOptions,
  required,
  UsageError,
  writeJson,
  type Io,
} from './terminal.ts';

const HELP = `parallax eval --corpus <file|folder> --queries <file> --qrels <file> --pipeline <json|name> …

  --corpus    a corpus file (BEIR corpus.jsonl and the like) or a folder
  --queries   queries with their perspectives, JSONL
  --qrels     TREC qrels, plain or diversity (query perspective passage relevance)
  --pipeline  a pipeline as JSON, or its name: bm25, dense, hybrid, or one of parallax.json; may be repeated
  --k         cutoffs, separated by commas (default 5,10)
  --split     how documents become passages (default none: a record or document is one passage)
  --store     keep the index in this folder, so that the next run starts warm
  --json      also write everything as JSON to a file; - writes JSON, and nothing else, to standard output
  --config    parallax.json with pipelines and embedders (default: the one in this folder, if any)
`;

interface NamedPipeline {
  readonly name: string;
  readonly pipeline: Pipeline;
}

/** What `--json` writes per pipeline. */
interface PipelineReport extends NamedPipeline {
  readonly metrics: Readonly<Record<string, number>>;
  /** Share of the retrieved passages that were judged for the query, per cutoff. */
  readonly judged: Readonly<Record<string, number>>;
  /** To the first pipeline, with 95% intervals; absent for the first itself. */
  readonly differences?: Readonly<Record<string, PairedDifference>>;
  readonly queries: readonly { readonly id: string; readonly metrics: Readonly<Record<string, number>> }[];
}

/** @returns the exit code */
export async function evalCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    corpus: { type: 'string' },
    queries: { type: 'string' },
    qrels: { type: 'string' },
    pipeline: { type: 'string', multiple: true },
    k: { type: 'string', default: '5,10' },
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
  if (!values.pipeline) throw new UsageError('--pipeline is missing.');
  const pipelines = values.pipeline.map((text) => readPipeline(text, config));
  const cutoffs = parseCutoffs(values.k);
  const queriesFile = required(values.queries, 'queries');
  const qrelsFile = required(values.qrels, 'qrels');
  const corpusPath = required(values.corpus, 'corpus');
  const evalSet = await readInput(queriesFile, (text) => parseEvalSet(text, queriesFile));
  const judgements = await readInput(qrelsFile, (text) => parseQrels(text));
  for (const warning of [...evalSet.warnings, ...judgements.warnings]) io.stderr(`warning: ${warning}\n`);
  warnOfUnknownQueries(evalSet.queries, judgements.qrels, io);

  const { corpus, services, close } = await openPaths(
    { paths: [corpusPath], store: values.store, split: readSplit(values.split), config },
    io,
  );
  try {
    await corpus.update({ onProgress: progressLine(io, 'Indexing') });
    for (const line of formatSkipped(corpus.skipped)) io.stderr(line);
    warnOfUnknownPassages(corpus, judgements.qrels, io);
    const reports: PipelineReport[] = [];
    let baseline: RunEvaluation | undefined;
    for (const { name, pipeline } of pipelines) {
      const evaluation = await evaluatePipeline(
        corpus,
        pipeline,
        evalSet.queries,
        judgements.qrels,
        measuresAt(cutoffs),
        Math.max(...cutoffs, pipeline.candidates),
        judgedByQrels(services, judgements.qrels, corpus),
        { onProgress: progressLine(io, name) },
      );
      reports.push(reportOf(name, evaluation, cutoffs, baseline));
      baseline ??= evaluation.scores;
    }
    if (values.json !== '-')
      io.stdout(
        describe(reports, cutoffs, judgements.qrels.size, qrelsFile) + describeDifferences(reports, cutoffs),
      );
    if (values.json !== undefined) await writeJson(values.json, { pipelines: reports }, io);
    return 0;
  } finally {
    await close();
  }
}

function reportOf(
  name: string,
  { pipeline, scores }: PipelineEvaluation,
  cutoffs: readonly number[],
  baseline: RunEvaluation | undefined,
): PipelineReport {
  return {
    name,
    pipeline,
    metrics: scores.mean,
    judged: Object.fromEntries(cutoffs.map((k) => [`@${k}`, scores.mean[`Judged@${k}`] ?? 0])),
    ...(baseline ? { differences: measureDifferences(baseline, scores) } : {}),
    queries: [...scores.perTopic].map(([id, metrics]) => ({ id, metrics })),
  };
}

/** The measures that the terminal shows; `--json` has all. */
const SHOWN = ['MRecall', 'Precision', 'StRecall', 'alpha_nDCG', 'nDCG', 'Judged'];

function describe(
  reports: readonly PipelineReport[],
  cutoffs: readonly number[],
  queries: number,
  qrels: string,
): string {
  const columns = cutoffs
    .flatMap((k) => SHOWN.map((family) => `${family}@${k}`))
    .filter((name) => reports.some(({ metrics }) => name in metrics));
  const rows = reports.map(({ name, metrics }) => [
    name,
    ...columns.map((column) => ((metrics[column] ?? 0) * 100).toFixed(1)),
  ]);
  return (
    `${queries} queries; judgements: ${qrels}. All figures in percent; unjudged passages count as not supporting,\n` +
    `and Judged@k says how many of the passages in the top k were judged at all.\n\n${formatTable(['pipeline', ...columns], rows)}`
  );
}

/** The measures whose differences the terminal shows. */
const COMPARED = ['MRecall', 'Precision'];

/** Differences to the first pipeline in percentage points; `≈` where the interval includes zero. */
function describeDifferences(reports: readonly PipelineReport[], cutoffs: readonly number[]): string {
  const [first, ...others] = reports;
  if (!first || others.length === 0) return '';
  const names = cutoffs
    .flatMap((k) => COMPARED.map((family) => `${family}@${k}`))
    .filter((name) => name in first.metrics);
  const points = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;
  const cell = (report: PipelineReport, name: string): string => {
    const found = report.differences?.[name];
    if (!found) return '';
    const { difference, low, high } = found;
    return `${low <= 0 && high >= 0 ? '≈ ' : ''}${points(difference)} [${points(low)}, ${points(high)}]`;
  };
  const rows = others.map((report) => [report.name, ...names.map((name) => cell(report, name))]);
  return (
    `\nDifferences to ${first.name} in percentage points, 95% intervals of a paired bootstrap over queries;\n` +
    `≈ marks those whose interval includes zero.\n\n${formatTable(['pipeline', ...names], rows)}`
  );
}

function warnOfUnknownQueries(queries: readonly Query[], qrels: Qrels, io: Io): void {
  const known = new Set(queries.map(({ id }) => id));
  const missing = [...qrels.keys()].filter((id) => !known.has(id));
  if (missing.length > 0)
    io.stderr(
      `warning: ${missing.length} of ${qrels.size} judged queries are not among the queries and count zero.\n`,
    );
}

function warnOfUnknownPassages(corpus: CorpusIndex, qrels: Qrels, io: Io): void {
  const judged = new Set(
    [...qrels.values()].flatMap((topic) => [...topic.values()].flatMap((passages) => [...passages.keys()])),
  );
  const missing = [...judged].filter((id) => !corpus.passageById(id)).length;
  if (missing > 0)
    io.stderr(
      `warning: ${missing} of ${judged.size} judged passages are not in the corpus; check ids and --split.\n`,
    );
}

/** In an evaluation the qrels are the human labels: a coverage reranker that asks `labels` asks them. */
export function judgedByQrels(
  services: PipelineServices,
  qrels: Qrels,
  corpus: CorpusIndex,
): PipelineServices {
  return {
    propose: (...args) => services.propose(...args),
    rewrite: (...args) => services.rewrite(...args),
    verdicts: async (judge, query, pairs, work) => {
      if (judge !== 'labels') return services.verdicts(judge, query, pairs, work);
      const topic = query.id === undefined ? undefined : qrels.get(query.id);
      return pairs.map(({ slot, perspective }) => {
        const relevance = topic?.get(perspective.id)?.get(corpus.passageId(slot));
        return relevance === undefined ? undefined : relevance > 0 ? 'yes' : 'no';
      });
    },
  };
}
