/** A gate's report as a pull request comment: lost and won perspectives, figures with intervals, and costs. */
import { exactly } from '../measured.ts';
import { figuresOf, type Figure } from '../metrics/figures.ts';
import {
  queriesIn,
  type GateCheck,
  type GateReport,
  type LostView,
  type PlacedQuery,
} from '../../features/gate/core/report.ts';
import { checkTitle, checkValue, figureText, percent, points } from '../../features/gate/core/wording.ts';
import { withoutFullStop } from '../text/trim.ts';
import { escapeMarkdown } from './escape.ts';
import { cutAtLine } from './github.ts';
import { markdownTable } from './markdown.ts';
import { isKnownFigure } from '../metrics/measures.ts';
import {
  circumstances,
  costText,
  groundsOf,
  headline,
  isKnownCheck,
  OUTCOMES,
  pCell,
  reasonsOf,
  UNJUDGED,
  UNKNOWN,
  type Rows,
} from './tables.ts';

/** GitHub's limit is 65,536 characters, and a character has at least one byte. */
const LONGEST_COMMENT = 65_000;

/** The job summary has all of them. */
const SHOWN = 20;

const LONGEST_QUESTION = 200;

export interface CommentOptions {
  /** Distinguishes the comments of several gates, such as the path of parallax.json. */
  readonly id: string;
  /** Returns the URL of a line of a file. `undefined` if URLs are unknown. */
  readonly linkTo?: ((file: string, line: number) => string | undefined) | undefined;
}

/** The invisible first line of comments with this id. */
export function commentMarker(id: string): string {
  return `<!-- parallax gate: ${encodeURIComponent(id).replaceAll('-', '%2D')} -->`;
}

/** GitHub-flavoured Markdown with the marker on its first line, and without mentions or references. */
export function toComment(report: GateReport, options: CommentOptions): string {
  const blocks = [
    commentMarker(options.id),
    `## Parallax: ${text(headline(report))}`,
    ...perspectiveBlocks(report, options),
    ...(report.datasets.length > 0 ? [markdownTable(withoutReferences(figureRows(report)))] : []),
    ...costText(report),
    details([...reasonsOf(report), ...groundsOf(report), ...report.notes, UNJUDGED, circumstances(report)]),
  ];
  const rest =
    'The rest is left out: a comment may hold 65,536 characters. The summary of the job has all of it.';
  return cutAtLine(blocks.map((block) => `${block}\n`).join('\n'), LONGEST_COMMENT, rest);
}

/**
 * Text that would notify a person or refer to another pull request: `@name`, `#1` and `GH-1` on GitHub, and `!1`, `$1`,
 * `%1`, `~label`, `&1`, `^alert` on GitLab. GitLab searches the rendered Markdown, where backslashes have no effect.
 */
const REFERENCE = /[@#!$%~&^](?=[\p{L}\p{N}_"'-])|\bGH-(?=\d)/giu;

const apart = (content: string): string => content.replace(REFERENCE, '$&\u200B');

const text = (content: string): string => escapeMarkdown(apart(content));

interface PlacedPerspective extends PlacedQuery {
  /** The perspective and what happened to it. */
  readonly sentence: string;
}

function perspectiveBlocks(report: GateReport, options: CommentOptions): string[] {
  if (!report.baseline)
    return listed('Perspectives that failed questions lose', lostOfFailed(report), options);
  const won = queriesIn(report).flatMap((place) =>
    (place.query.won ?? []).map((each) => ({ ...place, sentence: bold(each.text) })),
  );
  const blocks = [
    ...listed(
      'Perspectives lost since the baseline',
      lostWhere(report, ({ newly }) => newly),
      options,
    ),
    ...listed(
      'Quarantined: the judge says now this and now that',
      lostWhere(report, ({ quarantined }) => quarantined === true),
      options,
    ),
    ...listed(
      'Perspectives that are unjudged in what is retrieved now',
      lostWhere(report, ({ unjudged }) => unjudged !== undefined),
      options,
    ),
    ...listed('Perspectives won since the baseline', won, options),
  ];
  return blocks.length > 0 || report.datasets.length === 0
    ? blocks
    : ['No perspective was lost or won since the baseline.'];
}

function lostWhere(report: GateReport, predicate: (lost: LostView) => boolean): PlacedPerspective[] {
  return queriesIn(report).flatMap((place) =>
    place.query.lost.filter(predicate).map((each) => ({ ...place, sentence: withReason(each) })),
  );
}

function lostOfFailed(report: GateReport): PlacedPerspective[] {
  return queriesIn(report)
    .filter(({ query }) => query.missed.length > 0)
    .flatMap((place) =>
      place.query.lost
        .filter(({ where }) => where !== 'unjudged')
        .map((each) => ({ ...place, sentence: withReason(each) })),
    );
}

const bold = (perspective: string): string => `**${text(shortened(perspective))}**`;

function withReason(lost: { readonly text: string; readonly reason: string }): string {
  return `${bold(withoutFullStop(lost.text))}: ${text(lost.reason)}`;
}

function listed(
  title: string,
  perspectives: readonly PlacedPerspective[],
  { linkTo }: CommentOptions,
): string[] {
  if (perspectives.length === 0) return [];
  const items = perspectives.slice(0, SHOWN).map((each) => `- ${each.sentence}<br>${placeOf(each, linkTo)}`);
  const rest = perspectives.length - items.length;
  const more = rest > 0 ? [`- … and ${rest} more: see the summary of the job.`] : [];
  return [`### ${title}: ${perspectives.length}`, [...items, ...more].join('\n')];
}

/** The question with a link to its line, and the pipeline. */
function placeOf({ dataset, pipeline, query }: PlacedQuery, linkTo: CommentOptions['linkTo']): string {
  const { file } = dataset;
  const { line = 1 } = query;
  const url = linkTo?.(file, line);
  const place = text(query.line === undefined ? file : `${file}:${line}`);
  const shown = url === undefined ? place : `[${place}](<${url}>)`;
  return `${text(pipeline.name)}, “${text(shortened(query.text))}” (${shown})`;
}

function shortened(question: string): string {
  return question.length <= LONGEST_QUESTION
    ? question
    : `${question.slice(0, LONGEST_QUESTION).toWellFormed()}…`;
}

const FIGURE_HEADER = [
  '',
  'eval set',
  'pipeline',
  'figure',
  'now',
  'baseline',
  'difference',
  'p',
  'won / lost',
];

const VALUE_COLUMN = FIGURE_HEADER.indexOf('now');

/** One row per check, or one per figure without checks. */
function figureRows(report: GateReport): Rows {
  const figures = new Map(
    report.datasets.flatMap(({ name, pipelines }) =>
      pipelines.map((pipeline) => [JSON.stringify([name, pipeline.name]), figuresOf(pipeline)] as const),
    ),
  );
  const rows = report.checks.map((check) => {
    const pipelineFigures = figures.get(JSON.stringify([check.dataset, check.pipeline]));
    const cells = checkRow(check, check.tag === undefined ? pipelineFigures?.[check.metric] : undefined);
    return isKnownCheck(check, report.datasets) ? cells : cells.with(VALUE_COLUMN, UNKNOWN);
  });
  return { header: FIGURE_HEADER, rows: rows.length > 0 ? rows : uncheckedRows(report, figures), names: 4 };
}

function withoutReferences({ header, rows, names }: Rows): Rows {
  return { header, rows: rows.map((cells) => cells.map(apart)), names };
}

function checkRow(check: GateCheck, figure: Figure | undefined): string[] {
  const { outcome, dataset, pipeline, value, corrected, baseline } = check;
  // An interval over a sample does not cover unjudged passages.
  const interval = check.lost || check.bound !== 'exact' ? undefined : (corrected ?? figure);
  return [
    OUTCOMES[outcome],
    dataset,
    pipeline,
    checkTitle(check),
    interval
      ? withInterval(percent(value), percent(interval.low), percent(interval.high))
      : checkValue(check),
    ...baselineCells(baseline),
  ];
}

function baselineCells(baseline: GateCheck['baseline']): string[] {
  if (!baseline) return ['', '', '', ''];
  const { value, paired, counted } = baseline;
  if (!paired) return [percent(value), UNKNOWN, '', ''];
  const { difference, low, high, p, wins, losses } = paired;
  return [
    percent(value),
    withInterval(points(difference), points(low), points(high)),
    pCell(p, counted),
    `${wins} / ${losses}`,
  ];
}

function uncheckedRows(
  { datasets }: GateReport,
  figures: ReadonlyMap<string, Readonly<Record<string, Figure>>>,
): string[][] {
  return datasets.flatMap(({ name, pipelines }) =>
    pipelines.flatMap((pipeline) =>
      Object.entries(figures.get(JSON.stringify([name, pipeline.name]))!).map(
        ([metric, { value, low, high }]) => [
          ...['', name, pipeline.name, metric],
          isKnownFigure(pipeline.metrics, metric)
            ? withInterval(
                figureText(pipeline.bounds?.[metric] ?? exactly(value)),
                percent(low),
                percent(high),
              )
            : UNKNOWN,
          ...['', '', '', ''],
        ],
      ),
    ),
  );
}

const withInterval = (value: string, low: string, high: string): string => `${value} [${low}, ${high}]`;

function details(sentences: readonly string[]): string {
  const list = sentences.map((sentence) => `- ${text(sentence)}`).join('\n');
  return `<details><summary>Why, and what the figures rest on (intervals are at 95%)</summary>\n\n${list}\n\n</details>`;
}
