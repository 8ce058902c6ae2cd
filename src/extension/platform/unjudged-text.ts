/** The message for pairs that a judge left unanswered. Pure. */
import * as l10n from '@vscode/l10n';
import { counted } from '../../core/counted.ts';
import { unreadableText } from '../../core/judging/unreadable.ts';
import type { JudgeReport } from '../../shared/requests/judging.ts';

/**
 * @param failed number of pairs without an answer, at least one
 * @param pairs number of pairs that were asked about
 * @param error the judge's error as a sentence
 */
export function unjudgedText(failed: number, pairs: number, error: string | undefined): string {
  const cause = error ?? l10n.t('the model did not answer.');
  if (failed === pairs) return `${noneText(cause)} ${l10n.t('Fix this, then judge again.')}`;
  const some = counted(l10n.t('{0} of {1} [1:pair|pairs] could not be judged: {2}'), failed, pairs, cause);
  return `${some} ${l10n.t('Judge again for the rest: the answers so far are kept.')}`;
}

/** Without a count, because after a failure that affects all pairs most of them were not asked about. */
const noneText = (cause: string): string => l10n.t`No unjudged pair could be judged: ${cause}`;

/**
 * Describes the pairs that a run of judging left open.
 *
 * @returns `undefined` if every pair was answered and every answer could be read
 */
export function judgingProblem({
  asked,
  answered,
  failed,
  unparsable,
  unreadableReason,
  error,
}: JudgeReport): string | undefined {
  const run = { unreadable: unparsable, answers: answered + unparsable, reason: unreadableReason };
  const unread = unreadableText(run);
  const parts = [...(failed > 0 ? [unjudgedText(failed, asked, error)] : []), ...(unread ? [unread] : [])];
  return parts.length > 0 ? parts.join(' ') : undefined;
}
