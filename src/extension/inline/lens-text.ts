/**
 * The texts beside a call. Always as many for a call, whatever is known about it, so that lines do not jump;
 * each says by itself what it is about, because screen readers read them one by one.
 */
import type { NotPlanned, SitePlan } from '../../sites/plan.ts';
import { isPlanned } from '../../sites/plan.ts';
import type { SiteCaptured } from './captured-sites.ts';
import { bestWhatIf, type SiteFigures, type WhatIfFigures } from './site-figures.ts';

/** What a click does. */
export type LensAction =
  'evaluate' | 'cancel' | 'compare' | 'preview' | 'details' | 'set-k' | 'remedy' | 'captured';

export interface LensText {
  readonly title: string;
  readonly tooltip: string;
  readonly action: LensAction;
}

/** What is known about a call. */
export interface SiteState {
  readonly planned: SitePlan | NotPlanned;
  /** The newest figures, whether they still hold or not. */
  readonly figures: SiteFigures | undefined;
  /** Program, eval set, corpus or judgements changed since, or the window was restarted. */
  readonly stale: boolean;
  readonly running: boolean;
  /** k as the call says; absent where it is not known. */
  readonly k: number | undefined;
  /** What the running program was seen to retrieve here; absent while nothing is, and nothing was, captured. */
  readonly captured?: SiteCaptured | undefined;
}

/** Names of measures as settings have them, without the `@k`. */
export const INLINE_METRICS = ['MRecall', 'Precision', 'StRecall', 'alpha_nDCG', 'nDCG'] as const;
export type InlineMetric = (typeof INLINE_METRICS)[number];

const SHORT: Partial<Record<string, string>> = { Precision: 'P', alpha_nDCG: 'α-nDCG' };
const NONE = '–';

/** One per metric, then the best what-if, then what was captured where anything is, then the details. */
export function lensTexts(state: SiteState, metrics: readonly string[]): readonly LensText[] {
  return [
    ...metrics.map((metric, index) => metricText(state, metric, index === 0)),
    whatIfText(state),
    ...(state.captured ? [capturedLens(state.captured, state.planned)] : []),
    lastText(state),
  ];
}

/** The same in one short piece, for hints and the end of a line. */
export function compactText(state: SiteState, metrics: readonly string[]): string | undefined {
  const { figures } = state;
  const [metric] = metrics;
  const measure = metric === undefined ? undefined : figures?.measures[`${metric}@${figures.k}`];
  if (!figures || !measure) return state.captured?.means ? capturedText(state.captured) : undefined;
  return `${metricName(metric!, figures.k)} ${percent(measure.value)}${marks(state)}`;
}

/** All of it on one line. */
export function lineText(state: SiteState, metrics: readonly string[]): string | undefined {
  if (!state.figures) return state.captured?.means ? capturedText(state.captured) : undefined;
  return lensTexts(state, metrics)
    .slice(0, -1)
    .map(({ title }) => withoutIcons(title))
    .join(' | ');
}

/** `$(sync~spin) MRecall@5` reads `MRecall@5` where icons are not drawn. */
export function withoutIcons(text: string): string {
  return text.replaceAll(/\$\([\w~-]+\)\s*/gu, '');
}

function metricText(state: SiteState, metric: string, isFirst: boolean): LensText {
  const { figures, running, planned, k } = state;
  const measure = figures?.measures[`${metric}@${figures.k}`];
  const spin = running && isFirst ? '$(sync~spin) ' : '';
  if (!figures || !measure) {
    const shownK = (isPlanned(planned) ? planned.base.pipeline.k : k) ?? '?';
    return {
      title: `${spin}${metricName(metric, shownK)} ${NONE}`,
      tooltip: isPlanned(planned) ? 'Not evaluated yet. Click to evaluate this call.' : planned.message,
      action: isPlanned(planned) ? (running ? 'cancel' : 'evaluate') : remedyOf(planned),
    };
  }
  // Every part of a measured call's line says so on its own in the tooltip; the first also in the text.
  const measured = isFirst && figures.origin === 'measured' ? ' measured' : '';
  return {
    title: `${spin}${metricName(metric, figures.k)} ${percent(measure.value)}${measured}${marks(state)}`,
    tooltip: `${originSentence(figures)} ${basisSentence(figures)}`,
    action: 'compare',
  };
}

function whatIfText(state: SiteState): LensText {
  const { figures, planned, running } = state;
  if (!isPlanned(planned) && planned.reason === 'k-unknown')
    return { title: 'k=? Set k for this call', tooltip: planned.message, action: 'set-k' };
  if (!isPlanned(planned) && !figures)
    return { title: REASONS[planned.reason], tooltip: planned.message, action: remedyOf(planned) };
  const best = figures && bestWhatIf(figures);
  if (figures && best)
    return {
      title: `${best.name} ${differenceText(best)}${marks(state)}`,
      tooltip: `${whatIfSentence(figures, best)} Click to see what would change in the code.`,
      action: 'preview',
    };
  const tried = isPlanned(planned) ? planned.whatIfs.find(({ oracle }) => !oracle)?.name : undefined;
  return {
    title: `${tried ?? 'What if'} ${NONE}`,
    tooltip: figures
      ? 'No change of one step could be tried.'
      : 'Not evaluated yet. Click to evaluate this call.',
    action: running ? 'cancel' : 'evaluate',
  };
}

function capturedLens(captured: SiteCaptured, planned: SiteState['planned']): LensText {
  const tooltip =
    captured.queries > 0
      ? capturedSentence(captured)
      : !isPlanned(planned) && planned.reason === 'captured'
        ? planned.message
        : 'No captured retrieval can be told to be this call. Bind it with a comment: "parallax: retriever=captured".';
  return { title: capturedText(captured), tooltip, action: 'captured' };
}

/** `captured: 12 queries · MRecall@5 40% (judged 80%)`: measured, on what the program was asked, never on an eval set. */
export function capturedText({ queries, means, sources }: SiteCaptured): string {
  if (queries === 0) return `captured: ${NONE}`;
  const asked = count(queries, 'query', 'queries');
  if (!means) return `captured: ${asked}, no perspectives known`;
  const { runs, mrecall, judged } = means;
  const which = runs < queries ? `${runs} of ${asked}` : asked;
  // Without a single judgement there is no figure, and not one of 0%.
  const shown = judged === 0 ? NONE : percent(mrecall);
  return `captured: ${which} · MRecall@${depthText(means)} ${shown} (${judgedText(judged, sources)})`;
}

/** `judged 80%`, and whether a heuristic had a part in it. */
export function judgedText(share: number, sources: SiteCaptured['sources']): string {
  return `judged ${percent(share)}${sources.includes('lexical') ? ', heuristic' : ''}`;
}

/** Whose answers these are, on how many questions, and how much of them is judged. */
export function capturedSentence({ queries, means, sources }: SiteCaptured): string {
  const whose = 'Captured: your own program retrieved this while it ran, on its own questions.';
  if (!means) return `${whose} No eval set has perspectives for ${queries === 1 ? 'it' : 'any of them'}.`;
  const { runs, precision, judged } = means;
  const depth = depthText(means);
  return [
    whose,
    `${runs} of ${count(queries, 'question')} with known perspectives, the newest run of each;`,
    `${percent(judged)} of the top ${depth} judged${judged === 0 ? '.' : `${byWhom(sources)}, P@${depth} ${percent(precision)}.`}`,
  ].join(' ');
}

export function depthText({ k: { least, most } }: NonNullable<SiteCaptured['means']>): string {
  return least === most ? String(least) : `${least}–${most}`;
}

function lastText({ figures, planned, running, stale }: SiteState): LensText {
  if (running)
    return { title: 'Cancel evaluation', tooltip: 'The figures stay as they are.', action: 'cancel' };
  if (isPlanned(planned) && (!figures || stale))
    return {
      title: figures ? 'Evaluate again' : `Evaluate (${planned.origin})`,
      tooltip: `${planOriginSentence(planned)} Asked on ${planned.evalSet}.`,
      action: 'evaluate',
    };
  return {
    title: figures ? `Details (${figures.origin})` : 'Details',
    tooltip: figures ? originSentence(figures) : 'What is known about this call.',
    action: 'details',
  };
}

const REASONS: Readonly<Record<NotPlanned['reason'], string>> = {
  'k-unknown': 'k=?',
  'no-such-pipeline': 'Pipeline not found',
  captured: 'Bound to captured runs',
  'only-reorders': 'Bind to a pipeline',
  'matching-unknown': 'Bind to a pipeline',
  'bad-pipeline': 'Not rebuilt',
  'no-eval-set': 'No eval set',
  'no-corpus': 'No corpus',
  untrusted: 'Trust the workspace',
};

function remedyOf({ reason }: NotPlanned): LensAction {
  if (reason === 'captured') return 'captured';
  return reason === 'k-unknown' ? 'set-k' : reason === 'bad-pipeline' ? 'details' : 'remedy';
}

function marks({ stale }: SiteState): string {
  return stale ? ' (stale)' : '';
}

export function metricName(metric: string, k: number | string): string {
  return `${SHORT[metric] ?? metric}@${k}`;
}

export function originSentence({ origin }: Pick<SiteFigures, 'origin'>): string {
  return origin === 'measured'
    ? 'Measured: your own retriever answered.'
    : "Rebuilt: an equivalent pipeline ran on Parallax's own index; your retriever did not answer.";
}

function planOriginSentence(plan: SitePlan): string {
  return plan.origin === 'measured'
    ? `Measured: asks your own retriever through the pipeline "${plan.boundTo ?? ''}".`
    : "Rebuilt: runs an equivalent pipeline on Parallax's own index, not your retriever.";
}

/** On how many questions, how much of it judged and by whom. */
export function basisSentence({ queries, judged, k, sources }: SiteFigures): string {
  const by = byWhom(sources.map(({ source }) => source));
  return `${count(queries, 'question')}; ${percent(judged)} of the top ${k} judged${by}.`;
}

function byWhom(sources: readonly string[]): string {
  const whose = sources.map((source) => (source === 'lexical' ? `${source}, a heuristic` : source));
  return whose.length > 0 ? ` by ${[...new Set(whose)].join(' and ')}` : '';
}

export function whatIfSentence(
  { k }: SiteFigures,
  { name, difference, oracle, error }: WhatIfFigures,
): string {
  if (error !== undefined) return `${name}: ${error}`;
  if (!difference) return `${name}: not tried.`;
  const given = oracle ? ' It is handed the perspectives of the eval set: an upper bound.' : '';
  return `${name}: MRecall@${k} ${points(difference.value)}, 95% interval ${points(difference.low)} to ${points(difference.high)}.${given}`;
}

/** `≈0` where the interval includes zero. */
export function differenceText({ difference }: WhatIfFigures): string {
  if (!difference) return NONE;
  const { value, low, high } = difference;
  return low <= 0 && high >= 0 ? '≈0' : points(value);
}

const WHOLE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export function percent(value: number): string {
  return WHOLE.format(value);
}

/** Percentage points, with their sign. */
export function points(value: number): string {
  const shown = TENTHS.format(Math.abs(value) * 100);
  return `${value < 0 && shown !== '0.0' ? '−' : '+'}${shown} pts`;
}

export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
