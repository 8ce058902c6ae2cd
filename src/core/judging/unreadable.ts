/** Answers of a judge that no verdict can be read from: what may be concluded where they are many. */
import * as l10n from '@vscode/l10n';

/**
 * From more than this share of unreadable answers on, a run is no result. A question with three perspectives rests on
 * 15 pairs of its top 5: with a tenth of them missing at random, four of five questions lack a pair (1 − 0.9¹⁵), so
 * the figures say more about the judge than about what was retrieved.
 */
const MOST_UNREADABLE = 0.1;

/** How many answers of a run could not be read. */
export interface Unreadable {
  readonly unreadable: number;
  /** With those that could be read. */
  readonly answers: number;
  /** Of the first one, a sentence. */
  readonly reason?: string | undefined;
}

/** Whether so much could not be read that the run is no result. */
export function isNoResult({ unreadable, answers }: Unreadable): boolean {
  return unreadable > MOST_UNREADABLE * answers;
}

/** @returns a paragraph; nothing where all could be read */
export function unreadableText(run: Unreadable): string | undefined {
  const { unreadable, answers, reason } = run;
  if (unreadable === 0) return undefined;
  const counted =
    answers === 1
      ? l10n.t('The one answer could not be read: its pair stays unjudged.')
      : l10n.t`${unreadable} of ${answers} answers could not be read: these pairs stay unjudged.`;
  const first = reason === undefined ? [] : [l10n.t`The first: ${reason}`];
  const noResult = isNoResult(run)
    ? [
        l10n.t(
          'That is more than a tenth, so figures that rest on this run are no result. Choose another model, or look at its settings: one that reasons may spend its output limit before it answers, and one with tools may call them instead.',
        ),
      ]
    : [];
  return [counted, ...first, ...noResult].join(' ');
}
