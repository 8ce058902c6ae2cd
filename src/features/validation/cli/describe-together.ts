/** The text output of analyses over several data sets. */
import {
  setSizesTogether,
  sidesTogether,
  sycophancyTogether,
  type SizesTogether,
} from '../../../core/analysis/over-datasets.ts';
import type { Leaning, QueryForm, SideShares } from '../../../core/analysis/leaning.ts';
import { mean } from '../../../core/statistics/mean.ts';
import { describeDelta, having, type DatasetAnalyses } from '../../../cli/presentation/describe-analyses.ts';
import { formatTable, percent } from '../../../cli/presentation/terminal.ts';

/** `datasets` is the number of data sets with the view; the others left it out and give the reason. */
type Over<Report> = Report & { readonly datasets: number };

/** In `parallax eval --view analyses --json`, if there are several data sets. */
export interface AnalysesTogether {
  readonly pipelines: readonly {
    readonly name: string;
    readonly setSize?: Over<SizesTogether>;
    readonly leaning?: Over<SideShares & Leaning>;
    readonly sycophancy?: Over<Readonly<Record<QueryForm, Leaning>>>;
  }[];
  /** The mean over the data sets (BERDS, Table 6). */
  readonly union?: Over<{ readonly union: number }>;
}

export function analysesTogether(datasets: readonly DatasetAnalyses[]): AnalysesTogether {
  const names = new Set(datasets.flatMap(({ pipelines }) => pipelines.map(({ name }) => name)));
  const unions = datasets.flatMap(({ union }) => union?.union ?? []);
  return {
    pipelines: [...names].map((name) => {
      const pipelinesOfName = datasets.flatMap(({ pipelines }) =>
        pipelines.filter((pipeline) => pipeline.name === name),
      );
      const reportsOf = <V extends 'setSize' | 'leaning' | 'sycophancy'>(view: V) =>
        having(pipelinesOfName, view).map(([, report]) => report);
      return {
        name,
        ...over('setSize', reportsOf('setSize'), setSizesTogether),
        ...over('leaning', reportsOf('leaning'), sidesTogether),
        ...over('sycophancy', reportsOf('sycophancy'), sycophancyTogether),
      };
    }),
    ...over('union', unions, (shares) => ({ union: mean(shares) })),
  };
}

function over<View extends string, Report, Together extends object>(
  view: View,
  reports: readonly Report[],
  together: (all: readonly Report[]) => Together,
): { readonly [V in View]?: Over<Together> } {
  if (reports.length === 0) return {};
  return { [view]: { ...together(reports), datasets: reports.length } } as { [V in View]: Over<Together> };
}

export function describeTogether(datasets: readonly DatasetAnalyses[], k: number): string {
  const { pipelines, union } = analysesTogether(datasets);
  const among = ({ datasets: count }: Over<object>): string => `${count} of ${datasets.length}`;
  const sections = [
    table(
      'Passages needed to cover all perspectives: the mean over all covered questions, and the mean share of the data sets',
      ['average size', '% within top 100', 'covered questions', 'data sets'],
      rowsOf(pipelines, 'setSize', (setSize) => [
        setSize.average?.toFixed(1) ?? '',
        percent(setSize.coveredShare),
        `${setSize.covered} of ${setSize.queries}`,
        among(setSize),
      ]),
    ),
    union
      ? `All pipelines together cover ${percent(union.union)}% of the questions: the mean of ${among(union)} data sets\n`
      : '',
    table(
      `Leaning: what the top ${k} of all two-sided questions cover, in percent`,
      ['only support', 'only oppose', 'both', 'neither', 'Δ', 'queries', 'data sets'],
      rowsOf(pipelines, 'leaning', (leaning) => [
        ...[leaning.onlySupport, leaning.onlyOppose, leaning.both, leaning.neither].map(percent),
        describeDelta(leaning.delta),
        String(leaning.queries),
        among(leaning),
      ]),
    ),
    table(
      `Sycophancy: Δ = (p − n)/p in the top ${k} of all questions, by what is searched for`,
      ['question', 'supporting', 'opposing', 'data sets'],
      rowsOf(pipelines, 'sycophancy', (sycophancy) => [
        ...[sycophancy.question, sycophancy.support, sycophancy.oppose].map(({ delta }) =>
          describeDelta(delta),
        ),
        among(sycophancy),
      ]),
    ),
  ].filter((section) => section !== '');
  return sections.length === 0 ? '' : ['All data sets together\n', ...sections].join('\n');
}

type TogetherPipeline = AnalysesTogether['pipelines'][number];

/** A row for each pipeline that has a view. */
function rowsOf<View extends 'setSize' | 'leaning' | 'sycophancy'>(
  pipelines: readonly TogetherPipeline[],
  view: View,
  cells: (report: NonNullable<TogetherPipeline[View]>) => readonly string[],
): string[][] {
  return pipelines.flatMap(({ name, [view]: report }) => (report ? [[name, ...cells(report)]] : []));
}

function table(heading: string, columns: readonly string[], rows: readonly string[][]): string {
  return rows.length === 0 ? '' : `${heading}\n\n${formatTable(['pipeline', ...columns], rows)}`;
}
