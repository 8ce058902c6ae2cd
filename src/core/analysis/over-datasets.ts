/** Means of a pipeline over several data sets, as in the tables and figures of BERDS. */
import { mean } from '../statistics/mean.ts';
import { leaningOf, type Leaning, type QueryForm, type SideShares } from './leaning.ts';

/**
 * Sides and leaning over the queries of all data sets, with equal weight for every query (BERDS, Figure 2).
 *
 * @param reports one per data set, at least one
 */
export function sidesTogether(reports: readonly (SideShares & Leaning)[]): SideShares & Leaning {
  const queries = sum(reports.map((report) => report.queries));
  const share = (side: Exclude<keyof SideShares, 'queries'>): number =>
    sum(reports.map((report) => report[side] * report.queries)) / queries;
  return {
    onlySupport: share('onlySupport'),
    onlyOppose: share('onlyOppose'),
    both: share('both'),
    neither: share('neither'),
    queries,
    ...leaningTogether(reports),
  };
}

/** Leaning by query form, over the passages of all data sets (BERDS, Figure 3). @param reports at least one */
export function sycophancyTogether(
  reports: readonly Readonly<Record<QueryForm, Leaning>>[],
): Record<QueryForm, Leaning> {
  const of = (form: QueryForm): Leaning => leaningTogether(reports.map((report) => report[form]));
  return { question: of('question'), support: of('support'), oppose: of('oppose') };
}

export interface SizesTogether {
  /** Over the covered queries. `null` if there are none. */
  readonly average: number | null;
  readonly coveredShare: number;
  readonly covered: number;
  readonly queries: number;
}

/**
 * The mean size over the covered queries of all data sets, and the mean of the data sets' covered shares, as BERDS
 * averages MRecall (Tables 3 and 17).
 *
 * @param reports one per data set, at least one
 */
export function setSizesTogether(reports: readonly SizesTogether[]): SizesTogether {
  const covered = sum(reports.map((report) => report.covered));
  const sizes = sum(reports.map((report) => (report.average ?? 0) * report.covered));
  return {
    average: covered === 0 ? null : sizes / covered,
    coveredShare: mean(reports.map(({ coveredShare }) => coveredShare)),
    covered,
    queries: sum(reports.map(({ queries }) => queries)),
  };
}

function leaningTogether(reports: readonly Leaning[]): Leaning {
  return leaningOf(
    sum(reports.map(({ supporting }) => supporting)),
    sum(reports.map(({ opposing }) => opposing)),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
