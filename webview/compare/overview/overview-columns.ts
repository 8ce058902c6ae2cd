/** The columns of the overview: what each shows of a pipeline, how it sorts, and where its figures link to. */
import { html, nothing, type TemplateResult } from 'lit/html.js';
import { isAnyCorrected, isMarked } from '../../../src/core/metrics/circular.ts';
import { correctedDifferenceText, correctedFigureText } from '../../../src/core/metrics/corrected-text.ts';
import { ENOUGH_JUDGED } from '../../../src/core/metrics/judgements.ts';
import { definitionNamed } from '../../../src/core/metrics/measures.ts';
import type { Evaluation, MeasureEvaluation } from '../../../src/evaluation/evaluation.ts';
import { areComparable, type Measured } from '../../../src/core/measured.ts';
import { measuredText } from '../../../src/core/facts.ts';
import { circularBadge } from '../../components/circular-badge.ts';
import { differenceLine } from '../../components/difference.ts';
import { codicon } from '../../components/icon.ts';
import { words } from '../../components/words.ts';
import type { ComparedContext } from '../draft.ts';
import { baselineOf, type RanPipeline } from '../outcomes.ts';
import { followLead } from '../queries/follow-lead.ts';
import type { Lead, Wanted } from '../queries/lead.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import { overviewWords } from './strings.ts';
import type { Direction } from './table-order.ts';

/** A pipeline on one data set. */
export interface OverviewRow extends RanPipeline {
  readonly set: ShownSet;
  readonly baseline: boolean;
}

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly definition: string;
  /** The direction of the first click, which sorts the best values first. */
  readonly first: Direction;
  value(row: OverviewRow): number | string | undefined;
  cell(context: ComparedContext, row: OverviewRow): TemplateResult;
}

/** The columns with content. The first names the pipeline; its cells are row headers. */
export function columnsOf(comparison: Evaluation): Column[] {
  const { measures, datasets } = comparison;
  const results = datasets.flatMap(({ pipelines }) => pipelines);
  const [first] = measures;
  const tallied = results.some((one) => first !== undefined && one.measures[first]?.difference);
  return [
    nameColumn(),
    ...measures.map((measure) => measureColumn(comparison, measure)),
    ...(first !== undefined && tallied ? [tallyColumn(first)] : []),
    judgedColumn(),
    ...(results.some(({ setSize }) => setSize?.mean !== undefined) ? [setSizeColumn()] : []),
    timeColumn(),
  ];
}

/**
 * The columns of the average: measures, and one empty cell for all others.
 *
 * @param shown the columns of the table
 */
export function averageColumns(comparison: Evaluation, shown: readonly Column[]): Column[] {
  const measures = comparison.measures.filter((measure) => shown.some(({ key }) => key === measure));
  const rest = shown.length - 1 - measures.length;
  return [
    nameColumn(),
    ...measures.map((measure) => averageColumn(comparison, measure)),
    ...(rest > 0 ? [emptyColumn(rest)] : []),
  ];
}

function nameColumn(): Column {
  return {
    key: 'name',
    label: compareWords.pipeline(),
    definition: overviewWords.pipelineDefinition(),
    first: 'ascending',
    value: ({ name }) => name,
    cell: () => html``,
  };
}

function emptyColumn(width: number): Column {
  return {
    key: 'empty',
    label: '',
    definition: '',
    first: 'ascending',
    value: () => undefined,
    cell: () => html`<td colspan=${width}></td>`,
  };
}

function measureColumn({ datasets }: Evaluation, measure: string): Column {
  const ends = datasets.flatMap(({ pipelines }) =>
    pipelines.flatMap(({ measures }) => {
      const difference = measures[measure]?.difference;
      return difference ? [difference.low, difference.high] : [];
    }),
  );
  const scale = Math.max(0, ...ends.map(Math.abs));
  // Without verdicts the figures would be meaningless zeros.
  const needsVerdict = definitionNamed(measure)?.needs !== 'passages';
  const viewOf = ({ measures, judged }: OverviewRow): MeasureEvaluation | undefined =>
    judged > 0 || !needsVerdict ? measures[measure] : undefined;
  return {
    key: measure,
    label: measure,
    definition: measureDefinition(measure, datasets),
    first: 'descending',
    value: (row) => viewOf(row)?.value,
    cell: (context, row) => {
      const view = viewOf(row);
      if (!view) return html`<td>${words.none()}${second(overviewWords.nothingJudged())}</td>`;
      const figure = html`<span class="value">${measuredText(view, compareWords.value)}</span
        >${view.difference ? [differenceLine(view.difference, scale), comparedQueries(row, view.difference)] : uncompared(row, measure)}${correctedLine(row, measure)}${markOf(row, measure)}`;
      // The figure does not depend on queries that fall short.
      if (!needsVerdict) return html`<td><span class="figure">${figure}</span></td>`;
      return html`<td>
        <button
          class="figure"
          aria-label=${withCorrected(row, measure, overviewWords.measureLead(measure, view, row.baseline))}
          title=${withCorrected(row, measure, overviewWords.measureHint(view, row.baseline))}
          data-testid="lead-${measure}-${row.name}"
          @click=${() => followLead(context, measureLead(row, measure), row.set.name)}
        >
          ${figure}
        </button>
      </td>`;
    },
  };
}

/** Replaces a difference if further verdicts may change one of its values. */
function uncompared(
  { baseline, set, measures }: OverviewRow,
  measure: string,
): TemplateResult | typeof nothing {
  const place = baselineOf(set);
  const [figure, baselineFigure] = [
    measures[measure],
    place === undefined ? undefined : set.pipelines[place]?.measures[measure],
  ];
  if (baseline || !figure || !baselineFigure || figure.difference) return nothing;
  return second(overviewWords.differenceUnknown());
}

/** The number of queries that a difference is based on, if it is not all of them. */
function comparedQueries(
  { set }: OverviewRow,
  { wins, losses, ties }: NonNullable<MeasureEvaluation['difference']>,
): TemplateResult | typeof nothing {
  const compared = wins + losses + ties;
  if (compared === set.queries.length) return nothing;
  return second(overviewWords.comparedQueries(compared, set.queries.length));
}

/** Below the measured figure: the figure corrected for the judge's errors. */
function correctedLine({ correction, name }: OverviewRow, measure: string): TemplateResult | typeof nothing {
  const figure = correction?.figures[measure];
  if (!figure) return nothing;
  const difference = correction.differences?.[measure];
  return html`<span class="second" data-testid="corrected-${measure}-${name}"
      >${overviewWords.corrected(figure)}</span
    >${
      difference
        ? html`<span class="second" data-testid="corrected-difference-${measure}-${name}"
            >${overviewWords.correctedDifference(difference)}</span
          >`
        : nothing
    }`;
}

/** Marks uncorrected figures in a row that also has corrected ones and no mark at its name. */
function markOf(row: OverviewRow, measure: string): TemplateResult | typeof nothing {
  if (!isAnyCorrected(row.correction) || !isMarked(row, measure)) return nothing;
  return circularBadge(row.circular, `circular-${measure}-${row.name}`);
}

function withCorrected({ correction, measures }: OverviewRow, measure: string, hint: string): string {
  const figure = correction?.figures[measure];
  if (!figure) return hint;
  const difference = correction.differences?.[measure];
  return [
    correctedFigureText(measures[measure]!.value, figure, correction),
    ...(difference ? [correctedDifferenceText(difference)] : []),
    hint,
  ].join(' ');
}

/** Includes the divisor if it differs between data sets. */
function measureDefinition(measure: string, datasets: Evaluation['datasets']): string {
  const definition = definitionNamed(measure);
  if (!definition?.dependsOnBasis) return definition?.explain() ?? '';
  const isPooled = datasets.some(({ basis }) => basis === 'pooled');
  return `${definition.explain()} ${isPooled ? overviewWords.overPool() : overviewWords.overAllGiven()}`;
}

/** A difference links to the queries that cause it, a figure without one to the queries that keep it below 1. */
function measureLead({ name, baseline }: OverviewRow, measure: string): Lead {
  return baseline
    ? { to: 'short', pipeline: name, measure }
    : { to: 'versus', pipeline: name, measure, wanted: 'differing' };
}

function averageColumn({ macro = [], datasets }: Evaluation, measure: string): Column {
  const valueOf = ({ index }: OverviewRow): Measured | undefined => macro[index]?.[measure];
  const baseline = macro[baselineOf(datasets[0]!) ?? 0]?.[measure];
  return {
    key: measure,
    label: measure,
    definition: '',
    first: 'descending',
    value: (row) => valueOf(row)?.value,
    cell: (context, row) => {
      const value = valueOf(row);
      if (value === undefined) return html`<td>${words.none()}</td>`;
      const difference =
        row.baseline || baseline === undefined || !areComparable(value, baseline)
          ? undefined
          : value.value - baseline.value;
      return html`<td>
        <button
          class="figure"
          aria-label=${overviewWords.averageLead(measure, value, context.set.name)}
          title=${overviewWords.averageLead(measure, value, context.set.name)}
          data-testid="lead-average-${measure}-${row.name}"
          @click=${() => followLead(context, measureLead(row, measure))}
        >
          <span class="value">${measuredText(value, compareWords.value)}</span>
          ${difference === undefined ? nothing : html`<span class="second">${overviewWords.points(difference)}</span>`}
        </button>
      </td>`;
    },
  };
}

function tallyColumn(measure: string): Column {
  const differenceOf = ({ measures }: OverviewRow): MeasureEvaluation['difference'] =>
    measures[measure]?.difference;
  return {
    key: 'tally',
    label: overviewWords.wonLostTied(),
    definition: overviewWords.wonLostTiedDefinition(measure),
    first: 'descending',
    value: (row) => {
      const difference = differenceOf(row);
      return difference && difference.wins - difference.losses;
    },
    cell: (context, row) => {
      const difference = differenceOf(row);
      if (!difference || row.judged === 0) return html`<td>${words.none()}</td>`;
      const { wins, losses, ties } = difference;
      const part = (outcome: Exclude<Wanted, 'differing'>, n: number): TemplateResult =>
        html`<button
          class="figure part-figure"
          aria-label=${overviewWords.tallyLead(outcome, n, row.name)}
          title=${overviewWords.tallyLead(outcome, n, row.name)}
          data-testid="${outcome}-${row.name}"
          @click=${() => followLead(context, { to: 'versus', pipeline: row.name, measure, wanted: outcome }, row.set.name)}
        >
          ${compareWords.count(n)}
        </button>`;
      return html`<td class="tally">
        ${part('won', wins)} / ${part('lost', losses)} / ${part('tied', ties)}
      </td>`;
    },
  };
}

function judgedColumn(): Column {
  return {
    key: 'judged',
    label: compareWords.judged(),
    definition: overviewWords.judgedDefinition(),
    first: 'descending',
    value: ({ judged }) => judged,
    cell: (context, { name, judged, set, foundNothing }) => {
      if (foundNothing)
        return html`<td class="muted" data-testid="judged-${name}">${overviewWords.nothingRetrieved()}</td>`;
      const low = judged < ENOUGH_JUDGED;
      return html`<td class=${low ? 'low' : ''} data-testid="judged-${name}">
        <button
          class="figure"
          aria-label=${overviewWords.judgedLead(judged)}
          title=${low ? overviewWords.judgedLow(judged) : overviewWords.judgedDefinition()}
          @click=${() => followLead(context, { to: 'unjudged', pipeline: name }, set.name)}
        >
          ${low ? codicon('warning') : nothing}${overviewWords.judgedShare(judged)}${low && judged > 0 ? second(overviewWords.mayBeHoles()) : nothing}
        </button>
      </td>`;
    },
  };
}

function setSizeColumn(): Column {
  return {
    key: 'set-size',
    label: compareWords.setSize(),
    definition: overviewWords.setSizeDefinition(),
    first: 'ascending',
    value: ({ setSize }) => setSize?.mean,
    cell: (_context, { setSize }) => {
      if (!setSize) return html`<td>${words.none()}${second(overviewWords.tooLittleJudged())}</td>`;
      const { mean, coveredShare } = setSize;
      return mean === undefined
        ? html`<td>${words.none()}${second(overviewWords.setSizeNone())}</td>`
        : html`<td>${overviewWords.setSizeMean(mean)}${second(overviewWords.setSizeOver(coveredShare))}</td>`;
    },
  };
}

function timeColumn(): Column {
  return {
    key: 'time',
    label: overviewWords.time(),
    definition: overviewWords.timeDefinition(),
    first: 'ascending',
    value: ({ milliseconds }) => milliseconds,
    cell: (_context, { milliseconds, search }) =>
      html`<td>${overviewWords.milliseconds(milliseconds)}${second(overviewWords.search(search))}</td>`,
  };
}

/** The second, muted line of a cell. */
function second(text: string): TemplateResult {
  return html`<span class="second"> ${text}</span>`;
}
