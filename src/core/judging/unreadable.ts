/** Unreadable answers of a judge, and when a run with many of them is no result. */
import * as l10n from '@vscode/l10n';
import { counted } from '../counted.ts';

/**
 * With a larger share of unreadable answers, a run is no result. A question with three perspectives rests on 15 pairs
 * of its top 5. If a tenth is missing at random, four of five questions lack a pair (1 − 0.9¹⁵), so the figures
 * describe the judge more than retrieval.
 */
const MAX_UNREADABLE = 0.1;

/** The number of unreadable answers of a run. */
export interface Unreadable {
  readonly unreadable: number;
  /** The number of all answers. */
  readonly answers: number;
  /** A sentence on the reason of the first one. */
  readonly reason?: string | undefined;
}

/** Whether too many answers were unreadable for the run to be a result. */
export function isNoResult({ unreadable, answers }: Unreadable): boolean {
  return unreadable > MAX_UNREADABLE * answers;
}

/** @returns a paragraph; `undefined` if all answers were readable */
export function unreadableText(run: Unreadable): string | undefined {
  const { unreadable, answers, reason } = run;
  if (unreadable === 0) return undefined;
  const extent = counted(
    l10n.t('{0} of {1} [1:answer|answers] could not be read: [0:its pair stays|these pairs stay] unjudged.'),
    unreadable,
    answers,
  );
  const first = reason === undefined ? [] : [l10n.t`The first: ${reason}`];
  const noResult = isNoResult(run)
    ? [
        l10n.t(
          'That is more than a tenth, so the figures of this run are not usable. Choose another model, or check its settings: a reasoning model may reach its output limit before it answers, and a model with tools may call them instead.',
        ),
      ]
    : [];
  return [extent, ...first, ...noResult].join(' ');
}
