/** `parallax pool`: holes in the judgements of several pipelines' top k, and whether their pool is saturated. */
import type { NamedPipeline } from '../../core/pipeline.ts';
import type { JudgingReport } from '../../shared/experiment.ts';
import { POOL_ORDERS, type PoolDatasetView, type PoolReport } from '../../shared/pool.ts';
import { DATASET_COLUMN, DATASET_OPTIONS, DATASETS_HELP, forEachDataset, type Dataset } from '../datasets.ts';
import {
  BUDGET_OPTION,
  describeJudging,
  judgingExitCode,
  readJudging,
  type Judging,
} from '../figure-judging.ts';
import { readPipelines } from '../options/pipeline-option.ts';
import { readConfig } from '../options/read-config.ts';
import { runExperiment } from '../run-experiment.ts';
import {
  formatTable,
  parseCutoff,
  percent,
  UsageError,
  writeJson,
  type Io,
} from '../presentation/terminal.ts';
import { command } from './command.ts';

interface JudgedPool extends PoolDatasetView {
  readonly judging: JudgingReport;
}

export const poolCommand = command({
  usage:
    'parallax pool --corpus <file|folder> --queries <file> --qrels <file> --judge <json|name> --pipeline <json|name> …',
  options: {
    ...DATASET_OPTIONS,
    pipeline: {
      type: 'string',
      multiple: true,
      help: 'a pipeline as JSON, or its name; may be repeated: together they are the pool',
    },
    judge: {
      type: 'string',
      help: 'a judge as JSON, or its name: judges every pair of the pool that the qrels leave open',
    },
    budget: BUDGET_OPTION,
    k: {
      type: 'string',
      default: '10',
      help: 'how deep the pipelines are pooled, and the cutoff of the figures (default 10)',
    },
  },
  column: DATASET_COLUMN,
  notes: `Holes are pairs of a passage and a perspective that the qrels do not know to support each other, and the judge
does. The pool is saturated when the last pipeline adds less than 1% to the holes, and judging a pipeline's own
passages changes neither MRecall nor Precision by 1 percentage point (DREAM, section 4.3). Curves are means over
${POOL_ORDERS} random orders of the pipelines.

${DATASETS_HELP}
The exit code is 3 when the budget was spent before all was judged, and 1 when pairs have no answer.
`,
  async run({ values }, io) {
    const config = await readConfig(values.config);
    const pipelines = readPipelines(values.pipeline, config);
    const judging = readJudging(values, config, 'everything');
    if (!judging) throw new UsageError('--judge is missing.');
    const k = parseCutoff(values.k);
    const datasets = await forEachDataset(values, judging.config, io, (dataset) =>
      poolOf(dataset, pipelines, k, judging, io),
    );
    const { heuristic } = datasets[0]!.judging;
    const report: PoolReport = { k, judge: judging.judge, heuristic, orders: POOL_ORDERS, datasets };
    if (values.json !== '-') io.stdout(datasets.map((dataset) => describe(dataset, k)).join('\n'));
    if (values.json !== undefined) await writeJson(values.json, report, io);
    const reports = datasets.map((dataset) => dataset.judging);
    const code = judgingExitCode(reports, values.store !== undefined, io);
    const isPartial = datasets.some((dataset) => dataset.pipelines.some(({ queryErrors }) => queryErrors));
    return code === 0 && isPartial ? 1 : code;
  },
});

async function poolOf(
  dataset: Dataset,
  pipelines: readonly NamedPipeline[],
  k: number,
  judging: Judging,
  io: Io,
): Promise<JudgedPool> {
  const { pool, judging: report } = await runExperiment(dataset, { pipelines, k, judging, pool: true }, io);
  return { ...pool!, corpus: dataset.corpus, judging: report! };
}

function describe(dataset: JudgedPool, k: number): string {
  const { name, pairs, judgedBefore, judgedAfter, holes, saturation, judging } = dataset;
  return (
    `${name === '' ? '' : `${name}: `}${describeJudging(judging)}` +
    `${judgedBefore} of ${pairs} pairs were judged before, ${judgedAfter} are now; ${holes} holes were found.\n` +
    `All figures in percent; ranks from 1.\n\n` +
    `${pipelineTable(dataset, k)}\n${growthTable(dataset)}\n${saturation.sentence}\n`
  );
}

function pipelineTable({ pipelines }: PoolDatasetView, k: number): string {
  const shown = [`MRecall@${k}`, `Precision@${k}`];
  const header = [
    'pipeline',
    `Hole@${k}`,
    `Judged@${k}`,
    'now',
    ...shown.flatMap((name) => [name, 'now', 'rank']),
  ];
  const rows = pipelines.map(({ name, hole, judgedBefore, judgedAfter, measures }) => [
    name,
    ...[hole, judgedBefore, judgedAfter].map(percent),
    ...shown.flatMap((measure) => {
      const { before, after, rankBefore, rankAfter } = measures[measure]!;
      const rank = rankBefore === rankAfter ? String(rankAfter) : `${rankBefore} → ${rankAfter}`;
      return [percent(before), percent(after), rank];
    }),
  ]);
  return formatTable(header, rows);
}

function growthTable({ growth, marginal }: PoolDatasetView): string {
  const rows = growth.holes.map((holes, place) => {
    const rate = growth.rate[place] ?? null;
    return [
      String(place + 1),
      holes.toFixed(1),
      rate === null ? '' : percent(rate),
      percent(marginal.MRecall[place]!),
      percent(marginal.Precision[place]!),
    ];
  });
  const header = [
    'pipelines in the pool',
    'holes',
    'growth rate',
    'MRecall changes by',
    'Precision changes by',
  ];
  return (
    `${formatTable(header, rows)}` + `The changes are those of a pipeline that joins the pool as this one.\n`
  );
}
