/**
 * How well answers represent perspectives, and whether that goes with better retrieval (PIR, Table 5; DREAM, section
 * 5.2, Figure 4 and appendix J).
 *
 * A verdict of "unsure" decides nothing: an answer with one is left out of a figure unless its other verdicts decide
 * it. Figures include the number of answers that they are based on.
 */
import { correlation, gradedRagAlign, ragAlign } from './alignment.ts';
import { SHARE } from '../../../../core/metrics/measure-definition.ts';
import type { Verdict } from '../../../../core/model.ts';
import { intervalsWithin } from '../../../../core/statistics/bootstrap.ts';
import { mean } from '../../../../core/statistics/mean.ts';
import { seededRandom } from '../../../../core/statistics/random.ts';
import type { RetrievalSuccess } from '../../../../core/metrics/retrieval-success.ts';

/** One answer with its judgements. */
export interface JudgedAnswer {
  /** One for each perspective of the query. */
  readonly verdicts: readonly Verdict[];
  /** Whether it is right by the gold answers. `undefined` if the query has none. */
  readonly right?: Verdict | undefined;
  /** See `attribution.ts`. */
  readonly balance?: number | undefined;
  readonly attribution?: number | undefined;
}
/** By query id. Queries without a judged answer have no entry. */
export type JudgedAnswers = ReadonlyMap<string, JudgedAnswer>;
/** By query id, then by measure. */
export type RetrievalScores = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** A mean over answers with the 95% interval of a percentile bootstrap over queries. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The number of queries that it is based on. */
  readonly queries: number;
}

/**
 * `success`: see {@link answerSuccess}. `share`: the share of the perspectives that it represents. The others: see
 * `attribution.ts`.
 */
export type AnswerMeasure = 'success' | 'share' | 'balance' | 'attribution';

export interface Alignment {
  /** The number of queries whose answer is decided. */
  readonly queries: number;
  /** RAGAlign@k, where retrieval succeeds if MRecall@k = 1. */
  readonly ragAlign: number;
  /** RAGAlign@k, where retrieval succeeds if Success@k = 1: Hit@k, as in DREAM. */
  readonly hit: number;
  /** RAGAlign@k, where the chosen measure decides the success of retrieval. `undefined` if none was chosen. */
  readonly chosen?: number;
  /** The graded form by measure. A measure for which it is undefined has no entry. */
  readonly graded: Readonly<Record<string, number>>;
}

/** A pipeline as a point of the correlation over pipelines. */
export interface PipelinePoint {
  readonly name: string;
  /** Mean over queries, by measure. */
  readonly retrieval: Readonly<Record<string, number>>;
  readonly success?: number | undefined;
  readonly share?: number | undefined;
}

export interface PipelineCorrelation {
  readonly measure: string;
  /** Correlation with the success rate and with the mean share. `undefined` if the correlation is. */
  readonly success?: number | undefined;
  readonly share?: number | undefined;
  readonly pipelines: number;
}

/** Both figures of a pipeline, scaled so that the lowest of all pipelines is 0 and the highest 1. */
export interface NormalisedPoint {
  readonly name: string;
  /** `undefined` if all pipelines have the same value. */
  readonly retrieval?: number | undefined;
  readonly answers?: number | undefined;
}

/** Fixed, so that the same answers always have the same intervals. */
const SEED = 20_250_121;

/** Two points always lie on a line. */
const MIN_PIPELINES = 3;

/**
 * Whether an answer is right by the gold answers, or, if its query has none, represents every perspective.
 *
 * @returns `undefined` if an "unsure" leaves it undecided
 */
export function answerSuccess({ verdicts, right }: JudgedAnswer): boolean | undefined {
  if (right !== undefined) return right === 'unsure' ? undefined : right === 'yes';
  if (verdicts.includes('no')) return false;
  return verdicts.includes('unsure') ? undefined : true;
}

/** Share of the perspectives that an answer represents. `undefined` if a verdict is "unsure". */
export function representedShare({ verdicts }: Pick<JudgedAnswer, 'verdicts'>): number | undefined {
  if (verdicts.length === 0 || verdicts.includes('unsure')) return undefined;
  return verdicts.filter((verdict) => verdict === 'yes').length / verdicts.length;
}

/** `undefined` if no answer is decided. */
export function answerEstimate(answers: JudgedAnswers, measure: AnswerMeasure): Estimate | undefined {
  return estimateOf(
    [...answers.values()].flatMap((answer) => valueOf(answer, measure) ?? []),
    SHARE,
  );
}

/**
 * `answers − baseline` on the queries that are decided in both.
 *
 * @returns `undefined` if there are no such queries
 */
export function answerDifference(
  baseline: JudgedAnswers,
  answers: JudgedAnswers,
  measure: AnswerMeasure,
): Estimate | undefined {
  const differences = [...answers].flatMap(([query, answer]) => {
    const to = baseline.get(query);
    const value = valueOf(answer, measure);
    const baselineValue = to && valueOf(to, measure);
    return value === undefined || baselineValue === undefined ? [] : [value - baselineValue];
  });
  return estimateOf(differences, [-1, 1]);
}

/**
 * Whether answers succeed if retrieval does, over the queries with a decided answer.
 *
 * @param measures names of the measures that define success of retrieval, e.g. `MRecall@5` and `Success@5`, of those
 *   for the graded form, and of the chosen one with the threshold of its success
 * @returns `undefined` if no answer is decided
 */
export function answerAlignment(
  answers: JudgedAnswers,
  retrieval: RetrievalScores,
  {
    mrecall,
    hit,
    graded,
    chosen,
  }: {
    readonly mrecall: string;
    readonly hit: string;
    readonly graded: readonly string[];
    readonly chosen?: RetrievalSuccess | undefined;
  },
): Alignment | undefined {
  const decided = [...answers].flatMap(([query, answer]) => {
    const success = answerSuccess(answer);
    const scores = retrieval.get(query);
    return success === undefined || !scores ? [] : [{ success, scores }];
  });
  if (decided.length === 0) return undefined;
  const successes = decided.map(({ success }) => success);
  const scoresOf = (measure: string): number[] => decided.map(({ scores }) => scores[measure] ?? 0);
  const aligned = ({ measure, least }: RetrievalSuccess): number =>
    ragAlign(
      scoresOf(measure).map((value) => value >= least),
      successes,
    );
  const forms = graded.map((measure) => [measure, gradedRagAlign(scoresOf(measure), successes)] as const);
  return {
    queries: decided.length,
    ragAlign: aligned({ measure: mrecall, least: 1 }),
    hit: aligned({ measure: hit, least: 1 }),
    ...(chosen ? { chosen: aligned(chosen) } : {}),
    graded: Object.fromEntries(
      forms.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  };
}

/**
 * Pearson's correlation over pipelines of each retrieval measure with the answers' figures (DREAM, section 5.2).
 *
 * @returns empty for fewer than three pipelines with answers, for which a correlation is meaningless
 */
export function pipelineCorrelations(
  points: readonly PipelinePoint[],
  measures: readonly string[],
): PipelineCorrelation[] {
  const answered = points.filter(({ success, share }) => success !== undefined && share !== undefined);
  if (answered.length < MIN_PIPELINES) return [];
  return measures.map((measure) => {
    const retrieval = answered.map((point) => point.retrieval[measure] ?? 0);
    const withAnswers = (answerMeasure: 'success' | 'share'): number | undefined =>
      correlation(
        retrieval,
        answered.map((point) => point[answerMeasure]!),
      );
    return {
      measure,
      success: withAnswers('success'),
      share: withAnswers('share'),
      pipelines: answered.length,
    };
  });
}

/**
 * Retrieval and answers, min-max scaled over the pipelines, in ascending order of retrieval (DREAM, Figure 4; the paper
 * does not specify its normalisation).
 *
 * @param measure of retrieval
 */
export function normalisedPoints(points: readonly PipelinePoint[], measure: string): NormalisedPoint[] {
  const answered = points.filter(({ success }) => success !== undefined);
  const retrieval = answered.map((point) => point.retrieval[measure] ?? 0);
  const success = answered.map((point) => point.success!);
  const [scaledRetrieval, scaledSuccess] = [minMax(retrieval), minMax(success)];
  return answered
    .map(({ name }, place) => ({
      name,
      retrieval: scaledRetrieval[place],
      answers: scaledSuccess[place],
      value: retrieval[place]!,
    }))
    .sort((a, b) => a.value - b.value)
    .map(({ name, retrieval: figure, answers }) => ({ name, retrieval: figure, answers }));
}

function valueOf(answer: JudgedAnswer, measure: AnswerMeasure): number | undefined {
  if (measure === 'share') return representedShare(answer);
  if (measure !== 'success') return answer[measure];
  const success = answerSuccess(answer);
  return success === undefined ? undefined : Number(success);
}

function estimateOf(
  values: readonly number[],
  range: readonly [least: number, most: number],
): Estimate | undefined {
  if (values.length === 0) return undefined;
  const [interval] = intervalsWithin([values], [range], { random: seededRandom(SEED) });
  return { value: mean(values), low: interval!.low, high: interval!.high, queries: values.length };
}

function minMax(values: readonly number[]): (number | undefined)[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (high === low ? undefined : (value - low) / (high - low)));
}
