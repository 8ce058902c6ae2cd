/** What is said when a judge left pairs unanswered. Pure. */
import * as l10n from '@vscode/l10n';

/** @param error what the judge failed with, a sentence */
export function unjudgedText(failed: number, asked: number, error: string | undefined): string {
  return error === undefined
    ? l10n.t`${failed} of ${asked} pairs could not be judged: the model did not answer.`
    : l10n.t`${failed} of ${asked} pairs could not be judged: ${error}`;
}
