/** Runs pipelines on one data set in the engine, and reports notes on standard error. */
import { shortfallsText } from '../core/external/shortfall.ts';
import { cutShortText, effortText, failedQueriesText } from '../core/facts.ts';
import { counted, counts } from '../core/counted.ts';
import { certaintiesText } from '../core/external/certainty.ts';
import type { NamedPipeline } from '../core/pipeline.ts';
import { judgedByShare, type KnownScores } from '../core/metrics/differences.ts';
import type { ExperimentReport, PipelineExperiment, View } from '../shared/experiment.ts';
import type { FurtherSearch } from '../evaluation/query-errors.ts';
import type { Params, ProgressNote } from '../shared/rpc.ts';
import { warnOfLeftOut, type Dataset } from './datasets.ts';
import type { JudgeConfig } from '../shared/judge-config.ts';
import { chatRequests } from '../features/agents/tools/cost.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import { BUILT_IN_JUDGES } from '../shared/named-judges.ts';
import { checkPerspectives, type Judging, type SharedBudget } from './figure-judging.ts';
import { progressLine } from './presentation/progress.ts';
import type { Io } from './presentation/terminal.ts';

export interface WantedExperiment extends Partial<
  Pick<Params<'experiment'>, 'measures' | 'views' | 'pool' | 'lines' | 'compareTo'>
> {
  readonly pipelines: readonly NamedPipeline[];
  readonly k: number;
  /** Cutoffs within which pairs are judged first. Defaults to k. */
  readonly cutoffs?: readonly number[];
  readonly judging?: Judging | undefined;
  /** For models that pipelines ask, if no judge is asked for the figures. */
  readonly budget?: SharedBudget | undefined;
  /** The configured judges. Defaults to those that judging has. */
  readonly judges?: ParallaxConfig['judges'] | undefined;
}

/** The data set as requests take it. */
export function askedDataset({
  name,
  queries,
  queriesFile,
  qrels,
  local,
}: Dataset): Params<'experiment'>['dataset'] {
  return { name, corpus: local.corpus, evalSet: queriesFile, queries, ...(qrels ? { qrels } : {}) };
}

/**
 * @throws ParallaxError the errors of the request; `bad-argument` if there is nothing that a judge could be asked about
 */
export async function runExperiment(
  dataset: Dataset,
  {
    pipelines,
    k,
    cutoffs = [k],
    judging,
    budget,
    judges = judging?.config.judges,
    measures = [],
    views = [],
    pool = false,
    lines,
    compareTo,
  }: WantedExperiment,
  io: Io,
): Promise<ExperimentReport> {
  if (judging) checkPerspectives(dataset);
  const { name, local } = dataset;
  const title = name === '' ? '' : `${name}: `;
  const note = (event: ProgressNote): void => {
    if (event.type === 'progress')
      progressLine(io, `${name} ${event.progress.detail ?? ''}`.trim())(event.progress);
    if (event.type === 'effort' && event.pairs > 0)
      io.stderr(`${title}${pairsText(event, judging!, views)}\n`);
  };
  announceSteps(pipelines, dataset, { ...BUILT_IN_JUDGES, ...judges }, title, io);
  const params: Params<'experiment'> = {
    dataset: askedDataset(dataset),
    pipelines,
    k,
    measures,
    views,
    pool,
    lines,
    compareTo,
    judge: judging?.judge ?? 'labels',
    ...(budget ? { budget: budget.left } : {}),
    ...(judging
      ? {
          judging: {
            scope: judging.scope,
            cutoffs,
            budget: judging.budget.left,
            corrected: judging.corrected,
            repeats: judging.repeats,
          },
        }
      : {}),
  };
  const report = await local.engine.request('experiment', params, { onNote: note });
  (judging?.budget ?? budget)?.spend(report.spent);
  warnOfLeftOut(dataset, report.leftOut, io);
  for (const { name: pipelineName, error } of report.failed)
    io.stderr(`warning: ${title}${pipelineName} could not be run: ${error}\n`);
  warnOfQueryErrors(report, title, io);
  warnOfSearchErrors(report, title, io);
  warnOfCutShort(report, title, io);
  warnOfShortStores(report, title, io);
  noteEmptyAnswers(report, title, io);
  return report;
}

/** Says what models that order passages may cost. Stored answers reduce it. */
function announceSteps(
  pipelines: readonly NamedPipeline[],
  { queries }: Dataset,
  judges: Readonly<Record<string, JudgeConfig>>,
  title: string,
  io: Io,
): void {
  for (const { name, pipeline } of pipelines) {
    const most = chatRequests(pipeline, { queries, judges });
    if (most > 0)
      io.stderr(`${title}${name} asks a model to rank passages: ${counts.requests(most)} at most.\n`);
  }
}

/** Scores of a pipeline in the format of the differences. */
export function scoresOf({
  metrics,
  queries,
  vectors,
  open = {},
}: Pick<PipelineExperiment, 'metrics' | 'queries' | 'vectors' | 'open'>): KnownScores {
  const perTopic = new Map(queries.map(({ id, metrics: each }) => [id, each]));
  return {
    mean: metrics,
    perTopic,
    open: new Set(Object.keys(open)),
    isJudged: judgedByShare({ perTopic }),
    ...(vectors === undefined ? {} : { vectors }),
  };
}

/** 1 if a pipeline or a search failed, so that the figures are incomplete. */
export function queryErrorsExitCode(reports: readonly ExperimentReport[]): number {
  const isPartial = reports.some(
    ({ pipelines, failed }) =>
      failed.length > 0 ||
      pipelines.some(({ queryErrors, searchErrors }) => queryErrors.length + searchErrors.length > 0),
  );
  return isPartial ? 1 : 0;
}

function warnOfQueryErrors({ pipelines, queries }: ExperimentReport, title: string, io: Io): void {
  for (const { name, queryErrors } of pipelines)
    if (queryErrors.length > 0)
      io.stderr(`warning: ${failedQueriesText(`${title}${name}`, queryErrors, queries)}\n`);
}

const SEARCHES: Readonly<Record<FurtherSearch, string>> = {
  exact: 'exact',
  support: 'from the supporting side',
  oppose: 'from the opposing side',
  perspective: 'with a perspective',
  root: 'without a perspective',
  unanswerable: 'for questions without an answer',
};

function warnOfSearchErrors({ pipelines }: ExperimentReport, title: string, io: Io): void {
  for (const { name, searchErrors } of pipelines)
    for (const [search, failed] of Map.groupBy(searchErrors, (error) => error.search)) {
      const ids = failed.map(({ query }) => query).join(', ');
      io.stderr(
        `warning: ${title}${name}: ${counted('{0} [0:search|searches] ({1}) failed, and [0:counts|count] as finding nothing', failed.length, SEARCHES[search])} (${ids}): ${failed[0]!.message}\n`,
      );
    }
}

function warnOfCutShort({ pipelines, queries }: ExperimentReport, title: string, io: Io): void {
  for (const { name, cutShort: ids } of pipelines)
    if (ids) io.stderr(`warning: ${cutShortText(`${title}${name}`, ids, queries)}\n`);
}

/** Whether a reranker wanted more requests than the budget has. */
export function isCutShort(reports: readonly ExperimentReport[]): boolean {
  return reports.some(({ pipelines }) => pipelines.some(({ cutShort }) => cutShort !== undefined));
}

function warnOfShortStores({ pipelines, queries }: ExperimentReport, title: string, io: Io): void {
  for (const { name, short, certainty } of pipelines) {
    if (short) io.stderr(`warning: ${shortfallsText(`${title}${name}`, short, queries)}\n`);
    if (certainty) io.stderr(`${certaintiesText(`${title}${name}`, certainty)}\n`);
  }
}

/** Happens if a search requires all words, as PostgreSQL does with a question. */
function noteEmptyAnswers({ pipelines, queries }: ExperimentReport, title: string, io: Io): void {
  for (const { name, foundNothing: ids } of pipelines)
    if (ids)
      io.stderr(
        `${title}${name} found nothing for ${counted('{0} of {1} [1:question|questions] ({2}): [0:it counts|they count] 0', ids.length, queries, ids.join(', '))} in every figure except Judged@k, which covers only retrieved passages.\n`,
      );
}

function pairsText(
  { pairs, known, effort }: Extract<ProgressNote, { type: 'effort' }>,
  { scope, repeats }: Judging,
  views: readonly View[],
): string {
  const isOpen = scope === 'figures' || views.includes('set-size') || views.includes('union');
  const most = isOpen ? ' at most' : '';
  if (known === pairs) return `Every pair is already judged: ${counts.pairs(pairs)}.`;
  return `${counted('{0} of {1} [1:pair is|pairs are] not judged', pairs - known, pairs)}${repeats > 1 ? ` in ${repeats} repeats` : ''};${most} ${effortText(effort)}.`;
}
