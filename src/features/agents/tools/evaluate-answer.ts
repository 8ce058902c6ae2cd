/** The answer of evaluate_retrieval. Pure. */
import { circularText } from '../../../core/facts.ts';
import { certaintiesText } from '../../../core/external/certainty.ts';
import { shortfallsText } from '../../../core/external/shortfall.ts';
import { correctionText } from '../../../core/metrics/corrected-text.ts';
import type { Correction } from '../../../core/metrics/correction.ts';
import { namesShown } from '../../../core/metrics/measures.ts';
import type {
  Evaluation,
  DatasetEvaluation,
  MeasureEvaluation,
  PipelineEvaluation,
  QueryEvaluation,
} from '../../../evaluation/evaluation.ts';
import { intervalsAt, judgedAt, lostPerspectives, measuredAt } from '../../../evaluation/reading.ts';
import { briefPipeline } from '../../../shared/defaults/starting-config.ts';
import { DATA_NOTICE, firstOf, fitted, judgedView, rounded, short } from './answer.ts';
import type { Measured } from './measure.ts';
import type { Run } from './run.ts';

interface Size {
  /** Worst questions per pipeline. */
  readonly worst: number;
  /** Lost perspectives per question. */
  readonly lost: number;
  /** The longest text of a question or a perspective. */
  readonly text: number;
  readonly notes: number;
}

/** Agents look at the worst questions of each pipeline. */
const SIZES: readonly Size[] = [
  { worst: 3, lost: 3, text: 160, notes: 8 },
  { worst: 3, lost: 1, text: 100, notes: 4 },
  { worst: 1, lost: 1, text: 80, notes: 2 },
  { worst: 0, lost: 0, text: 80, notes: 0 },
];
/** Names invented by agents may be as long as a pipeline. */
const MAX_NAME = 120;

/** JSON. */
export function evaluateAnswer(run: Run, { comparison, judging }: Measured): string {
  const dataset = comparison.datasets[0]!;
  return fitted(SIZES, (size) => ({
    notice: DATA_NOTICE,
    corpus: dataset.corpus,
    ...(run.evalSet === undefined ? {} : { evalSet: run.evalSet }),
    queries: dataset.queries.length,
    ...leftOutQueries(run, dataset),
    k: comparison.k,
    units:
      'Figures and differences are shares from 0 to 1; intervals are 95%. A figure whose bound is "least" is a lower bound, one that is "open" may rise or fall; "most" is its value if everything unjudged supported. A difference rests on the queries that are fully judged under both pipelines.',
    judgements: judgementsOf(comparison, dataset),
    ...(judging ? { judging } : {}),
    baseline: short(dataset.pipelines[0]?.name ?? '', MAX_NAME),
    pipelines: dataset.pipelines.map((result, place) => ({
      name: short(result.name, MAX_NAME),
      ...originOf(run, place),
      ...(result.error === undefined
        ? {
            ...resultOf(result, place, dataset.queries, comparison.k, size),
            ...heldBackOf(result, dataset.queries.length),
          }
        : { error: short(result.error, 300) }),
    })),
    ...notesOf(run, size),
  }));
}

/** The judges behind the figures. */
export function judgementsOf({ judge }: Evaluation, { sources }: DatasetEvaluation): object {
  return {
    judge,
    pairsInAnyTopK: sources.map(({ source, judge: by, count, evidenceNotFound, ofDocuments }) => ({
      by: source === 'human' ? 'people' : `${source} (${by})`,
      pairs: count,
      ...(evidenceNotFound === undefined ? {} : { yesWithQuotationNotInPassage: evidenceNotFound }),
      ...(ofDocuments === undefined ? {} : { labelsOfWholeDocuments: ofDocuments }),
    })),
  };
}

const ORIGINS = {
  rebuilt: "rebuilt: a similar pipeline on Parallax's own index answered, not the program's retriever",
  measured: "measured: the program's own retriever answered",
} as const;

/** @returns an empty object unless the pipeline is rebuilt from a call */
export function originOf(run: Run, place: number): { readonly origin?: string; readonly standsFor?: object } {
  const runPipeline = run.pipelines[place];
  return runPipeline?.origin
    ? { origin: ORIGINS[runPipeline.origin], standsFor: briefPipeline({ ...runPipeline.pipeline, k: run.k }) }
    : {};
}

/** What the store of a pipeline withheld or may have withheld, in the same words as elsewhere. */
export function heldBackOf(
  { name, short: shortfall, certainty }: PipelineEvaluation,
  queries: number,
): { readonly store?: readonly string[] } {
  const about = short(name, MAX_NAME);
  const heldBack = [
    ...(shortfall ? [shortfallsText(about, shortfall, queries)] : []),
    ...(certainty ? [certaintiesText(about, certainty)] : []),
  ];
  return heldBack.length > 0 ? { store: heldBack } : {};
}

export function notesOf(
  { notes }: Run,
  { notes: most }: Pick<Size, 'notes'>,
): { readonly notes?: readonly string[] } {
  const { shown } = firstOf(notes, most);
  return shown.length > 0 ? { notes: shown } : {};
}

export function leftOutQueries(
  { queries }: Run,
  dataset: DatasetEvaluation,
): { readonly queriesWithoutPerspectives?: number } {
  const leftOut = queries.length - dataset.queries.length;
  return leftOut > 0 ? { queriesWithoutPerspectives: leftOut } : {};
}

function resultOf(
  {
    measures,
    judged,
    foundNothing,
    queryErrors,
    searchErrors,
    cutShort,
    circular,
    correction,
  }: PipelineEvaluation,
  place: number,
  queries: readonly QueryEvaluation[],
  k: number,
  size: Size,
): object {
  if (judged === 0)
    return {
      judgedShare: 0,
      unjudged:
        'Nobody has judged any of the passages within the top k: there are no figures, and nothing is known to be lost.',
      ...(queryErrors.length > 0 ? { queryErrors: queryErrorViews(queryErrors, size) } : {}),
    };
  const intervals = intervalsAt(queries, place);
  const names = namesShown('agents', k);
  const shown = Object.entries(measures).filter(([name]) => names.includes(name));
  const differences = shown.flatMap(([name, { difference }]) =>
    difference ? [[name, differenceView(difference)] as const] : [],
  );
  return {
    figures: Object.fromEntries(
      shown.map(([name, { value, bound, most }]) => [
        name,
        {
          value: rounded(value),
          bound,
          ...(most === undefined ? {} : { most: rounded(most) }),
          ...roundedInterval(intervals[name]),
        },
      ]),
    ),
    ...judgedView({ judged, foundNothing }),
    ...(circular === undefined ? {} : { circular: circularText(short(circular, MAX_NAME)) }),
    ...(correction ? { withoutJudgeErrors: correctedView(correction, names) } : {}),
    ...(queryErrors.length > 0 ? { queryErrors: queryErrorViews(queryErrors, size) } : {}),
    ...(searchErrors.length > 0 ? { otherSearchErrors: queryErrorViews(searchErrors, size) } : {}),
    ...(cutShort ? { queriesOutOfRequests: cutShort.length } : {}),
    ...(differences.length > 0 ? { differenceToBaseline: Object.fromEntries(differences) } : {}),
    ...(size.worst > 0 ? { worstQueries: worstQueries(place, queries, k, size) } : {}),
  };
}

/** The figures corrected for the judge's errors, or why they cannot be corrected. */
function correctedView(correction: Correction, names: readonly string[]): object {
  const figures = Object.entries(correction.figures).filter(([name]) => names.includes(name));
  return {
    ...Object.fromEntries(
      figures.map(([name, { value, low, high }]) => [
        name,
        { value: rounded(value), low: rounded(low), high: rounded(high) },
      ]),
    ),
    note: correctionText(correction),
  };
}

export function differenceView({
  value,
  low,
  high,
  p,
  wins,
  losses,
  ties,
}: NonNullable<MeasureEvaluation['difference']>): object {
  return {
    value: rounded(value),
    low: rounded(low),
    high: rounded(high),
    queries: wins + losses + ties,
    ...(p === undefined ? {} : { p: rounded(p) }),
  };
}

function roundedInterval(interval: { readonly low: number; readonly high: number } | undefined): object {
  return interval ? { low: rounded(interval.low), high: rounded(interval.high) } : {};
}

/** Failed queries, which count as finding nothing. */
function queryErrorViews(errors: PipelineEvaluation['queryErrors'], { text }: Size): object[] {
  return errors.map(({ query, message }) => ({ query: short(query, text), message: short(message, text) }));
}

/** The queries with the largest share of lost perspectives; ties are ordered by Precision, lowest first. */
function worstQueries(place: number, queries: readonly QueryEvaluation[], k: number, size: Size): object[] {
  const precisionOf = (query: QueryEvaluation): number =>
    measuredAt(query, place, `Precision@${k}`)?.value ?? 0;
  return queries
    .map((query) => {
      const missing = lostPerspectives([query], place);
      const unjudged = missing.filter(({ where }) => where === 'unjudged').length;
      const lost = missing.filter(({ where }) => where !== 'unjudged');
      return { query, unjudged, lost: lost.map(({ perspective }) => perspective.text) };
    })
    .filter(({ lost }) => lost.length > 0)
    .toSorted(
      (a, b) =>
        b.lost.length / b.query.perspectives.length - a.lost.length / a.query.perspectives.length ||
        precisionOf(a.query) - precisionOf(b.query),
    )
    .slice(0, size.worst)
    .map(({ query, lost, unjudged }) => {
      const { text, perspectives } = query;
      const { shown, leftOut } = firstOf(lost, size.lost);
      return {
        query: short(text, size.text),
        perspectives: perspectives.length,
        lost: shown.map((perspective) => short(perspective, size.text)),
        ...(leftOut > 0 ? { moreLost: leftOut } : {}),
        ...(unjudged > 0 ? { unjudged } : {}),
        judgedShare: rounded(judgedAt(query, place)),
      };
    });
}
