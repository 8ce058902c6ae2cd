/** Exports a comparison to files for other tools and for readers. Pure. */
import * as l10n from '@vscode/l10n';
import type { Evaluation, DatasetEvaluation, MeasureEvaluation } from '../../../evaluation/evaluation.ts';
import { rankAt } from '../../../evaluation/reading.ts';
import { isLowerBound, measuredText, sourceCounts } from '../../../core/facts.ts';
import { exactly, type Measured } from '../../../core/measured.ts';
import type { FromCompare } from '../contract/panel.ts';
import { footnotesOf } from '../../../core/judging/judgement-tally.ts';
import { isMarked } from '../../../core/metrics/circular.ts';
import { correctionText } from '../../../core/metrics/corrected-text.ts';
import type { Correction } from '../../../core/metrics/correction.ts';
import type { Figure } from '../../../core/metrics/figures.ts';
import { escapeCsv, escapeLatex, escapeMarkdown } from '../../../core/reports/escape.ts';
import { shortP } from '../../../shared/p-value.ts';
import { counts } from '../../../core/counted.ts';

/** Qrels need judgements, which a comparison does not contain. */
export type ExportFormat = Exclude<Extract<FromCompare, { type: 'export' }>['format'], 'qrels'>;

export function exportComparison(
  comparison: Evaluation,
  format: ExportFormat,
): { name: string; content: string } {
  switch (format) {
    case 'json':
      return { name: 'comparison.json', content: `${JSON.stringify(comparison, null, 2)}\n` };
    case 'markdown':
      return { name: 'comparison.md', content: toMarkdown(comparison) };
    case 'csv':
      return { name: 'comparison.csv', content: toCsv(comparison) };
    case 'latex':
      return { name: 'comparison.tex', content: toLatex(comparison) };
  }
}

/** The file name for a data set's judgements, valid on every file system. */
export function qrelsName(dataset: string): string {
  return `${dataset.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')}.qrels`;
}

type Difference = NonNullable<MeasureEvaluation['difference']>;

/** The rows of one data set, or of the average over all of them. */
interface Block {
  readonly name: string;
  /** The judges behind the figures; empty for an average. */
  readonly note: string;
  readonly rows: readonly {
    readonly pipeline: string;
    /** In the order of the comparison's measures. `undefined` if the pipeline could not be run. */
    readonly measures: readonly (MeasureEvaluation | undefined)[];
    /** The same, corrected for the judge's errors. */
    readonly correction?: Correction | undefined;
    readonly judged: number | undefined;
    readonly error?: string | undefined;
  }[];
}

/** The average comes first, as in the panel. */
function blocksOf(comparison: Evaluation): Block[] {
  const { datasets, macro, pipelines, measures } = comparison;
  const blocks = datasets.map((dataset) => datasetBlock(dataset, measures));
  if (!macro) return blocks;
  const average: Block = {
    name: l10n.t`Average over ${datasets.length} data sets`,
    note: l10n.t('each data set counts once'),
    rows: pipelines.map(({ name }, index) => ({
      pipeline: name,
      measures: measures.map((measure) => macro[index]?.[measure]),
      judged: undefined,
    })),
  };
  return [average, ...blocks];
}

function datasetBlock(dataset: DatasetEvaluation, measures: readonly string[]): Block {
  return {
    name: dataset.name,
    note: l10n.t`${counts.questions(dataset.queries.length)} of ${dataset.evalSet} on ${dataset.corpus}; judgements: ${sourcesOf(dataset)}`,
    rows: dataset.pipelines.map(({ name, measures: figures, correction, judged, error, circular }) => ({
      pipeline: measures.some((measure) => isMarked({ circular, correction }, measure))
        ? l10n.t`${name} (circular: ${circular!} ordered and scored it)`
        : name,
      measures: measures.map((measure) => (error === undefined ? figures[measure] : undefined)),
      correction,
      judged: error === undefined ? judged : undefined,
      error,
    })),
  };
}

function sourcesOf({ sources }: DatasetEvaluation): string {
  if (sources.length === 0) return l10n.t('none');
  return [sourceCounts(sources), ...footnotesOf(sources)].join('. ');
}

/** A note in every format meant for readers. */
const differencesText = (): string =>
  l10n.t(
    'Differences are percentage points to the first pipeline that ran, on the same questions, with 95% intervals of a paired bootstrap, p-values of a paired randomisation test (Holm-corrected), and the questions won, lost and tied. Corrected ones have an interval and no p-value.',
  );

function toMarkdown(comparison: Evaluation): string {
  const { measures, k, at, judge } = comparison;
  const header = [l10n.t('pipeline'), ...measures, l10n.t`judged@${k}`];
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const blocks = blocksOf(comparison).flatMap(({ name, note, rows }) => [
    `## ${escapeMarkdown(name)}`,
    '',
    escapeMarkdown(`${note[0]?.toUpperCase() ?? ''}${note.slice(1)}.`),
    '',
    line(header),
    `| ${header.map(() => '---').join(' | ')} |`,
    ...rows.map(({ pipeline, measures: figures, correction, judged, error }) =>
      line([
        error === undefined ? pipeline : l10n.t`${pipeline} (could not be run: ${error})`,
        ...figures.map((figure, place) => (figure ? markdownCell(figure, correction, measures[place]!) : '')),
        judged === undefined ? '' : percent(judged),
      ]),
    ),
    '',
    ...rows.flatMap(({ pipeline, correction }) =>
      correction ? [escapeMarkdown(`${pipeline}: ${correctionText(correction)}`), ''] : [],
    ),
  ]);
  const grounds = escapeMarkdown(`${l10n.t`k = ${k}, judge ${judge}, ${at}.`} ${differencesText()}`);
  return [`# ${l10n.t('Comparison')}`, '', grounds, '', ...blocks].join('\n');
}

/** `59.6% (+2.9 pts, −1.1 to 6.8; p .031; 9/4/165); corrected 55.0%, 49.0% to 61.0% (+1.2 pts, −2.0 to +4.4)`. */
function markdownCell(
  { difference, ...measured }: MeasureEvaluation,
  correction: Correction | undefined,
  measure: string,
): string {
  const corrected = correction?.figures[measure];
  const text = difference
    ? `${measuredText(measured, percent)} (${points(difference.value)} pts, ${points(difference.low)} to ${points(difference.high)}${telling(difference, '; ')})`
    : measuredText(measured, percent);
  return corrected ? `${text}; ${correctedText(corrected, correction.differences?.[measure])}` : text;
}

function correctedText({ value, low, high }: Figure, difference: Figure | undefined): string {
  const text = l10n.t`corrected ${percent(value)}, ${percent(low)} to ${percent(high)}`;
  return difference
    ? `${text} (${points(difference.value)} pts, ${points(difference.low)} to ${points(difference.high)})`
    : text;
}

/** p-value and tallies, each preceded by `separator`. */
function telling({ p, wins, losses, ties }: Difference, separator: string): string {
  const parts = [...(p === undefined ? [] : [`p ${shortP(p)}`]), `${wins}/${losses}/${ties}`];
  return parts.map((part) => separator + part).join('');
}

/**
 * One row per data set, query, pipeline and measure, for spreadsheets and statistics: first the figures of the queries,
 * then the means under the query `all` with their differences.
 */
function toCsv(comparison: Evaluation): string {
  const { datasets, k } = comparison;
  const header = [
    ...['dataset', 'corpus', 'query', 'text', 'pipeline', 'measure', 'value', 'bound'],
    ...['difference', 'low', 'high', 'p', 'wins', 'losses', 'ties', 'first_ranks'],
    ...['corrected', 'corrected_low', 'corrected_high'],
    ...['corrected_difference', 'corrected_difference_low', 'corrected_difference_high'],
  ];
  const rows = [...datasets.flatMap((dataset) => queryRows(dataset, k)), ...meanRows(comparison)];
  return [header, ...rows].map((cells) => `${cells.map(escapeCsv).join(',')}\r\n`).join('');
}

const NO_DIFFERENCE = ['', '', '', '', '', '', ''];
const NOT_CORRECTED = ['', '', '', '', '', ''];

function queryRows({ name, corpus, queries, pipelines }: DatasetEvaluation, k: number): string[][] {
  return queries.flatMap((query) =>
    pipelines.flatMap((pipeline, index) => {
      const result = query.results[index];
      if (!result) return [];
      const { id, text, perspectives } = query;
      const ranks = perspectives.map((one) => `${one.id}:${rankAt(one, index) ?? ''}`).join(' ');
      const row = (measure: string, { value, bound }: Measured): string[] => [
        ...[name, corpus, id, text, pipeline.name, measure, String(value), bound],
        ...NO_DIFFERENCE,
        ranks,
        ...NOT_CORRECTED,
      ];
      return [
        ...Object.entries(result.measures).map(([measure, measured]) => row(measure, measured)),
        row(`Judged@${k}`, exactly(result.judged)),
      ];
    }),
  );
}

/** The rows of the table in the panel; averages are under the data set `average`. */
function meanRows({ datasets, macro, pipelines, measures }: Evaluation): string[][] {
  const row = (
    dataset: string,
    corpus: string,
    pipeline: string,
    measure: string,
    view: MeasureEvaluation,
    correction?: Correction,
  ): string[] => [
    ...[dataset, corpus, 'all', '', pipeline, measure, String(view.value), view.bound],
    ...(view.difference ? differenceCells(view.difference) : NO_DIFFERENCE),
    '',
    ...[correction?.figures[measure], correction?.differences?.[measure]].flatMap(correctedCells),
  ];
  const rows = datasets.flatMap(({ name, corpus, pipelines: results }) =>
    results.flatMap((result) =>
      measures.flatMap((measure) => {
        const view = result.measures[measure];
        return view && result.error === undefined
          ? [row(name, corpus, result.name, measure, view, result.correction)]
          : [];
      }),
    ),
  );
  const averages = (macro ?? []).flatMap((values, index) =>
    Object.entries(values).map(([measure, value]) =>
      row('average', '', pipelines[index]?.name ?? '', measure, value),
    ),
  );
  return [...rows, ...averages];
}

function correctedCells(figure: Figure | undefined): string[] {
  return figure ? [figure.value, figure.low, figure.high].map(String) : ['', '', ''];
}

function differenceCells({ value, low, high, p, wins, losses, ties }: Difference): string[] {
  return [value, low, high, p ?? '', wins, losses, ties].map(String);
}

/** A LaTeX table for papers (package booktabs): for each pipeline a row of values, then a row of differences. */
function toLatex(comparison: Evaluation): string {
  const { measures, k, judge, at } = comparison;
  const columns = measures.length + 1;
  const head = [l10n.t('Pipeline'), ...measures].map(escapeLatex).join(' & ');
  const blocks = blocksOf(comparison).map(({ name, note, rows }) =>
    [
      String.raw`\multicolumn{${columns}}{l}{\textit{${escapeLatex(name)}} (${escapeLatex(note)})} \\`,
      ...rows.flatMap((row) => latexRows(row, measures)),
    ].join('\n'),
  );
  return [
    String.raw`% Needs \usepackage{booktabs}.`,
    String.raw`\begin{table}`,
    String.raw`\centering`,
    String.raw`\begin{tabular}{l${'r'.repeat(measures.length)}}`,
    String.raw`\toprule`,
    String.raw`${head} \\`,
    String.raw`\midrule`,
    blocks.join('\n\\midrule\n'),
    String.raw`\bottomrule`,
    String.raw`\end{tabular}`,
    String.raw`\caption{$k = ${k}$, ${escapeLatex(l10n.t`judge ${judge}, ${at}.`)} ${escapeLatex(differencesText())}}`,
    String.raw`\end{table}`,
    '',
  ].join('\n');
}

function latexRows(
  { pipeline, measures, correction, error }: Block['rows'][number],
  names: readonly string[],
): string[] {
  const name = escapeLatex(pipeline);
  if (error !== undefined)
    return [
      String.raw`${name} & \multicolumn{${names.length}}{l}{${escapeLatex(l10n.t`could not be run: ${error}`)}} \\`,
    ];
  const values = measures.map((figure) => (figure ? latexValue(figure) : '--'));
  const rows = [String.raw`${[name, ...values].join(' & ')} \\`];
  if (measures.some((figure) => figure?.difference))
    rows.push(
      String.raw`${['', ...measures.map((figure) => latexDifference(figure?.difference))].join(' & ')} \\`,
    );
  if (correction && correction.lacks === undefined)
    rows.push(
      String.raw`${['', ...names.map((measure) => latexCorrected(correction, measure))].join(' & ')} \\`,
    );
  return rows;
}

/** `$\\geq$ 58.4` for a lower bound. */
function latexValue(measured: Measured): string {
  const value = (measured.value * 100).toFixed(1);
  return isLowerBound(measured) ? String.raw`$\geq$ ${value}` : value;
}

function latexCorrected({ figures, differences }: Correction, measure: string): string {
  const figure = figures[measure];
  return figure
    ? String.raw`{\scriptsize ${escapeLatex(correctedText(figure, differences?.[measure]))}}`
    : '';
}

/** `{\scriptsize $+2.9$ [$-1.1$, $6.8$], p .031, 9/4/165}`. */
function latexDifference(difference: Difference | undefined): string {
  if (!difference) return '';
  const math = (value: number): string => `$${(value * 100).toFixed(1).replace(/^-0\.0$/u, '0.0')}$`;
  const plus = difference.value > 0 ? '$+$' : '';
  return String.raw`{\scriptsize ${plus}${math(difference.value)} [${math(difference.low)}, ${math(difference.high)}]${escapeLatex(telling(difference, ', '))}}`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const points = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;
