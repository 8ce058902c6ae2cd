/** Answers from pipelines and baselines on data sets, and what they show about retrieval. */
import {
  answerAlignment,
  answerDifference,
  answerEstimate,
  answerSuccess,
  normalisedPoints,
  pipelineCorrelations,
  type JudgedAnswer,
  type JudgedAnswers,
  type PipelinePoint,
} from '../../core/answers/answer-figures.ts';
import { MIN_JUDGED, supports } from '../../../../core/metrics/judgements.ts';
import { promptTask } from '../../../../core/judging/prompts/template.ts';
import { ANSWER_PROMPT_VERSION } from '../../core/answers/answer-prompt.ts';
import { attributedShare, balance, type CitingAnswer } from '../../core/answers/attribution.ts';
import { citedPassages } from '../../core/answers/answer-parse.ts';
import { REPRESENTATION_PROMPT_VERSION } from '../../core/answers/representation-prompt.ts';
import type { RetrievalSuccess } from '../../../../core/metrics/retrieval-success.ts';
import { evaluateRun, type RunEvaluation } from '../../../../core/metrics/evaluate.ts';
import type { Basis } from '../../../../core/metrics/judgements.ts';
import { isKnownFigure, namesShown, parseMeasure } from '../../../../core/metrics/measures.ts';
import { isOfGold } from '../../../../core/formats/gold-perspective.ts';
import type { Qrels, Query, Run } from '../../../../core/model.ts';
import {
  ANSWER_BASELINES,
  type AnswerBaseline,
  type AnswerDatasetView,
  type AnswerReport,
  type AnswerSourceView,
  type AnswerView,
} from '../../../../shared/answers.ts';
import type { PriceTable } from '../../../../shared/requests/spending.ts';
import type { QueryError } from '../../../../evaluation/query-errors.ts';
import type { Budget } from '../../../../engine/judgements/budget.ts';
import { Pace } from '../../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../../engine/types.ts';
import { openAnswers, type OpenAnswers } from './answer-effort.ts';
import type { AnswerModel } from './asking.ts';
import { writeAnswers, type AnswerModels, type AnswerOutcome, type AnswerTask } from './write-answers.ts';

/** A passage in a prompt. */
export interface GivenPassage {
  readonly id: string;
  readonly text: string;
}

/** By query id. */
type GivenPassages = ReadonlyMap<string, readonly GivenPassage[]>;

interface AnswerPipeline {
  readonly name: string;
  /** The top k by query. */
  readonly passages: GivenPassages;
  /** The judge of the answers or passages that also ordered these. */
  readonly circular?: string | undefined;
  /** Why it could not be run. */
  readonly error?: string | undefined;
  /** Queries that failed. */
  readonly queryErrors?: readonly QueryError[] | undefined;
}

/** Queries, and the passages to answer them from. */
export interface AnswerDataset {
  readonly name: string;
  readonly corpus: string;
  readonly evalSet: string;
  /** Ids of queries for which the corpus has no pages. */
  readonly leftOut?: readonly string[];
  /** Queries with perspectives. */
  readonly queries: readonly Query[];
  readonly pipelines: readonly AnswerPipeline[];
  /** Passages known to support. Queries without any have no entry. */
  readonly gold: GivenPassages;
  /** The judgements behind the figures of retrieval. */
  readonly qrels: Qrels;
  readonly basis: Basis;
  /** The same before holes were filled, to compare RAGAlign with. */
  readonly before?: Pick<AnswerDataset, 'qrels' | 'basis'>;
}

export interface AnswerOptions extends AnswerModels {
  /** The number of passages that an answer is written from, and the cutoff of the figures of retrieval. */
  readonly k: number;
  readonly baselines: readonly AnswerBaseline[];
  /** Whether only success is shown, for which gold answers suffice. */
  readonly successOnly: boolean;
  /** A measure of retrieval for RAGAlign, in addition to MRecall and Hit. */
  readonly alignBy?: RetrievalSuccess | undefined;
}

/**
 * Answers the queries one after the other, each from every source, so that a stopped run has answered the same queries
 * from all sources.
 *
 * @throws ParallaxError `cancelled`
 */
export async function answerReport(
  datasets: readonly AnswerDataset[],
  options: AnswerOptions,
  budget: Budget,
  work: WorkOptions,
): Promise<AnswerReport> {
  const { k, generator, judge, alignBy } = options;
  const plans = datasets.map((dataset) => new Plan(dataset, options));
  const tasks = plans.flatMap((plan) => plan.tasks);
  const { outcomes, work: paid, stopped, error } = await writeAnswers(tasks, options, budget, work);
  const views: AnswerDatasetView[] = [];
  let first = 0;
  for (const plan of plans) {
    views.push(await describe(plan, outcomes.slice(first, first + plan.tasks.length), options, work));
    first += plan.tasks.length;
  }
  return {
    k,
    ...(alignBy ? { alignBy } : {}),
    generator: modelView(generator, ANSWER_PROMPT_VERSION),
    judge: modelView(judge, REPRESENTATION_PROMPT_VERSION),
    datasets: views,
    work: paid,
    stopped,
    ...(error ? { error: error.message } : {}),
  };
}

/**
 * Counts the requests {@link answerReport} would make, without making them. @throws ParallaxError `cancelled`
 */
export function answerCost(
  datasets: readonly AnswerDataset[],
  options: AnswerOptions,
  prices: PriceTable,
  work: WorkOptions,
): Promise<OpenAnswers> {
  const tasks = datasets.flatMap((dataset) => new Plan(dataset, options).tasks);
  return openAnswers(tasks, options, prices, work);
}

function modelView(
  { name, model, prompt: customPrompt }: AnswerModel,
  prompt: string,
): AnswerReport['generator'] {
  return {
    name,
    model: model.model,
    prompt: customPrompt && promptTask(customPrompt) !== 'judge' ? customPrompt.name : prompt,
  };
}

/** A source of answers to all queries. */
interface Source {
  readonly kind: AnswerSourceView['kind'];
  readonly name: string;
  /** `undefined` for the model on its own. Queries without an entry are not answered. */
  readonly passages: GivenPassages | undefined;
  readonly circular?: string | undefined;
  readonly error?: string | undefined;
  readonly queryErrors?: readonly QueryError[] | undefined;
}

/** Every answer of a data set: query by query, then source by source. */
class Plan {
  readonly dataset: AnswerDataset;
  readonly sources: readonly Source[];
  readonly tasks: AnswerTask[] = [];
  /** `[queries][sources]` indexes of the tasks; `undefined` if there is no task. */
  readonly places: readonly (readonly (number | undefined)[])[];

  readonly #successOnly: boolean;

  constructor(
    dataset: AnswerDataset,
    { baselines, successOnly }: Pick<AnswerOptions, 'baselines' | 'successOnly'>,
  ) {
    this.dataset = dataset;
    this.#successOnly = successOnly;
    const known: Readonly<Record<AnswerBaseline, GivenPassages | undefined>> = {
      none: undefined,
      gold: dataset.gold,
    };
    this.sources = [
      ...dataset.pipelines.map((pipeline) => ({ kind: 'pipeline' as const, ...pipeline })),
      ...ANSWER_BASELINES.filter((kind) => baselines.includes(kind)).map((kind) => ({
        kind,
        name: kind,
        passages: known[kind],
      })),
    ];
    this.places = dataset.queries.map((query) => this.sources.map((source) => this.#ask(query, source)));
  }

  #ask(query: Query, { kind, passages }: Source): number | undefined {
    const { id, text, perspectives, answers } = query;
    const givenPassages = passages?.get(id);
    if (!givenPassages && kind !== 'none') return undefined;
    const isDecidedByGold = answers !== undefined && (this.#successOnly || isOfGold(query));
    const statements = isDecidedByGold ? [] : perspectives.map((perspective) => perspective.text);
    return (
      this.tasks.push({
        question: text,
        passages: givenPassages?.map((passage) => passage.text),
        perspectives: statements,
        gold: answers,
      }) - 1
    );
  }
}

/** Options that define success of retrieval. */
type Alignable = Pick<AnswerOptions, 'k' | 'alignBy'>;

async function describe(
  plan: Plan,
  outcomes: readonly AnswerOutcome[],
  align: Alignable,
  work: WorkOptions,
): Promise<AnswerDatasetView> {
  const { name, corpus, evalSet, queries, leftOut } = plan.dataset;
  const pace = new Pace(work);
  const outcomesOf = (place: number): (AnswerOutcome | undefined)[] =>
    plan.places.map((row) => (row[place] === undefined ? undefined : outcomes[row[place]]));
  const outcomesBySource = plan.sources.map((_, place) => outcomesOf(place));
  const judged = outcomesBySource.map((sourceOutcomes, place) =>
    judgedAnswers(plan.dataset, plan.sources[place]!.passages, sourceOutcomes),
  );

  const sources: AnswerSourceView[] = [];
  for (const [place, source] of plan.sources.entries()) {
    const scores = retrievalScores(source, plan.dataset, align);
    const { before, basis } = plan.dataset;
    const unfilled = before && retrievalScores(source, { ...plan.dataset, ...before }, align);
    await pace.rest();
    sources.push({
      ...sourceView(source, outcomesBySource[place]!, judged[place]!),
      retrieval: knownFigures(scores?.mean ?? {}, basis),
      ...(source.kind === 'pipeline'
        ? {
            alignment: alignmentOf(judged[place]!, scores, basis, align),
            before: alignmentOf(judged[place]!, unfilled, before?.basis ?? basis, align),
            differences: differences(place, plan, judged),
          }
        : { differences: [] }),
    });
    await pace.rest();
  }
  return {
    name,
    corpus,
    evalSet,
    sources,
    ...overPipelines(
      sources.filter(({ retrieval }) => isJudgedEnough(retrieval, plan.dataset.basis, align.k)),
      align.k,
    ),
    ...(leftOut ? { leftOut } : {}),
    queries: queries.map(({ id, text, perspectives }, index) => ({
      id,
      text,
      perspectives: perspectives.map((perspective) => ({ id: perspective.id, text: perspective.text })),
      answers: plan.sources.map(({ passages }, place) =>
        answerView(outcomesBySource[place]![index], passages?.get(id) ?? []),
      ),
    })),
  };
}

function judgedAnswers(
  dataset: AnswerDataset,
  passages: GivenPassages | undefined,
  outcomes: readonly (AnswerOutcome | undefined)[],
): JudgedAnswers {
  return new Map(
    dataset.queries.flatMap((query, index) => {
      const outcome = outcomes[index];
      if (outcome?.state !== 'judged') return [];
      const citing = citingAnswer(query, outcome, passages?.get(query.id) ?? [], dataset);
      return [[query.id, judgedAnswer(query, outcome, citing)] as const];
    }),
  );
}

function judgedAnswer(
  query: Query,
  { representations, right }: AnswerOutcome,
  citing: CitingAnswer,
): JudgedAnswer {
  const represented = representations.map(({ verdict }) => verdict);
  return {
    verdicts: right !== undefined && isOfGold(query) ? [right] : represented,
    ...(right === undefined ? {} : { right }),
    ...(represented.includes('unsure') ? {} : { attribution: attributedShare(citing) }),
    balance: balance(citing),
  };
}

function citingAnswer(
  { id, perspectives }: Query,
  { written, representations }: AnswerOutcome,
  passages: readonly GivenPassage[],
  { qrels, basis }: Pick<AnswerDataset, 'qrels' | 'basis'>,
): CitingAnswer {
  return {
    text: written?.text ?? '',
    passages: passages.length,
    perspectives: representations.map(({ verdict, evidence }, place) => {
      const relevance = qrels.get(id)?.get(perspectives[place]!.id);
      const isSupport = (passage: string): boolean | undefined => {
        const grade = relevance?.get(passage);
        return grade === undefined && basis === 'open' ? undefined : supports(grade);
      };
      return { verdict, evidence, supports: passages.map((passage) => isSupport(passage.id)) };
    }),
  };
}

function sourceView(
  { kind, name, circular, error, queryErrors = [] }: Source,
  outcomes: readonly (AnswerOutcome | undefined)[],
  judged: JudgedAnswers,
): Omit<AnswerSourceView, 'retrieval' | 'differences'> {
  const count = (state: AnswerOutcome['state']): number =>
    outcomes.filter((outcome) => outcome?.state === state).length;
  return {
    kind,
    name,
    ...(circular === undefined ? {} : { circular }),
    asked: outcomes.filter(Boolean).length,
    judged: judged.size,
    unreadable: count('unreadable'),
    failed: count('failed'),
    open: count('open'),
    byGold: [...judged.values()].filter(({ right }) => right !== undefined).length,
    undecided: [...judged.values()].filter((answer) => answerSuccess(answer) === undefined).length,
    success: answerEstimate(judged, 'success') ?? null,
    share: answerEstimate(judged, 'share') ?? null,
    balance: answerEstimate(judged, 'balance') ?? null,
    attribution: answerEstimate(judged, 'attribution') ?? null,
    ...(error === undefined ? {} : { error }),
    ...(queryErrors.length > 0 ? { queryErrors } : {}),
  };
}

/**
 * The scores of the passages that answers were written from. Empty for the model on its own, and for a pipeline that
 * could not be run.
 */
function retrievalScores(
  { passages, error }: Source,
  { queries, qrels, basis }: AnswerDataset,
  { k, alignBy }: Alignable,
): RunEvaluation | undefined {
  if (!passages || error !== undefined) return undefined;
  const run: Run = new Map(
    [...passages].map(([query, givenPassages]) => [
      query,
      givenPassages.map(({ id }, rank) => ({ item: id, score: -rank })),
    ]),
  );
  const qrelsOfQueries = new Map(
    queries.map(({ id }) => [id, qrels.get(id) ?? new Map<string, ReadonlyMap<string, number>>()]),
  );
  const names = [...namesShown('answers', k), hitOf(k), `Judged@${k}`, ...(alignBy ? [alignBy.measure] : [])];
  const measures = [...new Set(names)].map(parseMeasure);
  return evaluateRun(run, qrelsOfQueries, measures, { kind: 'diversity', basis });
}

function alignmentOf(
  judged: JudgedAnswers,
  scores: RunEvaluation | undefined,
  basis: Basis,
  { k, alignBy }: Alignable,
): AnswerSourceView['alignment'] {
  if (!scores || !isJudgedEnough(scores.mean, basis, k)) return undefined;
  const [mrecall, ...graded] = namesShown('answers', k);
  const measures = { mrecall: mrecall!, hit: hitOf(k), graded, chosen: alignBy };
  const alignment = answerAlignment(judged, scores.perTopic, measures);
  return alignment && { ...alignment, graded: alignment.graded };
}

/** Holes do not count as failures of retrieval, unless qrels define them as such. */
function isJudgedEnough(figures: Readonly<Record<string, number>>, basis: Basis, k: number): boolean {
  return basis !== 'open' || (figures[`Judged@${k}`] ?? 0) >= MIN_JUDGED;
}

function knownFigures(
  figures: Readonly<Record<string, number>>,
  basis: Basis,
): Readonly<Record<string, number>> {
  const known = Object.entries(figures).filter(([name]) => basis !== 'open' || isKnownFigure(figures, name));
  return Object.fromEntries(known);
}

/** Hit@k of DREAM. */
const hitOf = (k: number): string => `Success@${k}`;

function differences(
  place: number,
  { sources }: Plan,
  judged: readonly JudgedAnswers[],
): AnswerSourceView['differences'] {
  return ANSWER_BASELINES.flatMap((to) => {
    const baseline = sources.findIndex(({ kind }) => kind === to);
    if (baseline < 0) return [];
    const difference = (measure: 'success' | 'share') =>
      answerDifference(judged[baseline]!, judged[place]!, measure) ?? null;
    return [{ to, success: difference('success'), share: difference('share') }];
  });
}

function overPipelines(
  sources: readonly AnswerSourceView[],
  k: number,
): Pick<AnswerDatasetView, 'correlations' | 'normalised'> {
  const points = sources
    .filter(({ kind }) => kind === 'pipeline')
    .map(({ name, retrieval, success, share }): PipelinePoint => ({
      name,
      retrieval,
      success: success?.value,
      share: share?.value,
    }));
  const measures = namesShown('answers', k);
  return {
    correlations: pipelineCorrelations(points, measures).map(({ success, share, ...rest }) => ({
      ...rest,
      success: success ?? null,
      share: share ?? null,
    })),
    normalised: normalisedPoints(points, measures[0]!).map(({ name, retrieval, answers }) => ({
      name,
      retrieval: retrieval ?? null,
      answers: answers ?? null,
    })),
  };
}

function answerView(outcome: AnswerOutcome | undefined, givenPassages: readonly GivenPassage[]): AnswerView {
  const passages = givenPassages.map(({ id }) => id);
  if (!outcome) return { state: 'not-asked', passages, cited: [], verdicts: [] };
  const { state, written, note, representations } = outcome;
  return {
    state,
    ...(note === undefined ? {} : { note }),
    ...(written ? { text: written.text } : {}),
    ...(written?.missing === undefined ? {} : { missing: written.missing }),
    passages,
    cited: citedPassages(written?.text ?? '', givenPassages.length).map((number) => passages[number - 1]!),
    verdicts: representations.map(({ evidence, ...fields }) => ({
      ...fields,
      evidence,
    })),
  };
}
