/** Texts about the captured retrievals of a call, shared by lenses, hovers and screen readers. */
import * as l10n from '@vscode/l10n';
import { judgedText, judgedTopText, measuredText } from '../../../core/facts.ts';
import { counted, counts, percent } from '../../../core/counted.ts';
import type { SiteCaptured } from './captured-sites.ts';

const NONE = '–';

/**
 * `captured: 12 queries · MRecall@5 40% (judged 80%)`: measured on the questions that the program was asked, never on
 * an eval set.
 */
export function capturedText(captured: SiteCaptured): string {
  return l10n.t`captured: ${capturedSummary(captured)}`;
}

/** {@link capturedText} without the prefix, for places that already say "captured". */
export function capturedSummary(captured: SiteCaptured): string {
  const found = foundText(captured);
  return captured.stale ? `${found} ${l10n.t('(stale)')}` : found;
}

function foundText({ queries, means, runs: all }: SiteCaptured): string {
  if (queries === 0) return l10n.t('none is known to come from this call');
  const size = counts.questions(queries);
  if (!means) return l10n.t`k=${rangeText(all.map(({ k }) => k))} · ${size}, no perspectives known`;
  const { runs, mrecall, judged } = means;
  const which = runs < queries ? l10n.t`${runs} of ${size}` : size;
  const [only] = runs === 1 ? all.filter(({ figures }) => figures !== undefined) : [];
  // MRecall of a single question is 0 or 1, so its coverage says more.
  const shown =
    only?.figures && judged > 0
      ? counted(
          l10n.t('k={0} · {1} of {2} [2:perspective|perspectives]'),
          depthText(means),
          measuredText(only.figures.covered, String),
          only.perspectives,
        )
      : // Without a single judgement there is no figure, and not one of 0%.
        `MRecall@${depthText(means)} ${judged === 0 ? NONE : measuredText(mrecall, percent)}`;
  return `${which} · ${shown} (${judgedText(judged)})`;
}

function rangeText(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? String(least) : `${least}–${most}`;
}

/** The source of the answers, the number of questions, and the judged share. */
export function capturedSentence({ queries, means, sources, stale }: SiteCaptured): string {
  const whose = [
    l10n.t('Captured: your own program retrieved this while it ran, on its own questions.'),
    ...(stale
      ? [l10n.t('The call was edited since: run the program again to see what it retrieves now.')]
      : []),
  ].join(' ');
  if (!means)
    return counted(l10n.t('{1} No eval set has perspectives for [0:it|any of them].'), queries, whose);
  const { runs, precision, judged } = means;
  const depth = depthText(means);
  return [
    whose,
    judged === 0
      ? l10n.t`${runs} of ${counts.questions(queries)} with known perspectives, the newest run of each; ${judgedTopText(judged, depth, [])}.`
      : l10n.t`${runs} of ${counts.questions(queries)} with known perspectives, the newest run of each; ${judgedTopText(judged, depth, sources)}, P@${depth} ${measuredText(precision, percent)}.`,
  ].join(' ');
}

function depthText({ k: { least, most } }: NonNullable<SiteCaptured['means']>): string {
  return least === most ? String(least) : `${least}–${most}`;
}
