/** The details of a call site as Markdown, and as plain lines for a list. Pure. */
import type { CallSite, Field, Provenance } from '../../sites/model.ts';
import {
  basisSentence,
  capturedSentence,
  capturedText,
  count,
  differenceText,
  metricName,
  originSentence,
  percent,
  points,
  type SiteState,
} from './lens-text.ts';
import type { SiteCaptured } from './captured-sites.ts';
import type { SiteFigures } from './site-figures.ts';
import { isPlanned } from '../../sites/plan.ts';

/** A link of the hover: its words and the address of a command. */
export interface HoverLink {
  readonly label: string;
  readonly href: string;
}

export interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly from: string;
}

const PROVENANCE_WORDS: Readonly<Record<Provenance, string>> = {
  literal: 'written in the call',
  const: 'a constant',
  'class-attr': 'an attribute of the class',
  'default-param': 'the default of a parameter',
  'env-default': 'the default of an environment variable',
  arithmetic: 'calculated',
  spread: 'spread from an object',
  'library-default': "the library's default",
  comment: 'said in a comment',
  unknown: 'not known',
};

/** Every parameter that was read from the program, and where it came from. */
export function parametersOf(site: CallSite): readonly Parameter[] {
  const { k, pool, mmr, hybridDense, rerank, embedModel, index } = site;
  const given: readonly (readonly [string, Field<number | string> | undefined])[] = [
    ['k', k],
    ['candidates', pool],
    ['MMR, weight on relevance', mmr?.relevance],
    ['hybrid, weight on vectors', hybridDense],
    ['reranker', rerank?.model],
    ['kept by the reranker', rerank?.topN],
    ['embedding model', embedModel],
    ['index', index],
  ];
  return given.flatMap(([name, field]) => (field ? [{ name, ...valueOf(field) }] : []));
}

function valueOf(field: Field<number | string>): Omit<Parameter, 'name'> {
  return field.provenance === 'unknown'
    ? { value: '?', from: `not known: ${field.why}` }
    : { value: String(field.value), from: PROVENANCE_WORDS[field.provenance] };
}

/** Plain lines: what screen readers hear, and what a list shows. */
export function detailLines(site: CallSite, state: SiteState): readonly string[] {
  const { planned, figures } = state;
  return [
    ...(figures
      ? figureLines(figures, state.stale)
      : [isPlanned(planned) ? 'Not evaluated yet.' : planned.message]),
    ...(figures && !isPlanned(planned) ? [planned.message] : []),
    ...(state.captured ? capturedLines(state.captured) : []),
    ...parametersOf(site).map(({ name, value, from }) => `${name} = ${value} (${from})`),
    ...(isPlanned(planned) ? planned.caveats : []),
  ];
}

function capturedLines(captured: SiteCaptured): string[] {
  if (captured.queries === 0) return [capturedText(captured)];
  return [capturedText(captured), capturedSentence(captured), ...captured.runs.map(runText)];
}

function runText({ query, figures }: SiteCaptured['runs'][number]): string {
  if (!figures) return `${query}: no perspectives known`;
  const { k, covered, mrecall, judgedPairs, pairs } = figures;
  if (judgedPairs === 0) return `${query}: ${k === 0 ? 'nothing retrieved' : 'not judged'}`;
  return `${query}: MRecall@${k} ${percent(mrecall)}, ${count(covered, 'perspective')} covered, ${percent(judgedPairs / pairs)} judged`;
}

function figureLines(figures: SiteFigures, stale: boolean): string[] {
  return [
    ...(stale ? ['Stale: something changed since, or the window was restarted.'] : []),
    originSentence(figures),
    ...measureRows(figures).map(
      ({ name, value, interval }) => `${name} ${value}${interval ? `, 95% interval ${interval}` : ''}`,
    ),
    basisSentence(figures),
    ...figures.whatIfs.map((whatIf) => `${whatIf.name} ${whatIf.error ?? differenceText(whatIf)}`),
    `${figures.covered} of ${count(figures.perspectives, 'perspective')} covered.`,
    ...figures.lost.map(({ text, query }) => `Lost: ${text} (${query})`),
  ];
}

function measureRows({ measures }: SiteFigures): { name: string; value: string; interval: string }[] {
  return Object.entries(measures).map(([key, { value, low, high }]) => {
    const [metric = key, k = ''] = key.split('@');
    return {
      name: metricName(metric, k),
      value: percent(value),
      interval: low === undefined || high === undefined ? '' : `${percent(low)} to ${percent(high)}`,
    };
  });
}

/** @param links commands that the hover offers */
export function hoverMarkdown(site: CallSite, state: SiteState, links: readonly HoverLink[]): string {
  const { figures, planned } = state;
  const parts: string[] = [`**Parallax** ${escaped(site.library)} · ${escaped(site.callee)}`];
  if (figures) parts.push(...figureParts(figures, state.stale));
  else if (isPlanned(planned)) parts.push(`Not evaluated yet; figures will be *${planned.origin}*.`);
  if (!isPlanned(planned)) parts.push(escaped(planned.message));
  if (state.captured && state.captured.queries > 0) parts.push(...capturedParts(state.captured));
  const parameters = parametersOf(site);
  parts.push(
    table(
      ['Parameter', 'Value', 'From'],
      parameters.map(({ name, value, from }) => [name, value, from]),
    ),
  );
  if (isPlanned(planned) && planned.caveats.length > 0)
    parts.push(planned.caveats.map((caveat) => `- ${escaped(caveat)}`).join('\n'));
  if (site.held)
    parts.push('The code around this call does not parse at the moment; this is what it was before.');
  parts.push(links.map(({ label, href }) => `[${label}](${href})`).join(' · '));
  return parts.join('\n\n');
}

/** So many questions are named in a hover. */
const MOST_NAMED = 8;

function capturedParts(captured: SiteCaptured): string[] {
  const named = captured.runs.slice(0, MOST_NAMED).map((run) => `- ${escaped(runText(run))}`);
  const left = captured.queries - named.length;
  return [
    `**Captured** · ${escaped(capturedText(captured).replace(/^captured: /u, ''))}`,
    escaped(capturedSentence(captured)),
    [...named, ...(left > 0 ? [`- and ${left} more in the view Captured`] : [])].join('\n'),
  ];
}

function figureParts(figures: SiteFigures, stale: boolean): string[] {
  const parts = [
    `**${figures.origin === 'measured' ? 'Measured' : 'Rebuilt'}**${stale ? ' · stale' : ''}: ${originSentence(figures).replace(/^\w+: /u, '')}`,
    table(
      ['Measure', 'Value', '95% interval'],
      measureRows(figures).map(({ name, value, interval }) => [name, value, interval]),
    ),
    `${escaped(basisSentence(figures))} Eval set ${escaped(figures.evalSet)}, corpus ${escaped(figures.corpus)}.`,
  ];
  if (figures.whatIfs.length > 0)
    parts.push(
      table(
        ['What if', `MRecall@${figures.k}`, '95% interval'],
        figures.whatIfs.map((whatIf) => [
          `${whatIf.name}${whatIf.oracle ? ' (given perspectives: an upper bound)' : ''}`,
          whatIf.error ?? differenceText(whatIf),
          whatIf.difference ? `${points(whatIf.difference.low)} to ${points(whatIf.difference.high)}` : '',
        ]),
      ),
    );
  parts.push(`${figures.covered} of ${count(figures.perspectives, 'perspective')} covered.`);
  if (figures.lost.length > 0)
    parts.push(
      [
        'Perspectives lost most often:',
        ...figures.lost.map(({ text, times }) => `- ${escaped(text)}${times > 1 ? ` (${times} times)` : ''}`),
      ].join('\n'),
    );
  return parts;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Texts of the workspace must not become Markdown, links or HTML of a trusted hover. */
export function escaped(text: string): string {
  if (text === '---') return text;
  return text.replaceAll(/[\\`*_{}[\]()#+!|<>~$&]/gu, '\\$&').replaceAll(/\s+/gu, ' ');
}
