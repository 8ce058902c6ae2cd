/** `parallax eval --view answers`: whether retrieval improves the answers. */
import { counts } from '../../../core/counted.ts';
import {
  ANSWER_BASELINES,
  type AnswerBaseline,
  type AnswerDatasetView,
  type AnswerReport,
  type AnswerSourceView,
} from '../../../shared/answers.ts';
import { isNoResult } from '../../../core/judging/unreadable.ts';
import { MIN_JUDGED } from '../../../core/metrics/judgements.ts';
import { successName } from '../../../core/metrics/retrieval-success.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import { announceAnswers, answerDataset, goldNote, type AnswerSetup } from './answer-dataset.ts';
import { DATASETS_HELP } from '../../../cli/datasets.ts';
import { BUDGET_OPTION, describeStop, readBudget, SharedBudget } from '../../../cli/figure-judging.ts';
import { ALIGN_OPTIONS, readAlignment, type AlignValues } from './align-option.ts';
import { readJudge } from '../../../cli/options/judge-option.ts';
import { readPipelines } from '../../../cli/options/pipeline-option.ts';
import {
  BUDGET_SPENT,
  formatTable,
  parseCutoff,
  percent,
  pointsOf,
  required,
  UsageError,
} from '../../../cli/presentation/terminal.ts';
import { evaluationView } from '../../../cli/commands/views/view.ts';
import { keepsAnswers } from '../../../cli/kept-answers.ts';

export const answersView = evaluationView({
  usage: '--view answers --judge <json|name> ',
  options: {
    judge: {
      type: 'string',
      help: 'a judge as JSON, or its name: its chat model says which perspectives an answer represents',
    },
    generator: {
      type: 'string',
      help: 'a judge as JSON, or its name: its chat model writes the answers (default: the generator of\nparallax.json, or else the judge)',
    },
    k: {
      type: 'string',
      default: '5',
      help: 'how many passages an answer is written from, and the cutoff of the figures of retrieval (default 5)',
    },
    baseline: {
      type: 'string',
      multiple: true,
      help: 'none (the model by itself), gold (passages that the qrels know to support), or "no" for neither; may\nbe repeated (default both)',
    },
    ...ALIGN_OPTIONS,
    budget: BUDGET_OPTION,
  },
  notes: `The prompt asks to answer from the passages and to name them; it asks neither for several views nor for one. An
answer succeeds when it represents every perspective, or, where the question names gold answers ("answers" in its line
of the eval set), when it contains one of them, word for word but for case, accents, punctuation and articles. One of which that
cannot be said counts in no figure.
RAGAlign is the share of questions on which retrieval and the answer both succeed or both fail, where retrieval
succeeds by MRecall@k, by Hit@k, with any passage that supports, or by the measure of --align-measure; its graded
form is the correlation of a measure with success over questions (DREAM, appendix J). Keys come from the environment:
OPENAI_API_KEY is the key named openai.

${DATASETS_HELP}
The exit code is 3 when the budget was spent before every answer was there, and 1 when answers failed,
or more than a tenth of them, or of the verdicts on them, could not be read.
`,
  read: readSetup,
  async evaluate(dataset, setup, io) {
    await announceAnswers(dataset, setup, io);
    return answerDataset(dataset, setup, io);
  },
  report: joined,
  describe: (report) => describe(report),
  end(_, { store }, io, report) {
    if (report.error !== undefined) io.stderr(`Some answers failed. ${report.error}\n`);
    const noResult = noResultOf(report);
    if (noResult !== undefined) io.stderr(noResult);
    if (report.stopped) io.stderr(describeStop(keepsAnswers(store)));
    if (report.error !== undefined || noResult !== undefined) return 1;
    return report.stopped ? BUDGET_SPENT : 0;
  },
});

/**
 * A sentence if too many answers or verdicts were unreadable, so that the figures would describe the models instead of
 * retrieval.
 */
function noResultOf({ datasets, generator, judge }: AnswerReport): string | undefined {
  const answers = datasets.flatMap(({ queries }) => queries.flatMap((query) => query.answers));
  const written = answers.filter(({ state }) => state === 'judged' || state === 'unreadable');
  const unwritten = written.filter(({ state }) => state === 'unreadable').length;
  const verdicts = written.flatMap((answer) => answer.verdicts);
  const unread = verdicts.filter(({ unreadable }) => unreadable).length;
  const counts = [
    { unreadable: unwritten, answers: written.length, what: `answers of ${generator.name}` },
    { unreadable: unread, answers: verdicts.length, what: `verdicts of ${judge.name} on answers` },
  ];
  const lines = counts
    .filter(isNoResult)
    .map(
      ({ unreadable, answers: all, what }) =>
        `No result: ${unreadable} of ${all} ${what} could not be read. Look at the model's settings, or choose another.\n`,
    );
  return lines.length === 0 ? undefined : lines.join('');
}

interface Setup extends AnswerSetup {
  /** Includes judges given as JSON. */
  readonly config: ParallaxConfig;
}

function readSetup(
  values: {
    readonly pipeline?: readonly string[] | undefined;
    readonly judge?: string | undefined;
    readonly generator?: string | undefined;
    readonly k: string;
    readonly baseline?: readonly string[] | undefined;
    readonly budget?: string | undefined;
  } & AlignValues,
  config: ParallaxConfig,
): Setup {
  const configs = { ...config.judges };
  const judge = readJudge(required(values.judge, 'judge'), '--judge', configs);
  const generator =
    values.generator === undefined
      ? (config.generator ?? judge)
      : readJudge(values.generator, '--generator', configs);
  const k = parseCutoff(values.k);
  return {
    pipelines: readPipelines(values.pipeline, config),
    judge,
    generator,
    k,
    alignBy: readAlignment(values, k),
    baselines: readBaselines(values.baseline),
    budget: new SharedBudget(readBudget(values.budget)),
    config: { ...config, judges: configs },
  };
}

function readBaselines(texts: readonly string[] = ANSWER_BASELINES): AnswerBaseline[] {
  if (texts.length === 1 && texts[0] === 'no') return [];
  return texts.map((text) => {
    const baseline = ANSWER_BASELINES.find((known) => known === text);
    if (baseline) return baseline;
    throw new UsageError(
      `--baseline is ${ANSWER_BASELINES.join(' or ')}, or "no" for neither, not "${text}".`,
    );
  });
}

/** Joins reports on one data set each. */
function joined(reports: readonly AnswerReport[]): AnswerReport {
  const total = (pick: (work: AnswerReport['work']) => number): number =>
    reports.reduce((sum, { work }) => sum + pick(work), 0);
  const error = reports.find((report) => report.error !== undefined)?.error;
  return {
    ...reports[0]!,
    datasets: reports.flatMap(({ datasets }) => datasets),
    work: {
      requests: total(({ requests }) => requests),
      promptTokens: total(({ promptTokens }) => promptTokens),
      completionTokens: total(({ completionTokens }) => completionTokens),
    },
    stopped: reports.some(({ stopped }) => stopped),
    ...(error === undefined ? {} : { error }),
  };
}

function describe({ k, alignBy, generator, judge, datasets, work }: AnswerReport): string {
  return (
    `Answers of ${generator.model} (${generator.name}) from ${counts.passages(k)}, judged by ${judge.model} (${judge.name}); ` +
    `${counts.requests(work.requests)} now.\n` +
    `All figures in percent, except RAGAlign, which runs from 0 to 1, and correlations; in brackets 95% intervals of\n` +
    `a bootstrap over queries. Success is an answer that represents every perspective, share how many of them.\n` +
    (datasets.some(({ sources }) => isCited(sources)) ? CITATIONS : '') +
    `${goldNote(datasets.flatMap(({ sources }) => sources))}\n` +
    datasets.map((dataset) => describeDataset(dataset, k, alignBy)).join('\n')
  );
}

const CITATIONS =
  'Balance is how evenly words with citations that support are divided among the perspectives, attribution how many\n' +
  'of the represented ones cite a passage that supports them; both rest on the judgements of passages.\n';

function isCited(sources: readonly AnswerSourceView[]): boolean {
  return sources.some(({ balance, attribution }) => balance ?? attribution);
}

function describeDataset(dataset: AnswerDatasetView, k: number, alignBy: AnswerReport['alignBy']): string {
  const { name, evalSet, queries } = dataset;
  return [
    `${name === '' ? '' : `${name}: `}${counts.questions(queries.length)} of ${evalSet}.\n`,
    answersTable(dataset, k, alignBy),
    unjudgedLines(dataset, k),
    differencesTable(dataset),
    circularLines(dataset),
    correlationLines(dataset),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const NAMES: Readonly<Record<AnswerBaseline, string>> = { none: 'no retrieval', gold: 'gold passages' };

function answersTable({ sources }: AnswerDatasetView, k: number, alignBy: AnswerReport['alignBy']): string {
  const shown = [`MRecall@${k}`, `Judged@${k}`];
  const graded = `Precision@${k}`;
  const byGold = sources.some((source) => source.byGold > 0);
  const cites = isCited(sources);
  const counts = ['judged', ...(byGold ? ['by gold'] : []), 'undecided', 'unreadable', 'failed', 'open'];
  const aligned = ['RAGAlign', 'by Hit', ...(alignBy ? [`by ${successName(alignBy)}`] : [])];
  const rows = sources.map((source) => {
    const { kind, name, judged, undecided, unreadable, failed, open, success, share } = source;
    const { balance, attribution } = source;
    const { retrieval, alignment } = source;
    return [
      kind === 'pipeline' ? name : NAMES[kind],
      ...[judged, ...(byGold ? [source.byGold] : []), undecided, unreadable, failed, open].map(String),
      estimated(success, percent),
      estimated(share, percent),
      ...(cites ? [estimated(balance, percent), estimated(attribution, percent)] : []),
      ...shown.map((measure) => (measure in retrieval ? percent(retrieval[measure]!) : '')),
      ...[alignment?.ragAlign, alignment?.hit, ...(alignBy ? [alignment?.chosen] : [])].map(decimal),
      decimal(alignment?.graded[graded]),
    ];
  });
  const perspectives = ['success', 'share', ...(cites ? ['balance', 'attribution'] : [])];
  const header = ['answers from', ...counts, ...perspectives, ...shown, ...aligned, 'graded (Precision)'];
  return formatTable(header, rows);
}

/** Lines about answers without an alignment. */
function unjudgedLines({ sources }: AnswerDatasetView, k: number): string {
  return sources
    .flatMap(({ kind, name, alignment, judged, undecided, retrieval }) => {
      const share = retrieval[`Judged@${k}`];
      if (kind !== 'pipeline' || alignment || undecided === judged || share === undefined) return [];
      return (
        `${name}: ${percent(share)}% of what it retrieved is judged, and below ${100 * MIN_JUDGED}% no RAGAlign is given.\n` +
        `Have the passages judged first: parallax eval --judge …, with the same --store.\n`
      );
    })
    .join('');
}

function differencesTable({ sources }: AnswerDatasetView): string {
  const rows = sources.flatMap(({ name, differences }) =>
    differences.map(({ to, success, share }) => [
      name,
      NAMES[to],
      estimated(success, pointsOf),
      estimated(share, pointsOf),
      String(success?.queries ?? 0),
    ]),
  );
  if (rows.length === 0) return '';
  return (
    'Differences in percentage points, on the questions that both decided:\n\n' +
    formatTable(['answers from', 'compared to', 'success', 'share', 'queries'], rows, 2)
  );
}

/** Lines about answers that certify no gain. */
function circularLines({ sources }: AnswerDatasetView): string {
  return sources
    .flatMap(({ name, circular }) =>
      circular === undefined
        ? []
        : `${name} is circular: ${circular} both ordered its passages and judges what comes of them, so that its errors count as\ngains. Its figures certify nothing; have another model judge.\n`,
    )
    .join('');
}

function correlationLines({ correlations, sources }: AnswerDatasetView): string {
  const pipelines = sources.filter(({ kind }) => kind === 'pipeline').length;
  if (correlations.length === 0)
    return `Correlation over pipelines takes three of them with answers; there are ${pipelines}.\n`;
  const rows = correlations.map(({ measure, success, share }) => [measure, decimal(success), decimal(share)]);
  return (
    `Correlation with retrieval over ${correlations[0]!.pipelines} pipelines:\n\n` +
    formatTable(['measure', 'success', 'share'], rows)
  );
}

/** An estimate with its interval. Empty if there is nothing to estimate from. */
function estimated(estimate: AnswerSourceView['success'], format: (value: number) => string): string {
  if (!estimate) return '';
  const { value, low, high } = estimate;
  return `${format(value)} [${format(low)}, ${format(high)}]`;
}

const decimal = (value: number | null | undefined): string => value?.toFixed(2) ?? '';
