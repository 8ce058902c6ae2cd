/** The details of a call site as Markdown, and as plain lines for a list. Pure. */
import * as l10n from '@vscode/l10n';
import { judgedText, measuredText, nothingJudged } from '../../../core/facts.ts';
import type { CallSite, Field, Provenance } from '../../../sites/model.ts';
import {
  basisSentence,
  differenceText,
  figureText,
  isCapturedTruest,
  metricName,
  originExplanation,
  originSentence,
  points,
  type SiteState,
} from './lens-text.ts';
import type { SiteCaptured } from './captured-sites.ts';
import { capturedSentence, capturedSummary, capturedText } from './captured-text.ts';
import { isUpperBound, type SiteFigures, type WhatIfFigures } from './site-figures.ts';
import { oneLine } from '../../../core/reports/escape.ts';
import { isPlanned } from '../../../sites/plan.ts';
import { counts, percent } from '../../../core/counted.ts';

/** A link of the hover: its label and the URI of a command. */
export interface HoverLink {
  readonly label: string;
  readonly href: string;
}

interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

function provenanceWords(provenance: Provenance): string {
  switch (provenance) {
    case 'literal':
      return l10n.t('written in the call');
    case 'const':
      return l10n.t('a constant');
    case 'class-attr':
      return l10n.t('an attribute of the class');
    case 'default-param':
      return l10n.t('the default of a parameter');
    case 'env-default':
      return l10n.t('the default of an environment variable');
    case 'arithmetic':
      return l10n.t('calculated');
    case 'spread':
      return l10n.t('spread from an object');
    case 'library-default':
      return l10n.t("the library's default");
    case 'comment':
      return l10n.t('said in a comment');
    case 'unknown':
      return l10n.t('not known');
  }
}

/**
 * Every parameter that was read from the program, with its source. If several lack their value for the same reason, the
 * reason is stated once.
 *
 * @param planned shown above the parameters
 */
function parametersOf(site: CallSite, planned: SiteState['planned']): readonly Parameter[] {
  const { k, pool, mmr, hybridDense, rerank, embedModel, index } = site;
  const given: readonly (readonly [string, Field<number | string> | undefined])[] = [
    ['k', k],
    [l10n.t('candidates'), pool],
    [l10n.t('MMR, weight on relevance'), mmr?.relevance],
    [l10n.t('hybrid, weight on vectors'), hybridDense],
    [l10n.t('reranker'), rerank?.model],
    [l10n.t('kept by the reranker'), rerank?.topN],
    [l10n.t('embedding model'), embedModel],
    [l10n.t('index'), index],
  ];
  const said = isPlanned(planned) ? [] : [planned.message];
  return given.flatMap(([name, field]) => {
    if (!field) return [];
    if (field.provenance !== 'unknown')
      return [{ name, value: String(field.value), from: provenanceWords(field.provenance) }];
    const isSaid = said.some((reason) => reason.includes(field.why));
    said.push(field.why);
    return [{ name, value: '?', from: isSaid ? l10n.t('see above') : l10n.t`not known: ${field.why}` }];
  });
}

/** Plain lines for screen readers and lists. */
export function detailLines(site: CallSite, state: SiteState): readonly string[] {
  const { planned, figures } = state;
  const captured = state.captured ? capturedLines(state.captured) : [];
  const evaluated = [
    ...(figures
      ? figureLines(figures, state.stale)
      : [isPlanned(planned) ? l10n.t('Not evaluated yet.') : planned.message]),
    ...(figures && !isPlanned(planned) ? [planned.message] : []),
  ];
  return [
    ...(isCapturedTruest(state) ? [...captured, ...evaluated] : [...evaluated, ...captured]),
    ...parametersOf(site, planned).map(({ name, value, from }) => `${name} = ${value} (${from})`),
    ...(isPlanned(planned) ? planned.caveats : []),
  ];
}

function capturedLines(captured: SiteCaptured): string[] {
  if (captured.queries === 0) return [capturedText(captured)];
  return [capturedText(captured), capturedSentence(captured), ...captured.runs.map(runText)];
}

function runText({ query, figures }: SiteCaptured['runs'][number]): string {
  if (!figures) return l10n.t`${query} · no perspectives known`;
  const { k, covered, mrecall, judgedPairs, pairs } = figures;
  if (judgedPairs === 0)
    return k === 0 ? l10n.t`${query} · nothing retrieved` : `${query} · ${nothingJudged()}`;
  return `${query} · MRecall@${k} ${measuredText(mrecall, percent)}, ${counts.perspectives(covered.value)} covered, ${judgedText(judgedPairs / pairs)}`;
}

function figureLines(figures: SiteFigures, stale: boolean): string[] {
  return [
    ...(stale ? [l10n.t('Stale: something changed since, or the window was restarted.')] : []),
    originSentence(figures),
    ...measureRows(figures).map(
      ({ name, value, interval }) =>
        `${name} ${interval ? l10n.t`${value}, 95% interval ${interval}` : value}`,
    ),
    basisSentence(figures),
    ...figures.whatIfs.map((whatIf) => `${whatIf.name} ${whatIf.error ?? differenceText(whatIf, figures)}`),
    coveredSentence(figures),
    ...figures.lost.map(({ text, query }) => l10n.t`Lost: ${text} (${query})`),
  ];
}

function coveredSentence(figures: SiteFigures): string {
  const { covered, perspectives: all, judged } = figures;
  return judged < 1 && covered < all
    ? l10n.t`${covered} of ${counts.perspectives(all)} covered so far.`
    : l10n.t`${covered} of ${counts.perspectives(all)} covered.`;
}

function measureRows({ measures }: SiteFigures): { name: string; value: string; interval: string }[] {
  return Object.entries(measures).map(([key, measure]) => {
    const { low, high, bound } = measure;
    const [metric = key, k = ''] = key.split('@');
    return {
      name: metricName(metric, k),
      value: bound === 'open' ? l10n.t`${figureText(measure)} so far` : figureText(measure),
      interval: low === undefined || high === undefined ? '' : l10n.t`${percent(low)} to ${percent(high)}`,
    };
  });
}

/** @param links commands that the hover offers */
export function hoverMarkdown(site: CallSite, state: SiteState, links: readonly HoverLink[]): string {
  const { planned } = state;
  const parts: string[] = [`**Parallax** ${escaped(site.library)} · ${escaped(site.callee)}`];
  const captured = state.captured && state.captured.queries > 0 ? capturedParts(state.captured) : [];
  const evaluated = evaluatedParts(state);
  parts.push(...(isCapturedTruest(state) ? [...captured, ...evaluated] : [...evaluated, ...captured]));
  const parameters = parametersOf(site, planned);
  parts.push(
    table(
      [l10n.t('Parameter'), l10n.t('Value'), l10n.t('From')],
      parameters.map(({ name, value, from }) => [name, value, from]),
    ),
  );
  if (isPlanned(planned) && planned.caveats.length > 0)
    parts.push(planned.caveats.map((caveat) => `- ${escaped(caveat)}`).join('\n'));
  if (site.held)
    parts.push(l10n.t('The code around this call has a syntax error; this is its last valid state.'));
  parts.push(links.map(({ label, href }) => `[${label}](${href})`).join(' · '));
  return parts.join('\n\n');
}

/** Figures of a pipeline, or the reason why there are none. */
function evaluatedParts({ figures, planned, stale }: SiteState): string[] {
  const message = isPlanned(planned) ? [] : [escaped(planned.message)];
  if (figures) return [...figureParts(figures, stale), ...message];
  if (!isPlanned(planned)) return message;
  return [
    planned.origin === 'measured'
      ? l10n.t('Not evaluated yet; figures will be *measured*.')
      : l10n.t('Not evaluated yet; figures will be *rebuilt*.'),
  ];
}

/** The most questions that a hover names. */
const MAX_NAMED = 8;

function capturedParts(captured: SiteCaptured): string[] {
  const named = captured.runs.slice(0, MAX_NAMED).map((run) => `- ${escaped(runText(run))}`);
  const left = captured.queries - named.length;
  return [
    `**${l10n.t('Captured')}** · ${escaped(capturedSummary(captured))}`,
    escaped(capturedSentence(captured)),
    [...named, ...(left > 0 ? [`- ${l10n.t`and ${left} more in the view Captured`}`] : [])].join('\n'),
  ];
}

function figureParts(figures: SiteFigures, stale: boolean): string[] {
  const origin = figures.origin === 'measured' ? l10n.t('Measured') : l10n.t('Rebuilt');
  const parts = [
    `**${origin}**${stale ? ` · ${l10n.t('stale')}` : ''}: ${originExplanation(figures)}`,
    table(
      [l10n.t('Measure'), l10n.t('Value'), l10n.t('95% interval')],
      measureRows(figures).map(({ name, value, interval }) => [name, value, interval]),
    ),
    `${escaped(basisSentence(figures))} ${l10n.t`Eval set ${escaped(figures.evalSet)}, corpus ${escaped(figures.corpus)}.`}`,
  ];
  if (figures.whatIfs.length > 0)
    parts.push(
      table(
        [l10n.t('What if'), `MRecall@${figures.k}`, l10n.t('95% interval')],
        figures.whatIfs.map((whatIf) => [
          whatIfName(whatIf),
          whatIf.error ?? differenceText(whatIf, figures),
          whatIf.difference
            ? l10n.t`${points(whatIf.difference.low)} to ${points(whatIf.difference.high)}`
            : '',
        ]),
      ),
    );
  parts.push(coveredSentence(figures));
  if (figures.lost.length > 0)
    parts.push(
      [
        figures.judged < 1
          ? l10n.t('Perspectives missing most often, as far as judged:')
          : l10n.t('Perspectives missing most often:'),
        ...figures.lost.map(
          ({ text, times }) => `- ${times > 1 ? l10n.t`${escaped(text)} (${times} times)` : escaped(text)}`,
        ),
      ].join('\n'),
    );
  return parts;
}

/**
 * The name of a what-if. A pipeline that gets the perspectives is an upper bound only if it is known not to cover less.
 */
function whatIfName(whatIf: WhatIfFigures): string {
  if (whatIf.oracle === undefined) return whatIf.name;
  if (whatIf.oracle === 'labels') return l10n.t`${whatIf.name} (by your labels: a perfect reranker)`;
  return isUpperBound(whatIf)
    ? l10n.t`${whatIf.name} (given perspectives: an upper bound)`
    : l10n.t`${whatIf.name} (given perspectives)`;
}

/** Leaves out columns that are empty in every row. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const isShown = (_: string, column: number): boolean => rows.some((cells) => cells[column] !== '');
  const line = (cells: readonly string[]): string => `| ${cells.filter(isShown).map(escaped).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes workspace texts, which must not become Markdown, links, HTML or autolinked addresses. */
export function escaped(text: string): string {
  if (text === '---') return text;
  return oneLine(text)
    .replaceAll(/[\\`*_{}[\]()#+!|<>~$&]/gu, '\\$&')
    .replaceAll(/:(?=\/\/)|(?<=www)\.|@(?=[\w-]+\.\w)/giu, '\\$&');
}
