/** Answers the questions of a data set, and reports notes on standard error. */
import { effortText } from '../../../core/facts.ts';
import { counted } from '../../../core/counted.ts';
import type { AnswerBaseline, AnswerReport } from '../../../shared/answers.ts';
import type { RetrievalSuccess } from '../../../core/metrics/retrieval-success.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import { warnOfLeftOut, type Dataset } from '../../../cli/datasets.ts';
import { type SharedBudget } from '../../../cli/figure-judging.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { UsageError, type Io } from '../../../cli/presentation/terminal.ts';
import { askedDataset } from '../../../cli/run-experiment.ts';

/** The same for all data sets. */
export interface AnswerSetup {
  readonly pipelines: readonly NamedPipeline[];
  /** The number of passages that an answer is written from, and the cutoff of the figures of retrieval. */
  readonly k: number;
  readonly baselines: readonly AnswerBaseline[];
  /** Names of the judges whose models write and judge the answers. */
  readonly generator: string;
  readonly judge: string;
  /** The judge that fills holes: its answers about passages count after filling, and not before; see `answers`. */
  readonly filledBy?: string | undefined;
  /** A measure of retrieval for RAGAlign, in addition to MRecall and Hit. */
  readonly alignBy?: RetrievalSuccess | undefined;
  /** Whether only success is shown. */
  readonly successOnly?: boolean;
  readonly budget: SharedBudget;
}

/**
 * Reports the number of answers to request. @throws UsageError for queries without perspectives; ParallaxError for the
 * request
 */
export async function announceAnswers(dataset: Dataset, setup: AnswerSetup, io: Io): Promise<void> {
  const { name, local } = dataset;
  if (dataset.queries.every(({ perspectives }) => perspectives.length === 0))
    throw new UsageError(
      `No query of ${dataset.queriesFile} has gold answers ("answers") or perspectives to judge an answer by.`,
    );
  const { answers, known, effort } = await local.engine.request('answersCost', paramsOf(dataset, setup));
  const title = name === '' ? '' : `${name}: `;
  io.stderr(
    `${title}${counted('{0} [0:answer|answers]', answers)}, ${known} of them known; ${effortText(effort)} for the rest.\n`,
  );
}

/** @throws ParallaxError the errors of the request */
export async function answerDataset(dataset: Dataset, setup: AnswerSetup, io: Io): Promise<AnswerReport> {
  const { name, local } = dataset;
  const { budget } = setup;
  const onProgress = progressLine(io, `${name === '' ? '' : `${name}: `}answers`);
  const params = { ...paramsOf(dataset, setup), budget: budget.left };
  const report = await local.engine.request('answers', params, { onProgress });
  const { requests, promptTokens, completionTokens } = report.work;
  budget.spend({ requests, tokens: promptTokens + completionTokens });
  for (const { leftOut = [] } of report.datasets) warnOfLeftOut(dataset, leftOut, io);
  return { ...report, datasets: report.datasets.map((set) => ({ ...set, corpus: dataset.corpus })) };
}

function paramsOf(
  dataset: Dataset,
  { pipelines, k, baselines, generator, judge, filledBy, alignBy, successOnly }: AnswerSetup,
) {
  return {
    datasets: [askedDataset(dataset)],
    pipelines: [...pipelines],
    k,
    baselines: [...baselines],
    generator,
    judge,
    filledBy,
    alignBy,
    successOnly,
  };
}

/** A note on success for queries with gold answers. Empty if there are none. */
export function goldNote(sources: readonly { readonly byGold: number }[]): string {
  return sources.some(({ byGold }) => byGold > 0)
    ? 'If a query has gold answers, an answer succeeds if it contains one of them, word for word, or if a judge with a\n' +
        'prompt for it ({prediction}) calls it right; "by gold" counts these answers.\n'
    : '';
}
