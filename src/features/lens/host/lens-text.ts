/**
 * The texts beside a call. They show one kind of figures, the most faithful available: measured before captured before
 * rebuilt; the hover shows the others. As long as the kind does not change, neither does the number of texts, so that
 * lines do not jump. A call without figures has only texts that lead to some. Each text makes sense alone, because
 * screen readers read them one by one.
 */
import * as l10n from '@vscode/l10n';
import { judgedPercent, judgedText, judgedTopText, measuredText } from '../../../core/facts.ts';
import type { NotPlanned, SitePlan } from '../../../sites/plan.ts';
import { footnotesOf } from '../../../core/judging/judgement-tally.ts';
import { definitionNamed } from '../../../core/metrics/measures.ts';
import { isPlanned } from '../../../sites/plan.ts';
import { counts, numberFormat, percent } from '../../../core/counted.ts';
import { openRuns, type SiteCaptured } from './captured-sites.ts';
import { capturedSentence, capturedText } from './captured-text.ts';
import { bestWhatIf, isUpperBound, type SiteFigures, type WhatIfFigures } from './site-figures.ts';

/** The action on a click. */
export type LensAction =
  | 'evaluate'
  | 'cancel'
  | 'compare'
  | 'preview'
  | 'details'
  | 'set-k'
  | 'remedy'
  | 'captured'
  | 'judge'
  | 'run'
  | 'measure';

export interface LensText {
  readonly title: string;
  readonly tooltip: string;
  readonly action: LensAction;
}

/** All information about a call. */
export interface SiteState {
  readonly planned: SitePlan | NotPlanned;
  /** The newest figures, current or stale. */
  readonly figures: SiteFigures | undefined;
  /** Whether the program, eval set, corpus or judgements changed since, or the window was restarted. */
  readonly stale: boolean;
  readonly running: boolean;
  /** Name of the what-if that an edit of the code can apply. `undefined` if it is not clear what to write. */
  readonly editable?: string | undefined;
  /** The call's k. `undefined` if unknown. */
  readonly k: number | undefined;
  /** Figures of captured retrievals of this call. `undefined` if nothing was captured here. */
  readonly captured?: SiteCaptured | undefined;
  /** Whether the call can be observed in a running program. `undefined` if programs cannot be run. */
  readonly run?: RunState | undefined;
}

/**
 * - `possible`: nothing is observed.
 * - `observing`: programs are observed; this call has not retrieved yet.
 * - `alive`: a program in which this call retrieved is running, and the call can be asked again.
 * - `ended`: that program has ended, and can be measured when it is started again.
 */
export type RunState = 'possible' | 'observing' | 'alive' | 'ended';

const NONE = '–';
const LINK = '$(link)';

/** A rebuilt pipeline shows no figures if a smaller share of its top k is judged. */
const MIN_JUDGED = 0.3;

/**
 * What the program itself returned, or one text per metric and the best what-if; then the next step. Captured
 * retrievals hide the figures of a stand-in, even before they are judged.
 */
export function lensTexts(state: SiteState, metrics: readonly string[]): readonly LensText[] {
  const { captured, planned, figures, run } = state;
  if (captured && isCapturedTruer(state))
    return [
      capturedLens(captured, planned),
      ...judgeTexts(captured),
      figures || isCapturedTruest(state) ? afterCaptured(state) : lastText(state),
    ];
  const ways = figures ? [] : runTexts(state);
  // That nothing came from this call is worth a text only if nothing else is known of it.
  const nothing =
    captured && !figures && run === undefined
      ? [capturedLens(captured, planned), ...judgeTexts(captured)]
      : [];
  return [...ways, ...(ways.length > 0 ? [] : knownTexts(state, metrics)), ...nothing, lastText(state)];
}

/** Whether captured retrievals of the call say more of it than its figures. */
function isCapturedTruer(state: SiteState): boolean {
  const { captured, figures } = state;
  return (
    isCapturedTruest(state) ||
    (figures?.origin !== 'measured' && captured !== undefined && captured.queries > 0)
  );
}

/** Texts that lead to figures of the program itself. A broken configuration must be fixed first. */
function runTexts({ run, planned, running }: SiteState): readonly LensText[] {
  if (run === undefined || running) return [];
  if (isPlanned(planned) ? planned.origin === 'measured' : FIRST_MENDED.includes(planned.reason)) return [];
  if (run === 'alive' || run === 'ended')
    return [
      {
        title: l10n.t('Observed: a retrieval without a question'),
        tooltip: l10n.t(
          'The call takes a vector, and no function around it takes the question. Move it into a function that takes the question as text: then it can be shown and measured.',
        ),
        action: 'captured',
      },
    ];
  if (run === 'observing')
    return [
      {
        title: l10n.t('Observed: no retrieval yet'),
        tooltip: l10n.t('Ask your program a question. What this call retrieves appears here.'),
        action: 'captured',
      },
    ];
  return [
    {
      title: l10n.t('Run to see what this call misses'),
      tooltip: l10n.t(
        'Opens a terminal. What the calls of a program retrieve that you start there appears above them. Your code stays as it is.',
      ),
      action: 'run',
    },
  ];
}

const FIRST_MENDED: readonly NotPlanned['reason'][] = [
  'bad-config',
  'bad-pipeline',
  'no-such-pipeline',
  'untrusted',
  'captured',
  'only-reorders',
];

/** The figures of the call, or the reason why there are none. */
function knownTexts(state: SiteState, metrics: readonly string[]): readonly LensText[] {
  const { figures, planned, stale } = state;
  if (!figures) return isPlanned(planned) ? [] : [missingText(planned)];
  // Stale figures may have become meaningful, so offering to evaluate again is enough.
  if (saysNothing(figures)) return stale && isPlanned(planned) ? [] : [tooLittleText(figures)];
  return [
    ...metrics.map((metric, index) => metricText(state, figures, metric, index === 0)),
    whatIfText(state, figures),
  ];
}

/** Whether captured retrievals have figures and no measured pipeline of the call has any. */
export function isCapturedTruest({ figures, captured }: SiteState): boolean {
  return captured?.means !== undefined && captured.means.judged > 0 && figures?.origin !== 'measured';
}

/** The text after captured figures: a run in progress, the way to measured figures, or the details. */
function afterCaptured(state: SiteState): LensText {
  const { planned, running, run } = state;
  if (running || (isPlanned(planned) && planned.origin === 'measured')) return lastText(state);
  if (run === 'alive' || run === 'ended') return measureText(run);
  return {
    title: l10n.t('Details'),
    tooltip: l10n.t('Details about this call, and a similar pipeline that can stand in for it.'),
    action: 'details',
  };
}

/**
 * The link at a call that runs a retriever, to the place that makes the retriever.
 *
 * @param line counted from 1
 */
export function useText(
  callee: string | undefined,
  file: string | undefined,
  line: number,
): Omit<LensText, 'action'> {
  const where = file ?? callee ?? '';
  return {
    title: `${LINK} ${l10n.t`${where}, line ${line}`}`,
    tooltip: l10n.t('The figures are shown where the retriever is made. Click to go there.'),
  };
}

/** The link at a call of the program's own function that retrieves. `file` is `undefined` for the same file. */
export function wrapperText(file: string | undefined, line: number): Omit<LensText, 'action'> {
  const title =
    file === undefined
      ? l10n.t`uses the retrieval in line ${line}`
      : l10n.t`uses the retrieval in ${file}, line ${line}`;
  return {
    title: `${LINK} ${title}`,
    tooltip: l10n.t('The figures are shown at the call that retrieves. Click to go there.'),
  };
}

/** Whether too little of a rebuilt pipeline's results is judged for meaningful figures. */
function saysNothing({ origin, judged }: SiteFigures): boolean {
  return origin === 'rebuilt' && judged < MIN_JUDGED;
}

/** The texts that a list offers. */
export function listedTexts(state: SiteState, metrics: readonly string[]): readonly LensText[] {
  return lensTexts(state, metrics).filter(({ action }) => action !== 'details');
}

/** The figures in one short text, for hints and the end of a line. */
export function compactText(state: SiteState, metrics: readonly string[]): string | undefined {
  const { figures } = state;
  if (state.captured && isCapturedTruest(state)) return capturedText(state.captured);
  const [metric] = metrics;
  const measure = metric === undefined ? undefined : figures?.measures[`${metric}@${figures.k}`];
  if (!figures || !measure) return state.captured?.means ? capturedText(state.captured) : undefined;
  if (saysNothing(figures)) return state.stale ? undefined : tooLittleText(figures).title;
  return `${metricName(metric!, figures.k)} ${figureText(measure)}${standInMark(state)}`;
}

/** All texts on one line. */
export function lineText(state: SiteState, metrics: readonly string[]): string | undefined {
  if (!state.figures) return state.captured?.means ? capturedText(state.captured) : undefined;
  return lensTexts(state, metrics)
    .slice(0, -1)
    .filter(({ action }) => action !== 'judge')
    .map(({ title }) => withoutIcons(title))
    .join(' | ');
}

/** `$(sync~spin) MRecall@5` becomes `MRecall@5`, for places that do not draw icons. */
export function withoutIcons(text: string): string {
  return text.replaceAll(/\$\([\w~-]+\)\s*/gu, '');
}

function metricText(state: SiteState, figures: SiteFigures, metric: string, isFirst: boolean): LensText {
  const measure = figures.measures[`${metric}@${figures.k}`];
  const spin = state.running && isFirst ? '$(sync~spin) ' : '';
  const name = metricName(metric, figures.k);
  if (!measure)
    return {
      title: `${spin}${name} ${NONE}`,
      tooltip: l10n.t('It was not evaluated with the others. Click to see what was.'),
      action: 'compare',
    };
  // The first part of a line says in its text whose figures it shows, each part in its tooltip.
  const figure = `${name} ${figureText(measure)}`;
  return {
    title: `${spin}${isFirst ? marked(figure, state) : figure}`,
    tooltip: `${originSentence(figures)} ${basisSentence(figures)}`,
    action: 'compare',
  };
}

function tooLittleText({ judged, k }: SiteFigures): LensText {
  return {
    title: l10n.t`${judgedText(judged)}: too little for figures`,
    tooltip: l10n.t`Only ${judgedPercent(judged)} of the top ${k} is judged. Below ${percent(MIN_JUDGED)} no figure is shown for a pipeline that stands in for yours. Click to have the rest judged.`,
    action: 'compare',
  };
}

export function figureText(measure: SiteFigures['measures'][string]): string {
  return measuredText(measure, percent);
}

/**
 * The best what-if. If none has a figure, the result of a perfect reranker, or the judged share of the call's own
 * results.
 */
function whatIfText(state: SiteState, figures: SiteFigures): LensText {
  const { planned } = state;
  if (!isPlanned(planned) && planned.reason === 'k-unknown' && !figures.live) return missingText(planned);
  const best = bestWhatIf(figures);
  const ceiling = figures.whatIfs.find(({ oracle, value }) => oracle === 'labels' && value !== undefined);
  if (!best && ceiling?.value)
    return {
      title: l10n.t`perfect reranker ${figureText(ceiling.value)}`,
      tooltip: l10n.t`MRecall@${figures.k} of the passages that this call can fetch, ordered by your labels: this is possible without another search. ${basisSentence(figures)} Click to compare.`,
      action: 'compare',
    };
  if (!best) return { title: basisText(figures), tooltip: basisSentence(figures), action: 'compare' };
  return {
    title: `${best.name} ${differenceText(best, figures)}`,
    tooltip:
      best.name === state.editable
        ? l10n.t`${whatIfSentence(figures, best)} Click to see what would change in the code.`
        : l10n.t`${whatIfSentence(figures, best)} Click to compare.`,
    action: 'preview',
  };
}

function missingText(planned: NotPlanned): LensText {
  return { title: reasonText(planned.reason), tooltip: planned.message, action: remedyOf(planned) };
}

function capturedLens(captured: SiteCaptured, planned: SiteState['planned']): LensText {
  const tooltip =
    captured.queries > 0
      ? capturedSentence(captured)
      : !isPlanned(planned) && planned.reason === 'captured'
        ? planned.message
        : l10n.t(
            'No captured retrieval is known to come from this call. Bind it with a comment: "parallax: retriever=captured".',
          );
  return { title: capturedText(captured), tooltip, action: 'captured' };
}

/** Links to judge captured retrievals, whose figures are uncertain until all pairs are judged. */
function judgeTexts(captured: SiteCaptured): readonly LensText[] {
  const open = openRuns(captured).length;
  if (open === 0) return [];
  return [
    {
      title: captured.means?.judged === 0 ? l10n.t('Judge') : l10n.t('Judge the rest'),
      tooltip: l10n.t`Asks the judge about the unjudged pairs of ${counts.questions(open)}. Without a judge, the passages open in the Parallax view, so that you can label them.`,
      action: 'judge',
    },
  ];
}

function measureText(run: 'alive' | 'ended'): LensText {
  if (run === 'ended')
    return {
      title: l10n.t('Measure on the eval set'),
      tooltip: l10n.t(
        'Your program has ended. Once you start it again, this call is asked every question of the eval set. You see first what is called, and how often.',
      ),
      action: 'measure',
    };
  return {
    title: l10n.t('Measure on the eval set'),
    tooltip: l10n.t(
      'Asks this call every question of the eval set in your running program. You see first what is called, and how often.',
    ),
    action: 'measure',
  };
}

function lastText({ figures, planned, running, stale, run, captured }: SiteState): LensText {
  if (running)
    return {
      title: l10n.t('Cancel evaluation'),
      tooltip: l10n.t('The figures stay as they are.'),
      action: 'cancel',
    };
  if ((run === 'alive' || run === 'ended') && (figures?.live ? stale : captured !== undefined))
    return measureText(run);
  if (isPlanned(planned) && (!figures || (stale && !figures.live)))
    return {
      title: figures
        ? l10n.t('Evaluate again')
        : planned.origin === 'measured'
          ? l10n.t('Evaluate (measured)')
          : l10n.t('Try a stand-in'),
      tooltip: l10n.t`${planOriginSentence(planned)} Asked on ${planned.evalSet}.`,
      action: 'evaluate',
    };
  if (!figures)
    return {
      title: l10n.t('Details'),
      tooltip: l10n.t('Details about this call.'),
      action: 'details',
    };
  return {
    // The first text says whose figures these are.
    title:
      figures.origin === 'measured' || figures.standIn !== undefined
        ? l10n.t('Details')
        : l10n.t('Details (rebuilt)'),
    tooltip: originSentence(figures),
    action: 'details',
  };
}

function reasonText(reason: NotPlanned['reason']): string {
  switch (reason) {
    case 'k-unknown':
      return l10n.t('k is not known: set it to see what this call misses');
    case 'no-such-pipeline':
      return l10n.t('Pipeline not found');
    case 'captured':
      return l10n.t('Bound to captured runs');
    case 'only-reorders':
    case 'matching-unknown':
      return l10n.t('Bind to a pipeline to see what this call misses');
    case 'bad-pipeline':
      return l10n.t('Not rebuilt');
    case 'bad-config':
      return l10n.t('parallax.json cannot be used');
    case 'no-eval-set':
      return l10n.t('Ask a question to see what this call misses');
    case 'no-corpus':
      return l10n.t('No corpus');
    case 'untrusted':
      return l10n.t('Trust the workspace to see what this call misses');
  }
}

function remedyOf({ reason }: NotPlanned): LensAction {
  if (reason === 'captured') return 'captured';
  return reason === 'k-unknown' ? 'set-k' : reason === 'bad-pipeline' ? 'details' : 'remedy';
}

function marked(figure: string, state: SiteState): string {
  const isMeasured = state.figures?.origin === 'measured';
  return `${isMeasured ? l10n.t`${figure} measured` : figure}${standInMark(state)}`;
}

function standInMark({ stale, figures }: SiteState): string {
  const isStandIn = figures?.standIn !== undefined;
  if (stale) return ` ${isStandIn ? l10n.t('(stand-in, stale)') : l10n.t('(stale)')}`;
  return isStandIn ? ` ${l10n.t('(stand-in)')}` : '';
}

/** @param metric as in the settings, without `@k` */
export function metricName(metric: string, k: number | string): string {
  return `${definitionNamed(metric)?.short ?? metric}@${k}`;
}

export function originSentence(figures: Origin): string {
  const explanation = originExplanation(figures);
  return figures.origin === 'measured' ? l10n.t`Measured: ${explanation}` : l10n.t`Rebuilt: ${explanation}`;
}

/** {@link originSentence} without its subject. */
export function originExplanation({ origin, standIn }: Origin): string {
  if (origin === 'measured') return l10n.t('your own retriever answered.');
  return standIn === undefined
    ? l10n.t("a similar pipeline searched Parallax's own index; your retriever was not asked.")
    : l10n.t`a similar pipeline searched Parallax's own index (${standIn}); your retriever was not asked.`;
}

type Origin = Pick<SiteFigures, 'origin' | 'standIn'>;

function planOriginSentence(plan: SitePlan): string {
  return plan.origin === 'measured'
    ? l10n.t`Measured: asks your own retriever through the pipeline "${plan.boundTo ?? ''}".`
    : l10n.t("Rebuilt: runs a similar pipeline on Parallax's own index, not your retriever.");
}

function basisText({ judged, foundNothing }: SiteFigures): string {
  return foundNothing ? l10n.t('nothing retrieved') : judgedText(judged);
}

/** The number of questions, the judged share, and the judges. */
export function basisSentence({ queries, judged, foundNothing, k, sources }: SiteFigures): string {
  if (foundNothing) return l10n.t`${counts.questions(queries)}; nothing was retrieved for any.`;
  const sentence = l10n.t`${counts.questions(queries)}; ${judgedTopText(judged, String(k), sources)}.`;
  return [sentence, ...footnotesOf(sources)].join(' ');
}

function whatIfSentence(figures: SiteFigures, whatIf: WhatIfFigures): string {
  const { k, queries } = figures;
  const { name, difference, oracle, error } = whatIf;
  if (error !== undefined) return `${name}: ${error}`;
  if (!difference) return l10n.t`${name}: ${differenceText(whatIf, figures)}.`;
  const { value, low, high } = difference;
  const interval = l10n.t`${name}: MRecall@${k} ${points(value)}, 95% interval ${points(low)} to ${points(high)}.`;
  const found =
    difference.queries === queries
      ? interval
      : l10n.t`${interval} Compared on the ${difference.queries} of ${queries} questions that are fully judged.`;
  if (oracle === undefined) return found;
  if (oracle === 'labels')
    return l10n.t`${found} It is ordered by your labels: what a perfect reranker reaches.`;
  return isUpperBound(whatIf)
    ? l10n.t`${found} It gets the perspectives of the eval set: an upper bound.`
    : l10n.t`${found} It gets the perspectives of the eval set.`;
}

/**
 * `+2.9 pts?` if the interval includes zero, because the difference may be noise. Adds a note if it is based on only
 * some of the questions.
 */
export function differenceText(
  { difference }: WhatIfFigures,
  { queries }: Pick<SiteFigures, 'queries'>,
): string {
  if (!difference) return l10n.t('not known');
  const text = signedText(difference);
  return difference.queries === queries ? text : l10n.t`${text} on ${difference.queries} of ${queries}`;
}

function signedText({ value, low, high }: NonNullable<WhatIfFigures['difference']>): string {
  if (value === 0 && low === 0 && high === 0) return l10n.t('no difference');
  return low <= 0 && high >= 0 ? l10n.t`${points(value)}?` : points(value);
}

/** Percentage points, with their sign. */
export function points(value: number): string {
  const tenths = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const shown = tenths.format(Math.abs(value) * 100);
  return l10n.t`${value < 0 && shown !== tenths.format(0) ? '−' : '+'}${shown} pts`;
}
