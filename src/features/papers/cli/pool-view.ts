/**
 * `parallax eval --view pool`: holes in the judgements of several pipelines' top k, and whether their pool is
 * saturated.
 */
import { judgeName } from '../../../core/facts.ts';
import { counted } from '../../../core/counted.ts';
import { POOL_MEASURES } from '../../../core/analysis/pooling.ts';
import { successName } from '../../../core/metrics/retrieval-success.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import type { JudgedLine } from '../../../core/formats/judged-qrels.ts';
import type { AnswerReport, AnswerSourceView } from '../../../shared/answers.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { JudgingReport } from '../../../shared/experiment.ts';
import {
  holeFigure,
  poolFigures,
  POOL_ORDERS,
  type PoolDatasetView,
  type PoolFigure,
  type PoolReport,
} from '../../../shared/pool.ts';
import { announceAnswers, answerDataset, goldNote, type AnswerSetup } from './answer-dataset.ts';
import { DATASETS_HELP, type Dataset } from '../../../cli/datasets.ts';
import {
  BUDGET_OPTION,
  describeJudging,
  describeStop,
  judgingExitCode,
  readJudging,
  type Judging,
} from '../../../cli/figure-judging.ts';
import { ALIGN_OPTIONS, readAlignment, type AlignValues } from './align-option.ts';
import { readJudge } from '../../../cli/options/judge-option.ts';
import { readPipelines } from '../../../cli/options/pipeline-option.ts';
import { WRITE_QRELS_OPTION, writeQrels } from '../../../cli/options/write-qrels.ts';
import { isCutShort, runExperiment } from '../../../cli/run-experiment.ts';
import {
  BUDGET_SPENT,
  formatTable,
  parseCutoff,
  percent,
  UsageError,
  type Io,
} from '../../../cli/presentation/terminal.ts';
import { evaluationView } from '../../../cli/commands/views/view.ts';
import { keepsAnswers } from '../../../cli/kept-answers.ts';

interface JudgedPool extends PoolDatasetView {
  readonly judging: JudgingReport;
  readonly answers?: PoolAnswers;
}

/** With a generator: whether answers succeed if retrieval does, before and after the holes were filled. */
interface PoolAnswers {
  /** Names of judges. */
  readonly generator: string;
  readonly judge: string;
  readonly pipelines: readonly (Pick<
    AnswerSourceView,
    'name' | 'judged' | 'byGold' | 'success' | 'before'
  > & {
    readonly after: AnswerSourceView['alignment'];
  })[];
  readonly alignBy?: AnswerReport['alignBy'];
  /** Whether the budget ran out before every answer was written. */
  readonly stopped: boolean;
  /** The error of the first failed answer. */
  readonly error?: string;
}

export const poolView = evaluationView({
  usage: '--view pool --judge <json|name> ',
  options: {
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
    'write-qrels': WRITE_QRELS_OPTION,
    generator: {
      type: 'string',
      help: "a judge as JSON, or its name: its chat model answers every question from each pipeline's top k, for RAGAlign\nbefore and after the holes are filled (DREAM, table 6)",
    },
    'answers-judge': {
      type: 'string',
      help: 'with --generator, who says which perspectives an answer represents (default: --judge, which must be a\nchat model then)',
    },
    ...ALIGN_OPTIONS,
  },
  notes: `Holes are pairs of a passage and a perspective that the qrels do not know to support each other, and the judge
does. The pool is saturated when the last pipeline adds less than 1% to the holes, and judging a pipeline's own
passages changes neither MRecall nor Precision by 1 percentage point (DREAM, section 4.3). Curves are means over
${POOL_ORDERS} random orders of the pipelines.

${DATASETS_HELP}
The exit code is 3 when the budget was spent before all was judged, and 1 when pairs have no answer.
`,
  read(values, config): WantedPool {
    const pipelines = readPipelines(values.pipeline, config);
    const judging = readJudging(values, config, 'everything');
    if (!judging) throw new UsageError('--judge is missing.');
    const k = parseCutoff(values.k);
    const answering = readAnswering(values, { ...judging, pipelines, k });
    const lines = values['write-qrels'] !== undefined;
    return { pipelines, k, judging, answering, lines, config: answering?.config ?? judging.config };
  },
  evaluate: poolOf,
  report(results, { k, judging: { judge } }): JudgedPoolReport {
    const datasets = results.map(({ pool }) => pool);
    return { k, judge, heuristic: datasets[0]!.judging.heuristic, orders: POOL_ORDERS, datasets };
  },
  describe: ({ k, datasets }) => datasets.map((dataset) => describe(dataset, k)).join('\n'),
  async end(results, { store, 'write-qrels': file }, io, { datasets }) {
    const judged = results.map(({ pool: { name }, lines }) => ({ name, lines }));
    await writeQrels(file, judged, io);
    const reports = datasets.map((dataset) => dataset.judging);
    const code = judgingExitCode(reports, keepsAnswers(store), io);
    const isPartial = datasets.some((dataset) => dataset.pipelines.some(({ queryErrors }) => queryErrors));
    for (const { answers } of datasets)
      if (answers?.error !== undefined) io.stderr(`Some answers failed. ${answers.error}\n`);
    const isUnanswered = datasets.some(({ answers }) => answers?.error !== undefined);
    if (code === 0 && datasets.some(({ answers }) => answers?.stopped)) return stopped(store, io);
    return code === 0 && (isPartial || isUnanswered) ? 1 : code;
  },
});

interface JudgedPoolReport extends Omit<PoolReport, 'datasets'> {
  readonly datasets: readonly JudgedPool[];
}

/** The models that answer queries and judge the answers. */
interface Answering extends AnswerSetup {
  /** Includes judges given as JSON. */
  readonly config: ParallaxConfig;
}

function readAnswering(
  values: {
    readonly generator?: string | undefined;
    readonly 'answers-judge'?: string | undefined;
  } & AlignValues,
  { pipelines, k, judge, budget, config }: Judging & Pick<AnswerSetup, 'pipelines' | 'k'>,
): Answering | undefined {
  const { generator, 'answers-judge': answersJudge } = values;
  const alignBy = readAlignment(values, k);
  if (generator === undefined) {
    if (alignBy) throw new UsageError('--align-measure needs a --generator.');
    if (answersJudge !== undefined) throw new UsageError('--answers-judge needs a --generator.');
    return undefined;
  }
  const judges = { ...config.judges };
  return {
    pipelines,
    k,
    budget,
    baselines: [],
    filledBy: judge,
    successOnly: true,
    alignBy,
    generator: readJudge(generator, '--generator', judges),
    judge: answersJudge === undefined ? judge : readJudge(answersJudge, '--answers-judge', judges),
    config: { ...config, judges },
  };
}

function stopped(store: string | undefined, io: Io): number {
  io.stderr(describeStop(keepsAnswers(store)));
  return BUDGET_SPENT;
}

interface WantedPool {
  readonly config: ParallaxConfig;
  readonly pipelines: readonly NamedPipeline[];
  readonly k: number;
  readonly judging: Judging;
  readonly answering: Answering | undefined;
  /** Whether to write all judgements. */
  readonly lines: boolean;
}

async function poolOf(
  dataset: Dataset,
  { pipelines, k, judging, answering, lines: wantsLines }: WantedPool,
  io: Io,
): Promise<{ readonly pool: JudgedPool; readonly lines: readonly JudgedLine[] }> {
  // Before anything is paid for, so that an unusable model is detected now.
  if (answering) await announceAnswers(dataset, answering, io);
  const task = { pipelines, k, judging, pool: true, lines: wantsLines };
  const report = await runExperiment(dataset, task, io);
  const { pool, lines = [] } = report;
  const stopped = report.judging!.stopped || isCutShort([report]);
  const poolReport = { ...pool!, corpus: dataset.corpus, judging: { ...report.judging!, stopped } };
  if (!answering) return { pool: poolReport, lines };
  const answers = await answerDataset(dataset, answering, io);
  return { pool: { ...poolReport, answers: answersOf(answers) }, lines };
}

function answersOf({ generator, judge, alignBy, datasets, stopped, error }: AnswerReport): PoolAnswers {
  return {
    generator: generator.name,
    judge: judge.name,
    pipelines: datasets[0]!.sources.map(({ name, judged, byGold, success, before, alignment }) => ({
      name,
      judged,
      byGold,
      success,
      before,
      after: alignment,
    })),
    ...(alignBy ? { alignBy } : {}),
    stopped,
    ...(error === undefined ? {} : { error }),
  };
}

function describe(dataset: JudgedPool, k: number): string {
  const { name, saturation, judging } = dataset;
  return (
    `${name === '' ? '' : `${name}: `}${describeJudging(judging)}` +
    poolCounts(dataset) +
    `All figures in percent; ranks from 1.\n\n` +
    `${pipelineTable(dataset, k)}\n${growthTable(dataset)}\n${saturation.sentence}\n` +
    stagesTable(dataset) +
    answersTable(dataset.answers, k)
  );
}

function poolCounts({ pairs, judgedBefore, judgedAfter, holes, judging }: JudgedPool): string {
  if (pairs === 0) return 'Nothing was retrieved that could be judged.\n';
  return (
    `${counted('{0} of {1} [1:pair is|pairs are] judged', judgedBefore, pairs)} without ${judgeName(judging)}, ${judgedAfter} with it; ` +
    counted('{0} [0:hole was|holes were] found.\n', holes)
  );
}

function answersTable(answers: PoolAnswers | undefined, k: number): string {
  if (!answers) return '';
  const shown = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(2));
  const { alignBy, pipelines } = answers;
  const byGold = pipelines.some((pipeline) => pipeline.byGold > 0);
  const kinds: [title: string, of: (alignment: AnswerSourceView['alignment']) => number | undefined][] = [
    [`by Hit@${k}`, (alignment) => alignment?.hit],
    [`by MRecall@${k}`, (alignment) => alignment?.ragAlign],
  ];
  if (alignBy) kinds.push([`by ${successName(alignBy)}`, (alignment) => alignment?.chosen]);
  const rows = pipelines.map(({ name, judged, byGold: ofGold, success, before, after }) => [
    name,
    ...[judged, ...(byGold ? [ofGold] : [])].map(String),
    success ? percent(success.value) : '',
    ...kinds.flatMap(([, of]) => [shown(of(before)), shown(of(after))]),
  ]);
  const titles = kinds.flatMap(([title]) => [title, 'now']);
  const header = ['pipeline', 'answers', ...(byGold ? ['by gold'] : []), 'success', ...titles];
  return (
    `\nAnswers of ${answers.generator}, judged by ${answers.judge}: RAGAlign, from 0 to 1, is the share of questions on which\n` +
    `retrieval and the answer both succeed or both fail.\n${goldNote(pipelines)}\n${formatTable(header, rows)}`
  );
}

function pipelineTable(dataset: PoolDatasetView, k: number): string {
  const shown = [`MRecall@${k}`, `Precision@${k}`];
  const header = [
    'pipeline',
    `Hole@${k}`,
    `Judged@${k}`,
    'now',
    ...shown.flatMap((name) => [name, 'now', 'rank']),
  ];
  const rows = dataset.pipelines.map((pipeline) => {
    const hole = holeFigure(dataset, pipeline);
    return [
      pipeline.name,
      hole === null ? NONE : percent(hole),
      ...[pipeline.judgedBefore, pipeline.judgedAfter].map(percent),
      ...shown.flatMap((measure) => {
        const { before, after } = poolFigures(pipeline, measure);
        const { rankBefore, rankAfter } = pipeline.measures[measure]!;
        const rank =
          rankBefore === rankAfter ? rankText(rankAfter) : `${rankText(rankBefore)} → ${rankText(rankAfter)}`;
        return [figureText(before), figureText(after), rank];
      }),
    ];
  });
  const isOpen = [dataset.basis.before, dataset.basis.after].includes('open');
  return formatTable(header, rows) + (isOpen ? OPEN_NOTE : '');
}

function stagesTable({ stages }: JudgedPool): string {
  if (!stages) return '';
  const { candidates, kept, rounds } = stages;
  const header = [
    'pairs judged',
    ...(kept === undefined ? [] : ['kept by the filter']),
    ...rounds.flatMap((_, place) => [`agreed in round ${place + 1}`, 'not']),
  ];
  const row = [
    candidates,
    ...(kept === undefined ? [] : [kept]),
    ...rounds.flatMap(({ agreed, open }) => [agreed, open]),
  ];
  return `\n${formatTable(header, [row.map(String)], 0)}`;
}

const NONE = '–';
const OPEN_NOTE =
  `${NONE}: nothing is judged that could count, or, of a rank, too little to compare it. ≥: what is unjudged may still\n` +
  'raise it.\n';

const rankText = (rank: number | null): string => (rank === null ? NONE : String(rank));

function figureText({ value, isLeast }: PoolFigure): string {
  if (value === null) return NONE;
  return `${isLeast ? '≥ ' : ''}${percent(value)}`;
}

function growthTable({ growth, marginal }: PoolDatasetView): string {
  const rows = growth.holes.map((holes, place) => {
    const rate = growth.rate[place] ?? null;
    return [
      String(place + 1),
      holes.toFixed(1),
      rate === null ? '' : percent(rate),
      ...POOL_MEASURES.map((measure) => percent(marginal[measure][place]!)),
    ];
  });
  const header = [
    'pipelines in the pool',
    'holes',
    'growth rate',
    ...POOL_MEASURES.map((measure) => `${measure} ±`),
  ];
  return (
    `${formatTable(header, rows)}` +
    `± is by how much a figure of a pipeline changes when it joins the pool as this one. Hit, Recall and nDCG count a passage\n` +
    `that supports any perspective as relevant, among those that the same pool knows (DREAM, Figure 3).\n`
  );
}
